package publication_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/feed"
	"plaza/domain/publication"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func TestPUB03_originals(t *testing.T) {
	for b, want := range map[publication.Bundle]bool{
		{}:                                     true,
		{ID: 1}:                                true,
		{ID: 1, FirstOriginal: 1}:              true,
		{ID: 1, FirstOriginal: 1, Original: 2}: true,
		{ID: 1, Original: 2}:                   true,
		{ID: 1, FirstOriginal: 2}:              false,
		{ID: 1, FirstOriginal: 2, Original: 3}: false,
		{FirstOriginal: 2}:                     false,
	} {
		assert.Equal(t, want, b.IsOriginal(), "%+v", b)
	}
}

func TestFED10_only_what_is_published_and_not_deleted_is_listed(t *testing.T) {
	for _, published := range []bool{true, false} {
		for _, deleted := range []bool{true, false} {
			c := publication.Content{Category: 4, Published: published, Deleted: deleted, Created: noon, Updated: noon.Add(time.Hour)}
			p, n := publication.Publication{ID: 7, Content: c}, publication.Node{ID: 8, Content: c}
			assert.Equal(t, published && !deleted, c.IsVisible())
			for thing, want := range map[feed.Listable]feed.Listing{
				&p: {Kind: feed.Publication, ID: 7, Category: 4, Created: noon, Updated: noon.Add(time.Hour)},
				&n: {Kind: feed.Node, ID: 8, Category: 4, Created: noon, Updated: noon.Add(time.Hour)},
			} {
				l, listed := thing.Listing()
				assert.Equal(t, published && !deleted, listed)
				if listed {
					assert.Equal(t, want, l)
				} else {
					assert.Zero(t, l)
				}
			}
		}
	}
}
