// Package openapi holds the API's description for clients: one OpenAPI 3.1 document,
// hand-written in YAML, one file for each activity.
//
// The document describes every request and response. Schemas of responses are open, because
// later versions may add fields; tests close them and compare the document with the route
// table and with live responses. Examples match the closed schemas.
package openapi

import _ "embed"

//go:generate go run -tags nomsgpack,nodynamic -trimpath ./generate . openapi.json

//go:embed openapi.json
var document []byte

// JSON returns the document. The caller must not change it.
func JSON() []byte { return document }
