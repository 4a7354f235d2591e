package bunstore

import (
	"context"
)

// statements are the hot reads: each one statement, always of the same text, with
// bound parameters. They have no second version on bun.
type statements struct {
	session string // $1 hash of the key
	members string // $1 ids
	feedStatements
	eventStatements
	imageStatements
}

func newStatements(d dialect) statements {
	return statements{
		session:         sessionStatement,
		members:         membersStatement(d),
		feedStatements:  newFeedStatements(d),
		eventStatements: newEventStatements(d),
		imageStatements: newImageStatements(d),
	}
}

// each runs a hot read and gives every row to fn.
func (s *Store) each(ctx context.Context, statement string, args []any, fn func(scan func(...any) error) error) error {
	return s.dialect.query(ctx, statement, args, fn)
}
