package bunstore

import (
	"context"
)

// statements are the hot reads: each one statement, always of the same text, with
// bound parameters. They have no second version on bun.
//
// SQLite prepares a statement anew for every value of a parameter that is a LIMIT by
// itself, or that it may compare with the condition of a partial index. Such
// parameters are cast, which it does not look into.
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
		categories:      categoriesStatement(d),
		translations:    translationsStatement(d),
		feedStatements:  newFeedStatements(d),
		eventStatements: newEventStatements(d),
		imageStatements: newImageStatements(d),
	}
}

// each runs a hot read and gives every row to fn.
func (s *Store) each(ctx context.Context, statement string, args []any, fn func(scan func(...any) error) error) error {
	return s.dialect.query(ctx, statement, args, fn)
}
