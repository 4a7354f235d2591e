// Package openapitest prepares the OpenAPI document for tests.
package openapitest

import (
	"encoding/json"

	"plaza/adapters/httpapi/openapi"
)

// Closed returns the OpenAPI document with closed schemas: an object has no fields but those
// that its schema names. The published schemas are open, because later versions may add
// fields. A schema that says itself whether it is open stays as it is.
func Closed() ([]byte, error) {
	var doc any
	if err := json.Unmarshal(openapi.JSON(), &doc); err != nil {
		return nil, err
	}
	closeObjects(doc)
	return json.Marshal(doc)
}

func closeObjects(node any) {
	switch n := node.(type) {
	case []any:
		for _, element := range n {
			closeObjects(element)
		}
	case map[string]any:
		_, namesFields := n["properties"].(map[string]any)
		_, decided := n["additionalProperties"]
		if n["type"] == "object" && namesFields && !decided {
			n["additionalProperties"] = false
		}
		for _, child := range n {
			closeObjects(child)
		}
	}
}
