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
	images string // of an owner, by tags
}

func newStatements(d dialect) statements {
	return statements{
		session:         sessionStatement,
		members:         membersStatement(d),
		feedStatements:  newFeedStatements(d),
		eventStatements: newEventStatements(d),
		images:          imagesByTags(d),
	}
}

// each runs a hot read and gives every row to fn. The statement is kept on its
// connection for the next time, where the database can.
func (s *Store) each(ctx context.Context, statement string, args []any, fn func(scan func(...any) error) error) error {
	rows, err := s.reader.DB.QueryContext(ctx, statement, append(s.dialect.hint(), args...)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
