package bunstore_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/calendar"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/news"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// importedRecords returns a few records of every kind.
func importedRecords(t *testing.T) []imported.Record {
	t.Helper()
	phone, err := user.ParsePhone("+86-13800000009")
	require.NoError(t, err)
	content := publication.Content{Title: "A text", Language: "en", Category: 2, Published: true, Created: noon, Updated: noon}
	text := func(id publication.ID) imported.PublicationRecord {
		return imported.PublicationRecord{By: "a", Publication: publication.Publication{
			ID: id, Bundle: publication.Bundle{ID: publication.BundleID(id)}, Content: content,
		}}
	}
	return []imported.Record{
		imported.UserRecord{Source: "a", Phone: phone, Member: user.Member{Firstname: "A", Timezone: "UTC", Joined: noon}},
		imported.CategoryRecord{Category: feed.Category{ID: 1, Name: "A", Slug: "a"}},
		imported.CategoryRecord{Category: feed.Category{ID: 2, Parent: 1, Name: "B", Slug: "b"}},
		imported.BundleRecord{Bundle: publication.Bundle{ID: 1}},
		imported.BundleRecord{Bundle: publication.Bundle{ID: 2, FirstOriginal: 1, Original: 1}},
		text(1), text(2), imported.NodeRecord{By: "a", Node: publication.Node{ID: 1, Content: content}},
		imported.HowToRecord{By: "a", HowTo: publication.HowTo{Category: "garden", Bundles: []publication.BundleID{1}, Created: noon,
			Updated: noon}},
		imported.NewsRecord{Source: "a", Item: news.Item{Title: "A", Released: calendar.DateOf(noon)}},
	}
}

func bring(t *testing.T, s *bunstore.Store, records ...imported.Record) (fates []imported.Status) {
	t.Helper()
	outcomes, err := s.Imports().Apply(t.Context(), imported.Batch{Import: "a", Records: records, Progress: []byte("there")})
	require.NoError(t, err)
	for _, o := range outcomes {
		fates = append(fates, o.Status)
	}
	return fates
}

// rowsOf returns every row of every table except that of progress, with its row version
// where the database exposes it.
func rowsOf(t *testing.T, db *sql.DB, url string) []string {
	t.Helper()
	row, names := "xmin || ': ' || CAST(t AS text)",
		"SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname <> 'imports'"
	sqlite := strings.HasPrefix(url, "sqlite:")
	if sqlite {
		names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'imports'"
	}
	var all []string
	for _, table := range column[string](t, db, names+" ORDER BY 1") {
		if sqlite {
			columns := column[string](t, db, fmt.Sprintf("SELECT group_concat('quote(' || name || ')', '|| '' '' ||') FROM pragma_table_info('%s')",
				table))
			row = columns[0]
		}
		for _, r := range column[string](t, db, "SELECT "+row+" FROM "+table+" t ORDER BY 1") {
			all = append(all, table+" "+r)
		}
	}
	return all
}

func TestADM04_what_is_there_just_so_is_not_touched(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s, db := open(t, at), rawSQL(t, at)
		records := importedRecords(t)
		for _, fate := range bring(t, s, records...) {
			require.Equal(t, imported.New, fate)
		}
		before := rowsOf(t, db, at)
		require.Greater(t, len(before), 2*len(records))
		for _, fate := range bring(t, s, records...) {
			require.Equal(t, imported.Same, fate)
		}
		assert.Equal(t, before, rowsOf(t, db, at))

		shelf := records[1].(imported.CategoryRecord)
		shelf.Name = "Another"
		require.Equal(t, []imported.Status{imported.Changed}, bring(t, s, shelf))
		assert.NotEqual(t, before, rowsOf(t, db, at), "what is touched is seen")
		assertConsistent(t, s)
	})
}
