package contract

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/browsing"
	"plaza/domain/feed"
)

var feedWideRows = []row{
	{name: "FED-05 more wide areas at once than are counted are 503 with Retry-After", show: wideAreasAtOnce},
}

// heldReader is a store whose answer about an area wider than 5 km waits for release.
type heldReader struct {
	feed.Reader
	entered chan struct{}
	release chan struct{}
}

func (h heldReader) Metas(ctx context.Context, s feed.Selection) ([]feed.Category, map[feed.CategoryID]feed.Meta, error) {
	if s.Near != nil && s.Near.Within > 5 {
		select {
		case h.entered <- struct{}{}:
			<-h.release
		case <-h.release:
		}
	}
	return h.Reader.Metas(ctx, s)
}

func wideAreasAtOnce(t *testing.T, s *server) {
	const near = "?type=demand&lat=30.25&lng=120.15"
	const wide = near + "&within_distance=500"
	s.shelve(t, 4, "Walks")
	s.storesDemand(t, s.member(t), 1, 4)
	held := heldReader{entered: make(chan struct{}), release: make(chan struct{})}
	release := sync.OnceFunc(func() { close(held.release) })
	defer release()
	for _, app := range s.apps {
		held.Reader = app.Stores.Feed
		*app.Browsing = *browsing.New(held, app.Stores.Media, s.clock.Now)
	}
	all := make(chan answer)
	ask := func() {
		go func() { all <- s.anyone().get(t, categories+wide) }()
	}
	var refused *answer
	counted := 0
	for refused == nil {
		ask()
		select {
		case <-held.entered:
			counted++
			require.Less(t, counted, 50, "nothing limits how many are counted at once")
		case a := <-all:
			refused = &a
		}
	}
	assert.NotZero(t, counted)
	for _, a := range []answer{*refused, s.anyone().get(t, itemsOf(4)+wide)} {
		a.fails(503, "SERVICE_UNAVAILABLE")
		assert.Equal(t, "1", a.header.Get("Retry-After"))
	}
	for _, query := range []string{"", "?type=demand", near, "?type=demand&lat=30.25&lng=120.15&within_distance=5",
		"?lat=30.25&lng=120.15&within_distance=500"} {
		s.anyone().get(t, categories+query).is(200)
	}

	release()
	for range counted {
		(<-all).is(200)
	}
	for range counted + 1 {
		s.anyone().get(t, categories+wide).is(200)
	}
	s.anyone().get(t, itemsOf(4)+wide).is(200)
}
