// Package jsonlines reads and writes the crawler's records as JSON Lines: each line is an
// object that names its kind.
//
// A File returns the lines, a Decoder turns them into drafts, and Rejects store the lines
// that could not be imported. A line of the rejects can be corrected in place: the Decoder
// reads the record inside it. The Schema of a kind describes its fields.
package jsonlines

import (
	"embed"

	"plaza/domain/imported"
)

//go:embed schema/*.json
var schemas embed.FS

// Schema returns the JSON Schema (draft 2020-12) of the kind's records, with an example. Its
// descriptions state the rules that a schema can't express. Schema returns nil for an
// unknown kind.
func Schema(k imported.Kind) []byte {
	text, _ := schemas.ReadFile("schema/" + string(k) + ".json")
	return text
}
