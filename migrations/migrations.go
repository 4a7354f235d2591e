// Package migrations embeds the schema of the durable stores as SQL: numbered files, one folder
// per database, applied forward only.
//
// Both folders have the same numbers and produce the same tables. A released migration never
// changes. None depends on Go types, so its effect never changes either.
package migrations

import "embed"

// Postgres and SQLite are the migrations of each database.
var (
	//go:embed postgres/*.sql
	Postgres embed.FS
	//go:embed sqlite/*.sql
	SQLite embed.FS
)
