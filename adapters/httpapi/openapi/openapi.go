// Package openapi holds the API's description for clients: one OpenAPI 3.1 document,
// hand-written, one file for each activity.
//
// The document describes every request and response. Schemas are closed to undeclared
// fields, and examples match them. Tests compare the document with the route table and with
// live responses.
package openapi

import (
	"embed"
	"sync"
)

//go:embed *.yaml
var files embed.FS

// JSON returns the document. The bytes are the same for every call and every build of the
// same files. The caller must not change them.
func JSON() []byte { return document() }

var document = sync.OnceValue(func() []byte {
	doc, err := assemble(files)
	if err != nil {
		panic("openapi: the embedded document is broken: " + err.Error())
	}
	return doc
})
