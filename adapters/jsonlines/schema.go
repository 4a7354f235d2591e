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
	text, err := schemas.ReadFile("schema/" + string(k) + ".json")
	if err != nil {
		return nil
	}
	return text
}
