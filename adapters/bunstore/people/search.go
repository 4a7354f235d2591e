package people

import (
	"context"
	"slices"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// searchedAtOnce limits the people with a prefix whom a search examines. Most of them may be disabled, or have a name
// that only begins like the searched one. Then the page is short, and the list continues behind them.
const searchedAtOnce = 1000

// foundByPrefix finds the users with a prefix $1 for the user $2: those whom $2 follows with ids above $3 (rank 0), then the others
// with ids above $4 and not in the list $7 (rank 1), $5 of all at most, with disabled accounts if $6. No block stands between $2
// and any of them: a user whom $2 follows is not blocked. If they are fewer, and more users have the prefix than the $8 that are
// examined, the last row is that of the last who was (rank 2).
//
// So it reads no more than whom $2 follows and $8 rows of the prefix, each with a few rows of other tables. Subqueries look up
// one row for each of those that precede them: Postgres joins a table with a list in any order, and might read all users with
// the prefix. The parts of UNION ALL run one after the other, so that the last ones run only if the first ones leave room.
var foundByPrefix = engine.Both(`
	WITH followed AS MATERIALIZED (
		SELECT s.followed_id AS id FROM subscriptions s
		WHERE s.user_id = $2 AND s.followed_id > $3
			AND (SELECT n.user_id FROM name_prefixes n WHERE n.prefix = $1 AND n.user_id = s.followed_id) IS NOT NULL
			AND (SELECT u.id FROM users u
				WHERE u.id = s.followed_id AND ($6 OR NOT u.disabled) AND u.phone NOT LIKE 'erased-%') IS NOT NULL
		ORDER BY s.followed_id LIMIT CAST($5 AS bigint)),
	others AS (
		SELECT e.id FROM (
			SELECT n.user_id AS id FROM name_prefixes n WHERE n.prefix = $1 AND n.user_id > $4
			ORDER BY n.user_id LIMIT CAST($8 AS bigint)) e
		WHERE e.id NOT IN (SELECT f.id FROM followed f) AND NOT (e.id = ANY($7))
			AND (SELECT u.id FROM users u
				WHERE u.id = e.id AND ($6 OR NOT u.disabled) AND u.phone NOT LIKE 'erased-%') IS NOT NULL
			AND ((SELECT b.other_id FROM blocks b WHERE b.user_id = $2 LIMIT 1) IS NULL
				OR (SELECT COUNT(*) FROM blocks b WHERE b.user_id = $2 AND b.other_id = e.id) = 0)
		ORDER BY e.id LIMIT CAST($5 AS bigint)),
	found AS (
		SELECT 0 AS rank, f.id FROM followed f
		UNION ALL
		SELECT 1, o.id FROM others o
		UNION ALL
		SELECT 2, l.id FROM (
			SELECT n.user_id AS id FROM name_prefixes n WHERE n.prefix = $1 AND n.user_id > $4
			ORDER BY n.user_id LIMIT 1 OFFSET CAST($8 AS bigint) - 1) l
		LIMIT CAST($5 AS bigint))
	SELECT f.rank,
		u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, p.seen
	FROM found f
	CROSS JOIN users u
	LEFT JOIN presence p ON p.user_id = u.id
	WHERE u.id = f.id
	ORDER BY f.rank, f.id`)

// foundRow is a row of foundByPrefix.
type foundRow struct {
	Rank int64
	MemberRow
}

// rankExamined is the rank of the last user whom a search has examined. It is behind those of users whom it finds.
const rankExamined = user.RankOther + 1

// Search reads once for each prefix of the name, in one round trip. Names of several words, or of more than PrefixChars characters,
// are compared here.
func (v Accounts) Search(ctx context.Context, q user.Search, charges ...ratelimit.Charge) (page.CursorPage[user.Member], error) {
	limit := q.Size() + 1
	if !q.Name.IsPrefix() {
		limit = searchedAtOnce
	}
	followed, others, cameFirst := q.Continues()
	prefixes := q.Name.Prefixes()
	reads, found := make([]engine.Step, len(prefixes)), make([][]user.Found, len(prefixes))
	for i, prefix := range prefixes {
		reads[i] = engine.Each(v.DB, func(row *foundRow) error {
			found[i] = append(found[i], user.Found{Rank: row.Rank, Member: row.Member()})
			return nil
		}, v.DB.Pick(foundByPrefix), prefix, q.By, followed, others, limit, q.WithDisabled, cameFirst, searchedAtOnce)
	}
	err := ChargeAlone(ctx, v.DB, charges)
	if err == nil {
		err = v.DB.ReadRows(ctx, func() { clear(found) }, reads...)
	}
	if err != nil {
		return page.CursorPage[user.Member]{}, err
	}
	return q.PageOf(examinedAlike(found, limit)), nil
}

// examinedAlike returns the users of all reads, in order and each once, up to the place up to which each read has examined
// them; zero: all. Behind as many rows as the limit there may be more.
func examinedAlike(reads [][]user.Found, limit int) (users []user.Found, upTo page.Cursor) {
	for _, rows := range reads {
		users = append(users, rows...)
		if n := len(rows); n > 0 && (n == limit || rows[n-1].Rank == rankExamined) {
			last := rows[n-1].Place()
			if last.Rank = min(last.Rank, user.RankOther); upTo == (page.Cursor{}) || last.Compare(upTo) < 0 {
				upTo = last
			}
		}
	}
	slices.SortFunc(users, func(a, b user.Found) int { return a.Place().Compare(b.Place()) })
	users = slices.CompactFunc(users, func(a, b user.Found) bool { return a.ID == b.ID })
	return slices.DeleteFunc(users, func(f user.Found) bool {
		return f.Rank == rankExamined || upTo != (page.Cursor{}) && f.Place().Compare(upTo) > 0
	}), upTo
}

// ReplacePrefixes stores the prefixes of the members, whose rows the transaction has locked, in place of former ones.
func ReplacePrefixes(tx *engine.Tx, members ...user.Member) error {
	var rows [][]any
	for _, m := range members {
		tx.Queue("DELETE FROM name_prefixes WHERE user_id = $1", m.ID)
		for _, prefix := range m.NamePrefixes() {
			rows = append(rows, []any{prefix, int64(m.ID)})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return tx.Copy("name_prefixes", []string{"prefix", "user_id"}, rows)
}
