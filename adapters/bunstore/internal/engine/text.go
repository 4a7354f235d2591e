package engine

import (
	"regexp"
	"strings"
)

// Text is a statement in the words of each database.
type Text struct{ Postgres, SQLite string }

// Pick returns the text for this database.
func (s *DB) Pick(t Text) string {
	if s.isSQLite() {
		return t.SQLite
	}
	return t.Postgres
}

// Both returns a statement for both databases. What it says of indexes is SQLite's, whose planner does not know the data well
// enough to choose them. Its lists of keys (= ANY($1)), and pg_backend_pid(), are in the words of Postgres.
func Both(statement string) Text {
	return Text{
		Postgres: indexedBy.ReplaceAllString(statement, ""),
		SQLite:   strings.ReplaceAll(anyOf.ReplaceAllString(statement, "IN (SELECT value FROM json_each($1))"), "pg_backend_pid()", "0"),
	}
}

var (
	indexedBy = regexp.MustCompile(` INDEXED BY \w+`)
	anyOf     = regexp.MustCompile(`= ANY\((\$\d+)\)`)
)
