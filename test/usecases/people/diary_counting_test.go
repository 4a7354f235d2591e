package people_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/diary"
	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/user"
	"plaza/test/usecases"
)

// The counting stores pass every read on and count it.
type (
	countingReader struct {
		event.Reader
		calls *atomic.Int64
	}
	countingEvents struct {
		event.Repository
		calls *atomic.Int64
	}
	countingRelated struct {
		event.RelatedReader
		calls *atomic.Int64
	}
	countingCategories struct {
		feed.Categories
		calls *atomic.Int64
	}
	countingDirectory struct {
		user.Directory
		calls *atomic.Int64
	}
)

func (c countingReader) List(ctx context.Context, q event.Query) (page.Page[event.Entry], error) {
	c.calls.Add(1)
	return c.Reader.List(ctx, q)
}

func (c countingReader) Commented(ctx context.Context, author user.ID, limit int) ([]event.Entry, error) {
	c.calls.Add(1)
	return c.Reader.Commented(ctx, author, limit)
}

func (c countingEvents) Get(ctx context.Context, id event.ID) (event.Entry, error) {
	c.calls.Add(1)
	return c.Repository.Get(ctx, id)
}

func (c countingRelated) Load(ctx context.Context, s event.RelatedQuery) (event.Related, error) {
	c.calls.Add(1)
	return c.RelatedReader.Load(ctx, s)
}

func (c countingCategories) ByIDs(ctx context.Context, ids []feed.CategoryID) (map[feed.CategoryID]feed.Category, error) {
	c.calls.Add(1)
	return c.Categories.ByIDs(ctx, ids)
}

func (c countingDirectory) Members(ctx context.Context, ids []user.ID) ([]user.Member, error) {
	c.calls.Add(1)
	return c.Directory.Members(ctx, ids)
}

// newCountedDiary returns a fixture whose reads are counted.
func newCountedDiary(t *testing.T) (*diaryFixture, *atomic.Int64) {
	t.Helper()
	calls := &atomic.Int64{}
	w := newDiaryFixture(t, func(p *diary.Ports) {
		p.Reader = countingReader{p.Reader, calls}
		p.Events = countingEvents{p.Events, calls}
		p.Related = countingRelated{p.Related, calls}
		p.Categories = countingCategories{p.Categories, calls}
		p.Directory = countingDirectory{p.Directory, calls}
	})
	return w, calls
}

func TestA_list_costs_the_same_number_of_reads_whatever_its_length(t *testing.T) {
	w, calls := newCountedDiary(t)
	w.category(t, feed.Category{ID: 1, Name: "Walks", Slug: "walks"})
	for i := range 40 {
		day := calendar.DateOf(usecases.Noon.AddDate(0, 0, -i/2))
		for _, by := range []access.Actor{w.ann, w.bob} {
			shown, err := w.Write(t.Context(), by, event.Change{
				Title: new(fmt.Sprint("day ", i)), Date: &day, Category: new(feed.CategoryID(1)), Publish: new(true),
			}, nil, nil)

			require.NoError(t, err)
			w.now = w.now.Add(time.Second)
			_, err = w.Comment(t.Context(), w.bob, shown.ID(), "nice", nil, nil)
			require.NoError(t, err)
		}
	}
	reads := func(do func() error) int64 {
		before := calls.Load()
		require.NoError(t, do())
		return calls.Load() - before
	}
	list := func(size int) func() error {
		return func() error {
			p, err := w.Of(t.Context(), w.bob, event.Query{Author: w.ann.ID, Page: firstPage(t, size)}, diary.AllParts)
			require.Len(t, p.Items, size)
			require.NotEmpty(t, p.Items[0].Moment)
			require.NotEmpty(t, p.Items[0].Comments)
			require.Equal(t, "Walks", p.Items[size-1].Category)
			return err
		}
	}
	one := reads(list(1))
	assert.Equal(t, one, reads(list(40)))
	assert.LessOrEqual(t, one, int64(6), "the author, the list, the moment, news, comments, categories")
	assert.LessOrEqual(t, reads(func() error {
		_, err := w.RecentlyCommented(t.Context(), w.ann, diary.AllParts)
		return err
	}), int64(5))
}

func TestPeopleIn_names_everybody_once(t *testing.T) {
	w := newDiaryFixture(t)
	id := w.published(t, w.ann, "mine", event.Public)
	w.published(t, w.bob, "his", event.Public)
	_, err := w.Comment(t.Context(), w.zoe, id, "hello", nil, nil)
	require.NoError(t, err)
	shown := mustReadEvent(t, w, id)
	assert.Equal(t, []user.ID{w.ann.ID, w.bob.ID, w.zoe.ID}, diary.PeopleIn(shown, shown))
	assert.Empty(t, diary.PeopleIn())
}
