package bunstore

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/news"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// copies also counts COPY statements.
type copies struct{ counter }

func (c *copies) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceCopyFromStartData) context.Context {
	c.n.Add(1)
	return ctx
}

func (*copies) TraceCopyFromEnd(context.Context, *pgx.Conn, pgx.TraceCopyFromEndData) {}

// records returns many records of every kind, with IDs from first on.
func records(first, many int) []imported.Line {
	var lines []imported.Line
	add := func(r imported.Record) {
		lines = append(lines, imported.Line{Number: int64(len(lines) + 1), Raw: []byte("{}"), Record: r})
	}
	content := publication.Content{Title: "A text", Language: "en", Published: true, Created: noon, Updated: noon}
	for i := first; i < first+many; i++ {
		by := fmt.Sprint("person ", i)
		phone, _ := user.ParsePhone(fmt.Sprintf("+86-138%08d", i))
		add(imported.UserRecord{Source: by, Phone: phone, Member: user.Member{Timezone: "UTC", Joined: noon}})
		add(imported.CategoryRecord{Category: feed.Category{ID: feed.CategoryID(i), Name: "A shelf", Slug: "a"}})
		add(imported.BundleRecord{Bundle: publication.Bundle{ID: publication.BundleID(i), FirstOriginal: publication.BundleID(first)}})
		content.Category = feed.CategoryID(i)
		add(imported.PublicationRecord{By: by, Publication: publication.Publication{
			ID: publication.ID(i), Bundle: publication.Bundle{ID: publication.BundleID(i)}, Content: content,
		}})
		add(imported.NodeRecord{By: by, Node: publication.Node{ID: publication.NodeID(i), Content: content}})
		add(imported.DemandRecord{By: by, Demand: demand.Demand{
			ID: demand.ID(i), Title: "A wish", Category: feed.CategoryID(i), Published: true,
			Closed: noon, Start: noon, End: noon, Created: noon, Updated: noon,
		}})
		add(imported.HowToRecord{By: by, HowTo: publication.HowTo{Category: by, Created: noon, Updated: noon}})
		add(imported.NewsRecord{Source: by, Item: news.Item{Title: by, Released: calendar.DateOf(noon)}})
	}
	return lines
}

// retitled returns the lines, each with a change.
func retitled(lines []imported.Line) []imported.Line {
	changed := make([]imported.Line, len(lines))
	for i, line := range lines {
		switch r := line.Record.(type) {
		case imported.UserRecord:
			r.Firstname = "Another"
			line.Record = r
		case imported.CategoryRecord:
			r.Name = "Another"
			line.Record = r
		case imported.BundleRecord:
			r.Original = r.FirstOriginal
			line.Record = r
		case imported.PublicationRecord:
			r.Title, r.Updated = "Another", noon.Add(time.Hour)
			line.Record = r
		case imported.NodeRecord:
			r.Category = 0
			line.Record = r
		case imported.DemandRecord:
			r.Published = false
			line.Record = r
		case imported.HowToRecord:
			r.Updated = noon.Add(time.Hour)
			line.Record = r
		case imported.NewsRecord:
			r.Title = "Another"
			line.Record = r
		}
		changed[i] = line
	}
	return changed
}

func TestADM04_a_delivery_takes_as_many_round_trips_however_much_it_has(t *testing.T) {
	var counted copies
	s, err := Open(t.Context(), Options{URL: migratedPostgres(t), trace: &counted})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Migrate(t.Context())
	require.NoError(t, err)
	take := func(lines []imported.Line, want imported.Status) int64 {
		before := counted.n.Load()
		receipt, err := s.Imports().Apply(t.Context(), imported.Batch{File: "a", Lines: lines})
		require.NoError(t, err)
		for _, o := range receipt.Outcomes {
			require.Equal(t, want, o.Status)
		}
		return counted.n.Load() - before
	}
	few, many := records(1, 3), records(1001, 60)
	assert.Equal(t, take(few, imported.New), take(many, imported.New))
	assert.Equal(t, take(few, imported.Same), take(many, imported.Same))
	assert.Equal(t, take(retitled(few), imported.Changed), take(retitled(many), imported.Changed))
}
