// Package migrations embeds the schema of the durable stores as SQL: numbered files, one folder
// per database, applied forward only.
//
// Both folders have the same numbers and produce the same tables. A released migration never
// changes. None depends on Go types, so its effect never changes either.
package migrations

import (
	"embed"
	"io/fs"
)

//go:embed postgres/*.sql sqlite/*.sql
var files embed.FS

// Of returns the migrations in the folder of a database, postgres or sqlite.
func Of(database string) fs.FS {
	folder, _ := fs.Sub(files, database) // no error: the name is valid
	return folder
}
