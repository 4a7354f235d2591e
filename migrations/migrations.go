// Package migrations is the schema of the durable stores as SQL: numbered files,
// one folder per database, embedded in the program, applied forward only.
//
// Both folders hold the same numbers and end in the same tables. A migration that
// was released never changes, and none depends on Go types, so each means the same
// for ever.
package migrations

import "embed"

// Postgres and SQLite are the files of each database, in folders of these names.
var (
	//go:embed postgres/*.sql
	Postgres embed.FS
	//go:embed sqlite/*.sql
	SQLite embed.FS
)
