// Command generate writes the OpenAPI document as JSON. Its arguments are the folder of the
// YAML files and the file to write.
package main

import (
	"log"
	"os"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: generate folder-of-yaml-files file-to-write")
	}
	doc, err := assemble(os.DirFS(os.Args[1]))
	if err == nil {
		err = os.WriteFile(os.Args[2], doc, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}
