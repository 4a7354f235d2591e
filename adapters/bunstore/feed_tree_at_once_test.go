package bunstore_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/adapters/bunstore"
	"plaza/domain/calendar"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// additions counts the begun and the finished additions of each kind.
type additions struct{ begun, done map[feed.Kind]*atomic.Int64 }

func newAdditions() additions {
	a := additions{map[feed.Kind]*atomic.Int64{}, map[feed.Kind]*atomic.Int64{}}
	for _, kind := range append(feed.ItemKinds(), feed.Xfile) {
		a.begun[kind], a.done[kind] = new(atomic.Int64), new(atomic.Int64)
	}
	return a
}

func sumOf(of map[feed.Kind]*atomic.Int64, sel feed.Selection) (sum int) {
	for _, kind := range sel.Kinds {
		sum += int(of[kind].Load())
	}
	return sum
}

// add adds a record of the kind with an ID that no other goroutine uses.
func (a additions) add(ctx context.Context, s *bunstore.Store, author user.ID, kind feed.Kind, id int64) (err error) {
	c := publication.Content{
		Title: "One", Author: author, Category: feed.CategoryID(id % 3), Published: true,
		Created: noon.Add(time.Duration(id) * time.Second), Updated: noon.Add(time.Duration(id) * time.Second),
	}
	a.begun[kind].Add(1)
	switch kind {
	case feed.Publication:
		err = imports(ctx, s, publication.Publication{ID: publication.ID(id), Content: c})
	case feed.Node:
		err = imports(ctx, s, publication.Node{ID: publication.NodeID(id), Content: c})
	case feed.Demand:
		err = imports(ctx, s, demand.Demand{
			ID: demand.ID(id), Title: "One", Author: author, Category: c.Category, Published: true,
			Closed: noon, Start: noon, End: noon, Created: c.Created, Updated: c.Updated,
		})
	case feed.Xfile:
		var e *event.Event
		if e, err = event.New(author, event.Change{Title: new("One"), Publish: new(true)}, calendar.DateOf(noon), noon); err == nil {
			_, err = s.Events().Add(ctx, e)
		}
	}
	a.done[kind].Add(1)
	return err
}

// assertTree reads the tree. It must contain everything finished before, nothing that begins
// afterwards, and no count may decrease.
func (a additions) assertTree(ctx context.Context, s *bunstore.Store, sel feed.Selection, before map[feed.CategoryID]feed.Meta) (
	map[feed.CategoryID]feed.Meta, error,
) {
	atLeast := sumOf(a.done, sel)
	_, metas, err := s.Feed().Metas(ctx, sel)
	if err != nil {
		return nil, err
	}
	atMost, sum := sumOf(a.begun, sel), 0
	for _, meta := range metas {
		sum += meta.Count
	}
	if sum < atLeast || sum > atMost {
		return nil, fmt.Errorf("%v: %d are shown; there are %d to %d", sel.Kinds, sum, atLeast, atMost)
	}
	for id, was := range before {
		if is := metas[id]; is.Count < was.Count || is.Created.Before(was.Created) || is.Updated.Before(was.Updated) {
			return nil, fmt.Errorf("%v in %d goes back from %v to %v", sel.Kinds, id, was, is)
		}
	}
	return metas, nil
}

func TestTrees_that_are_read_while_others_write_are_of_some_moment(t *testing.T) {
	const writers, readers, turns = 4, 8, 24
	for name, url := range databases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, a := bothServers(t, url(t)), newAdditions()
			kinds, all := append(feed.ItemKinds(), feed.Xfile), selections()[1:]
			var writing, reading sync.WaitGroup
			var over atomic.Bool
			for i := range writers {
				writing.Go(func() {
					server := []*bunstore.Store{s.reader, s.writer}[i%2]
					for turn := range turns {
						assert.NoError(t, a.add(t.Context(), server, s.author, kinds[(i+turn)%len(kinds)], int64(1+i+writers*turn)))
					}
				})
			}
			for i := range readers {
				reading.Go(func() {
					seen := map[int]map[feed.CategoryID]feed.Meta{}
					for turn := i; !over.Load(); turn++ {
						which := turn % len(all)
						metas, err := a.assertTree(t.Context(), s.reader, all[which], seen[which])
						if !assert.NoError(t, err) {
							return
						}
						seen[which] = metas
					}
				})
			}
			writing.Wait()
			over.Store(true)
			reading.Wait()
			s.agree(t, "all are done")
			assert.Equal(t, writers*turns, sumOf(a.done, feed.Selection{Kinds: kinds}))
		})
	}
}
