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
// $3, then the others with ids above $4, $5 of all at most. If they are fewer, and more users have the prefix than are
// examined, the last row is that of the last who was.
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
		return "(SELECT u.id FROM users u WHERE u.id = " + id + " AND NOT u.disabled AND " + isMember + ") IS NOT NULL"
	}
	followed := "SELECT s.followed_id AS id FROM subscriptions s WHERE s.user_id = $2 AND s.followed_id > $3 AND (" +
		withPrefix + "= s.followed_id) IS NOT NULL AND " + visible("s.followed_id") + " ORDER BY s.followed_id" + limit
	others := "SELECT c.id FROM (" + examined + most + ") c WHERE (SELECT s.id FROM subscriptions s" +
		" WHERE s.user_id = $2 AND s.followed_id = c.id) IS NULL AND " + visible("c.id") + " ORDER BY c.id" + limit
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
		Args: []any{q.Name.Prefix(), int64(q.By), followed, others, int64(limit)},
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
