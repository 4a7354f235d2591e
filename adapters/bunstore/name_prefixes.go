package bunstore

import (
	"context"
	"strconv"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/user"
)

// nameSteps are the statements that keep the prefixes of names (USR-08). A trigger of users notes that names have
// changed, so that the names of a program which writes no prefixes are indexed by IndexNames.
type nameSteps struct {
	dropPrefixes string // $1 users
	noteIndexed  string // $1 users
	unindexed    string
}

// namesAtOnce limits the users whose names are indexed in one transaction. On SQLite other writers wait meanwhile.
const namesAtOnce = 1000

func newNameSteps(d engine.Dialect) nameSteps {
	return nameSteps{
		dropPrefixes: "DELETE FROM name_prefixes WHERE " + d.Among("user_id", "$1"),
		noteIndexed:  "UPDATE users SET names_indexed = TRUE WHERE " + d.Among("id", "$1"),
		unindexed: "SELECT id, firstname, lastname FROM users WHERE NOT names_indexed ORDER BY id LIMIT " +
			strconv.Itoa(namesAtOnce) + " " + d.LockRows("FOR NO KEY UPDATE SKIP LOCKED"),
	}
}

// IndexNames stores the prefixes of the names of users from before there were prefixes, or whose names a program from
// then has changed. It reports whether there may be more. It skips rows that another transaction has locked.
func (s *Store) IndexNames(ctx context.Context) (more bool, err error) {
	err = s.write(ctx, func(ctx context.Context, tx *listedTransaction) error {
		if err := s.Dialect.PrepareBulk(ctx, tx, s.Limit); err != nil {
			return err
		}
		var members []user.Member
		read := engine.Step{Statement: s.steps.unindexed, Row: engine.Collect(&members, func(scan engine.Scanner) (m user.Member, err error) {
			err = scan((*int64)(&m.ID), &m.Firstname, &m.Lastname)
			return m, err
		})}
		if err := tx.Run(ctx, read); err != nil {
			return err
		}
		more = len(members) == namesAtOnce
		return s.replacePrefixes(ctx, tx, members...)
	})
	return more, err
}

// replacePrefixes stores the prefixes of the members, whose rows the transaction has locked, in place of former ones.
func (s *Store) replacePrefixes(ctx context.Context, tx *listedTransaction, members ...user.Member) error {
	if len(members) == 0 {
		return nil
	}
	ids := s.Dialect.ListOf(engine.Mapped(members, func(m user.Member) int64 { return int64(m.ID) }))
	if err := tx.Run(ctx, engine.Step{Statement: s.steps.dropPrefixes, Args: []any{ids}}); err != nil {
		return err
	}
	if err := s.addPrefixes(ctx, tx, members...); err != nil {
		return err
	}
	return tx.Run(ctx, engine.Step{Statement: s.steps.noteIndexed, Args: []any{ids}})
}

// addPrefixes stores the prefixes of members who have none.
func (s *Store) addPrefixes(ctx context.Context, tx *listedTransaction, members ...user.Member) error {
	var rows [][]any
	for _, m := range members {
		for _, prefix := range m.NamePrefixes() {
			rows = append(rows, []any{prefix, int64(m.ID)})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return tx.Copy(ctx, "name_prefixes", []string{"prefix", "user_id"}, rows)
}
