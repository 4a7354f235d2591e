package jsonlines

import (
	"embed"

	"plaza/domain/imported"
)

//go:embed schema/*.json
var schemas embed.FS

// Schema is the JSON Schema (draft 2020-12) of the records of the kind, with an example.
// It is nil for a kind that there is not. What a schema can't say, its descriptions do.
func Schema(k imported.Kind) []byte {
	text, err := schemas.ReadFile("schema/" + string(k) + ".json")
	if err != nil {
		return nil
	}
	return text
}
