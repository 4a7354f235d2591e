package diary

import (
	"context"
	"strings"

	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/search"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// Search finds for search.Index.
type Search struct{ DB *engine.DB }

// foundByWords finds the newest entries with the words $1 for the user $3, $2 of them behind the entry that was created at $4, of the
// kind $5 with the id -$6 (on SQLite: behind the place $6), of the kinds $7, but no events of authors with whom the user has a block.
//
// Postgres takes all entries with the words from their index and puts them in order, which "+ INTERVAL" keeps it from doing by the
// index of instants. SQLite's index of words is in the order of places.
var foundByWords = engine.Text{
	Postgres: `
	SELECT kind, id, created FROM search_entries
	WHERE words @@ CAST($1 AS tsquery) AND kind = ANY($7) AND (NOT private OR author_id = $3)
		AND author_id NOT IN (SELECT b.other_id FROM blocks b WHERE b.user_id = $3)
		AND created <= $4 AND (created < $4 OR (kind, id) > ($5, -CAST($6 AS bigint)))
	ORDER BY created + INTERVAL '0' DESC, kind, id LIMIT $2`,

	SQLite: `
	SELECT e.kind, e.id, e.created, e.place FROM search_words CROSS JOIN search_entries e ON e.place = search_words.rowid
	WHERE search_words MATCH $1 AND search_words.rowid < $6
		AND e.kind IN (SELECT value FROM json_each($7)) AND (NOT e.private OR e.author_id = $3)
		AND e.author_id NOT IN (SELECT b.other_id FROM blocks b WHERE b.user_id = $3)
	ORDER BY search_words.rowid DESC LIMIT CAST($2 AS integer)`,
}

// newestByWords is foundByWords among the $8 newest entries, where words that many entries have are found soon. SQLite does not
// need it.
var newestByWords = engine.Text{Postgres: `
	SELECT n.kind, n.id, n.created FROM (
		SELECT kind, id, created, author_id, private, words FROM search_entries
		WHERE created <= $4 AND (created < $4 OR (kind, id) > ($5, -CAST($6 AS bigint)))
		ORDER BY created DESC, kind, id LIMIT $8) n
	WHERE n.words @@ CAST($1 AS tsquery) AND n.kind = ANY($7) AND (NOT n.private OR n.author_id = $3)
		AND n.author_id NOT IN (SELECT b.other_id FROM blocks b WHERE b.user_id = $3)
	ORDER BY n.created DESC, n.kind, n.id LIMIT $2`}

// foundThing is what was found.
type foundThing struct {
	Kind feed.Kind
	ID   int64
}

// foundRow is a row of foundByWords.
type foundRow struct {
	foundThing
	Created engine.Time
	Place   *int64 // on SQLite
}

func (r foundRow) at() page.Cursor {
	if r.Place != nil {
		return page.Cursor{ID: *r.Place}
	}
	return feed.Listing{Kind: r.Kind, ID: r.ID, Created: r.Created.Time}.AtCursor()
}

// Find reads what it has found in a second round trip, and leaves out what has changed meanwhile so that it is not found.
func (v Search) Find(ctx context.Context, q search.Query, charges ...ratelimit.Charge) (found page.CursorPage[search.Found], err error) {
	err = people.ChargeAlone(ctx, v.DB, charges)
	kinds := q.Findable()
	if err != nil || len(kinds) == 0 {
		return found, err
	}
	rows, err := v.rows(ctx, q, kinds)
	if err != nil {
		return found, err
	}
	p := page.UpTo(q.Size(), rows, foundRow.at)
	things, err := v.read(ctx, p.Items, q.By)
	found.Next = p.Next
	for _, row := range p.Items {
		if thing, isThere := things[row.foundThing]; isThere {
			found.Items = append(found.Items, thing)
		}
	}
	return found, err
}

// rows finds what the query selects. Postgres' index of words gives all entries that have the words, to be put in order. So the newest
// entries are looked through first, and more of them if at least two of those have the words. Among 400,000 entries, three words that
// are in a third of them each take 0.5 ms, by the index 20 to 35.
func (v Search) rows(ctx context.Context, q search.Query, kinds []feed.Kind) (rows []foundRow, err error) {
	created, _, id := engine.Behind(q.Paged())
	args := []any{v.words(q), q.Size() + 1, q.By, created, q.After.Word, id, kinds}
	if newest := v.DB.Pick(newestByWords); newest != "" {
		for _, among := range []int{1000, 20_000} {
			rows, err = engine.All[foundRow](ctx, v.DB, newest, append(args, among)...)
			if err != nil || len(rows) > q.Size() {
				return rows, err
			}
			if len(rows) < 2 {
				break
			}
		}
	}
	return engine.All[foundRow](ctx, v.DB, v.DB.Pick(foundByWords), args...)
}

// read returns those of the things that the searcher still finds.
func (v Search) read(ctx context.Context, rows []foundRow, by user.ID) (map[foundThing]search.Found, error) {
	ids := map[feed.Kind][]int64{}
	for _, row := range rows {
		ids[row.Kind] = append(ids[row.Kind], row.ID)
	}
	things := map[foundThing]search.Found{}
	var reads []engine.Step
	for kind, ids := range ids {
		if kind != feed.Event {
			reads = append(reads, feedstore.ListedItems(v.DB, kind, ids, func(item feed.Item) {
				l, _ := item.Listing()
				things[foundThing{kind, l.ID}] = search.Found{Item: item}
			}))
			continue
		}
		reads = append(reads, eventsFor(v.DB, ids, by, func(e event.Entry, r subscription.Relation) {
			if search.IsShown(e.Event, r) {
				things[foundThing{kind, int64(e.ID())}] = search.Found{Event: &e}
			}
		}))
	}
	err := v.DB.ReadRows(ctx, func() { clear(things) }, reads...)
	return things, err
}

// words returns the words of the query as the index of the database takes them.
func (v Search) words(q search.Query) string {
	quote := v.DB.Pick(engine.Text{Postgres: "'", SQLite: `"`})
	and := v.DB.Pick(engine.Text{Postgres: "' & '", SQLite: `" AND "`})
	return quote + strings.Join(q.Words, and) + quote
}
