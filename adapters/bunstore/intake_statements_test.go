package bunstore

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/crawl"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/publication"
	"plaza/domain/user"
	testserver "plaza/test/postgres"
)

// copies counts what is copied into a table, too.
type copies struct{ counter }

func (c *copies) TraceCopyFromStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceCopyFromStartData) context.Context {
	c.n.Add(1)
	return ctx
}

func (*copies) TraceCopyFromEnd(context.Context, *pgx.Conn, pgx.TraceCopyFromEndData) {}

// harvest is so many records of every kind, with ids from the first on.
func harvest(first, many int) []crawl.Line {
	var lines []crawl.Line
	add := func(r crawl.Record) {
		lines = append(lines, crawl.Line{Number: int64(len(lines) + 1), Raw: []byte("{}"), Record: r})
	}
	content := publication.Content{Title: "A text", Language: "en", Published: true, Created: noon, Updated: noon}
	for i := first; i < first+many; i++ {
		by := fmt.Sprint("person ", i)
		phone, _ := user.ParsePhone(fmt.Sprintf("+86-138%08d", i))
		add(crawl.Person{Source: by, Phone: phone, Member: user.Member{Timezone: "UTC", Joined: noon}})
		add(crawl.Shelf{Category: feed.Category{ID: feed.CategoryID(i), Name: "A shelf", Slug: "a"}})
		add(crawl.Binding{Bundle: publication.Bundle{ID: publication.BundleID(i), FirstOriginal: publication.BundleID(first)}})
		content.Category = feed.CategoryID(i)
		add(crawl.Text{By: by, Publication: publication.Publication{
			ID: publication.ID(i), Bundle: publication.Bundle{ID: publication.BundleID(i)}, Content: content,
		}})
		add(crawl.Part{By: by, Node: publication.Node{ID: publication.NodeID(i), Content: content}})
		add(crawl.Wish{By: by, Demand: demand.Demand{
			ID: demand.ID(i), Title: "A wish", Category: feed.CategoryID(i), Published: true,
			Closed: noon, Start: noon, End: noon, Created: noon, Updated: noon,
		}})
		add(crawl.Guide{By: by, HowTo: publication.HowTo{Category: by, Created: noon, Updated: noon}})
		add(crawl.Clipping{Source: by, News: event.News{Title: by, Released: event.DateOf(noon)}})
	}
	return lines
}

// retitled are the lines with something changed in each.
func retitled(lines []crawl.Line) []crawl.Line {
	changed := make([]crawl.Line, len(lines))
	for i, line := range lines {
		switch r := line.Record.(type) {
		case crawl.Person:
			r.Firstname = "Another"
			line.Record = r
		case crawl.Shelf:
			r.Name = "Another"
			line.Record = r
		case crawl.Binding:
			r.Original = r.FirstOriginal
			line.Record = r
		case crawl.Text:
			r.Title, r.Updated = "Another", noon.Add(time.Hour)
			line.Record = r
		case crawl.Part:
			r.Category = 0
			line.Record = r
		case crawl.Wish:
			r.Published = false
			line.Record = r
		case crawl.Guide:
			r.Updated = noon.Add(time.Hour)
			line.Record = r
		case crawl.Clipping:
			r.Title = "Another"
			line.Record = r
		}
		changed[i] = line
	}
	return changed
}

func TestADM04_a_delivery_takes_as_many_round_trips_however_much_it_has(t *testing.T) {
	var counted copies
	s, err := Open(t.Context(), Options{URL: testserver.Empty(t), trace: &counted})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Migrate(t.Context())
	require.NoError(t, err)
	take := func(lines []crawl.Line, want crawl.Fate) int64 {
		before := counted.n.Load()
		receipt, err := s.Intake().Take(t.Context(), crawl.Delivery{File: "a", Lines: lines})
		require.NoError(t, err)
		for _, o := range receipt.Outcomes {
			require.Equal(t, want, o.Fate)
		}
		return counted.n.Load() - before
	}
	few, many := harvest(1, 3), harvest(1001, 60)
	assert.Equal(t, take(few, crawl.New), take(many, crawl.New))
	assert.Equal(t, take(few, crawl.Same), take(many, crawl.Same))
	assert.Equal(t, take(retitled(few), crawl.Changed), take(retitled(many), crawl.Changed))
}
