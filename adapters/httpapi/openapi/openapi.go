// Package openapi holds the description of the API that clients read: one
// OpenAPI 3.1 document, written by hand, a file for each activity.
//
// Every request and response is described here once, closed to fields that the
// interface does not name, with examples that fit. Tests hold the document
// against the route table and against every live response.
package openapi

import (
	"embed"
	"sync"
)

//go:embed *.yaml
var files embed.FS

// JSON returns the document. The bytes are the same at every call and in every
// build of the same files; nobody may change them.
func JSON() []byte { return document() }

var document = sync.OnceValue(func() []byte {
	doc, err := assemble(files)
	if err != nil {
		panic("openapi: the embedded document is broken: " + err.Error())
	}
	return doc
})
