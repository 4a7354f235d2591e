package bunstore_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/crawl"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// brought is a little of everything that a crawler brings.
func brought(t *testing.T) []crawl.Record {
	t.Helper()
	phone, err := user.ParsePhone("+86-13800000009")
	require.NoError(t, err)
	content := publication.Content{Title: "A text", Language: "en", Category: 2, Published: true, Created: noon, Updated: noon}
	text := func(id publication.ID) crawl.Text {
		return crawl.Text{By: "a", Publication: publication.Publication{
			ID: id, Bundle: publication.Bundle{ID: publication.BundleID(id)}, Content: content,
		}}
	}
	return []crawl.Record{
		crawl.Person{Source: "a", Phone: phone, Member: user.Member{Firstname: "A", Timezone: "UTC", Joined: noon}},
		crawl.Shelf{Category: feed.Category{ID: 1, Name: "A", Slug: "a"}}, crawl.Shelf{Category: feed.Category{ID: 2, Parent: 1, Name: "B", Slug: "b"}},
		crawl.Binding{Bundle: publication.Bundle{ID: 1}}, crawl.Binding{Bundle: publication.Bundle{ID: 2, FirstOriginal: 1, Original: 1}},
		text(1), text(2), crawl.Part{By: "a", Node: publication.Node{ID: 1, Content: content}},
		crawl.Guide{By: "a", HowTo: publication.HowTo{Category: "garden", Bundles: []publication.BundleID{1}, Created: noon, Updated: noon}},
		crawl.Clipping{Source: "a", News: event.News{Title: "A", Released: event.DateOf(noon)}},
	}
}

func bring(t *testing.T, s *bunstore.Store, records ...crawl.Record) (fates []crawl.Fate) {
	t.Helper()
	d := crawl.Delivery{File: "a", Progress: []byte("there")}
	for i, r := range records {
		d.Lines = append(d.Lines, crawl.Line{Number: int64(i + 1), Raw: []byte("{}"), Record: r})
	}
	receipt, err := s.Intake().Take(t.Context(), d)
	require.NoError(t, err)
	for _, o := range receipt.Outcomes {
		fates = append(fates, o.Fate)
	}
	return fates
}

// rowsOf is every row of every table but the one of progress, with which version of it
// that is where the database tells.
func rowsOf(t *testing.T, db *sql.DB, url string) []string {
	t.Helper()
	row, names := "xmin || ': ' || CAST(t AS text)", "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'imports'"
	sqlite := strings.HasPrefix(url, "sqlite:")
	if sqlite {
		names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'imports'"
	}
	var all []string
	for _, table := range column[string](t, db, names+" ORDER BY 1") {
		if sqlite {
			columns := column[string](t, db, fmt.Sprintf("SELECT group_concat('quote(' || name || ')', '|| '' '' ||') FROM pragma_table_info('%s')", table))
			row = columns[0]
		}
		for _, r := range column[string](t, db, "SELECT "+row+" FROM "+table+" t ORDER BY 1") {
			all = append(all, table+" "+r)
		}
	}
	return all
}

func TestADM04_what_is_there_just_so_is_not_touched(t *testing.T) {
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			at := url(t)
			s, db := open(t, at), raw(t, at)
			records := brought(t)
			for _, fate := range bring(t, s, records...) {
				require.Equal(t, crawl.New, fate)
			}
			before := rowsOf(t, db, at)
			require.Greater(t, len(before), 2*len(records))
			for _, fate := range bring(t, s, records...) {
				require.Equal(t, crawl.Same, fate)
			}
			assert.Equal(t, before, rowsOf(t, db, at))

			shelf := records[1].(crawl.Shelf)
			shelf.Name = "Another"
			require.Equal(t, []crawl.Fate{crawl.Changed}, bring(t, s, shelf))
			assert.NotEqual(t, before, rowsOf(t, db, at), "what is touched is seen")
			wellKept(t, s)
		})
	}
}

func TestADM04_the_tree_moves_with_what_is_brought_and_not_otherwise(t *testing.T) {
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			at := url(t)
			s, db := open(t, at), raw(t, at)
			version := func() int64 {
				return column[int64](t, db, "SELECT CAST(COALESCE(SUM(version), 0) AS bigint) FROM feed_totals")[0]
			}
			last := version()
			moves := func(want bool, records ...crawl.Record) {
				t.Helper()
				bring(t, s, records...)
				now := version()
				assert.Equal(t, want, now > last, "%v", records[0].Ref())
				last = now
			}
			records := brought(t)
			moves(true, records...)
			moves(false, records...)
			shelf, text, part := records[1].(crawl.Shelf), records[5].(crawl.Text), records[7].(crawl.Part)
			shelf.Slug = "another"
			moves(true, shelf)
			text.Title = "Another"
			moves(true, text)
			part.Published = false
			moves(true, part)
			part.Title = "Nobody sees it"
			moves(false, part)
			moves(false, crawl.Binding{Bundle: publication.Bundle{ID: 7}})
			moves(true, crawl.Binding{Bundle: publication.Bundle{ID: 2, FirstOriginal: 2}})
			moves(false, records[0], records[8], records[9])
		})
	}
}
