package bunstore

import (
	"context"
)

// statements are the hot reads. Each is one statement of constant text with bound
// parameters, and has no variant built by bun. Only eventPage has a variant for every order
// of events.
//
// SQLite prepares a statement again for each value of a parameter that is a bare LIMIT,
// or that may be compared with the condition of a partial index. Such parameters are
// wrapped in CAST, which prevents this.
type statements struct {
	session      string // $1 hash of the key
	members      string // $1 ids
	categories   string // $1 ids
	translations string // $1 keys, $2 the time
	feedStatements
	eventStatements
	imageStatements
}

func newStatements(d dialect) statements {
	return statements{
		session:         sessionStatement,
		members:         membersStatement(d),
		categories:      categoryTable.among(d, "id", "$1"),
		translations:    translationsStatement(d),
		feedStatements:  newFeedStatements(d),
		eventStatements: newEventStatements(d),
		imageStatements: newImageStatements(d),
	}
}

// each runs a read of the registries, hot or not, and passes every row to fn.
func (s *Store) each(ctx context.Context, statement string, args []any, fn func(scan func(...any) error) error) error {
	return s.dialect.query(ctx, step{statement: statement, args: args, row: fn})
}
