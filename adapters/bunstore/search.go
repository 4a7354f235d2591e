package bunstore

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// searchedAtOnce limits the people with a prefix whom a search examines. Most of them may be disabled, or have a name
// that only begins like the searched one. Then the page is short, and the list continues behind them.
const searchedAtOnce = 1000

// rankExamined is the rank of the last user whom a search has examined. It is behind those of users whom it finds.
const rankExamined = user.RankOther + 1

// searchStatement returns the hot read of the users with a prefix $1 for the user $2: those whom $2 follows with ids above
// $3, then the others with ids above $4, $5 of all at most, with disabled accounts if $6. No block stands between $2 and any
// of them: a user whom $2 follows is not blocked. If they are fewer, and more users have the prefix than are examined, the
// last row is that of the last who was.
//
// Subqueries look up one row for each of those that precede them: Postgres joins a table with a list in any order, and
// might read all users with the prefix. The parts of UNION ALL run one after the other, so that the last ones run only if
// the first ones leave room.
func searchStatement(d engine.Dialect) string {
	const limit = " LIMIT CAST($5 AS bigint)"
	const withPrefix = "SELECT n.user_id AS id FROM name_prefixes n WHERE n.prefix = $1 AND n.user_id "
	const examined = withPrefix + "> $4 ORDER BY n.user_id LIMIT "
	most := strconv.Itoa(searchedAtOnce)
	visible := func(id string) string {
		return "(SELECT u.id FROM users u WHERE u.id = " + id + " AND ($6 OR NOT u.disabled) AND " + isMember + ") IS NOT NULL"
	}
	followed := "SELECT s.followed_id AS id FROM subscriptions s WHERE s.user_id = $2 AND s.followed_id > $3 AND (" +
		withPrefix + "= s.followed_id) IS NOT NULL AND " + visible("s.followed_id") + " ORDER BY s.followed_id" + limit
	others := "SELECT c.id FROM (" + examined + most + ") c WHERE (SELECT s.id FROM subscriptions s" +
		" WHERE s.user_id = $2 AND s.followed_id = c.id) IS NULL AND " + visible("c.id") + " AND " + notBlocked("$2", "c.id") + " ORDER BY c.id" + limit
	ranked := func(rank int, ids string) string {
		return "SELECT " + strconv.Itoa(rank) + " AS rank, r.id FROM (" + ids + ") r"
	}
	found := strings.Join([]string{
		ranked(user.RankFollowed, followed), ranked(user.RankOther, others), ranked(rankExamined, examined+"1 OFFSET "+strconv.Itoa(searchedAtOnce-1)),
	}, " UNION ALL ") + limit
	return "SELECT f.rank, " + memberFields + " FROM (" + found + ") f " + d.LookUp("users u", "u.id = f.id") + withPresence +
		" WHERE TRUE" + d.UnlessMissed() + " ORDER BY f.rank, f.id"
}

// searchedUser is a row of searchStatement.
type searchedUser struct {
	page.Cursor
	user.Member
}

// Search reads in the round trip of the charge. Names of more than PrefixChars characters are compared here, and so are
// those that a program without prefixes has changed.
func (v Accounts) Search(ctx context.Context, q user.Search, charges ...ratelimit.Charge) (page.CursorPage[user.Member], error) {
	limit := q.Size() + 1
	if !q.Name.IsPrefix() {
		limit = searchedAtOnce
	}
	followed, others := q.After.ID, int64(0)
	if q.After.Rank >= user.RankOther {
		followed, others = math.MaxInt64, q.After.ID
	}
	var rows []searchedUser
	read := engine.Step{
		Statement: v.s.hotReads.search, ReadsOnly: true,
		Args: []any{q.Name.Prefix(), int64(q.By), followed, others, int64(limit), q.WithDisabled},
		Row: engine.Collect(&rows, func(scan engine.Scanner) (r searchedUser, err error) {
			err = scan(slices.Insert(memberTargets(&r.Member, v.s.Dialect), 0, any(&r.Rank))...)
			r.Cursor.ID = int64(r.Member.ID)
			return r, err
		}),
	}
	err := v.s.Call(ctx, func(ctx context.Context) error {
		rows = nil
		if steps := v.s.chargeSteps(charges); len(steps) > 0 {
			return v.s.Dialect.TransactAll(ctx, v.s.Writer, append(steps, read))
		}
		return v.s.Dialect.Query(ctx, read)
	})
	if err != nil {
		return page.CursorPage[user.Member]{}, v.s.orThrottled(ctx, err)
	}
	return searchPage(q, rows, limit), nil
}

// searchPage returns the page of those of the rows whom the name finds. Behind as many rows as the limit there may be more.
func searchPage(q user.Search, rows []searchedUser, limit int) (p page.CursorPage[user.Member]) {
	var found []searchedUser
	for _, r := range rows {
		if r.Rank != rankExamined && q.Name.Finds(r.Member) {
			found = append(found, r)
		}
	}
	of := page.UpTo(q.Size(), found, func(r searchedUser) page.Cursor { return r.Cursor })
	p.Items, p.Next = engine.Mapped(of.Items, func(r searchedUser) user.Member { return r.Member }), of.Next
	if n := len(rows); p.Next == (page.Cursor{}) && n > 0 && (n == limit || rows[n-1].Rank == rankExamined) {
		p.Next = rows[n-1].Cursor
		p.Next.Rank = min(p.Next.Rank, user.RankOther)
	}
	return p
}

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
