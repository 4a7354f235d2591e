package feed_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/publication"
)

func TestADM04_an_item_gets_the_address_of_its_cover(t *testing.T) {
	address := func(key media.Key) string { return "at " + string(key) }
	cover := media.CoverOf("a", media.CoverSM, 30, 20)
	thing := func(cover media.Picture) []feed.Listable {
		return []feed.Listable{
			publication.Publication{ID: 7, Content: publication.Content{Title: "Tea", Cover: cover}},
			publication.Node{ID: 7, Bundle: 8, Content: publication.Content{Title: "Tea", Cover: cover}},
			demand.Demand{ID: 7, Title: "Tea", Cover: cover},
		}
	}
	kept, shown := thing(cover), thing(cover.At(address))
	for i := range kept {
		distance := geo.Kilometres(3)
		item := feed.Item{Listable: kept[i], Distance: &distance}
		item.ResolveURLs(address)
		assert.Equal(t, feed.Item{Listable: shown[i], Distance: &distance}, item)
		assert.Equal(t, thing(cover)[i], kept[i], "the stored item is not changed")
	}
}

// coverless is an item that has no cover.
type coverless struct{}

func (coverless) Listing() (feed.Listing, bool) { return feed.Listing{}, true }

func TestADM04_an_item_without_a_cover_of_ours_is_not_copied(t *testing.T) {
	elsewhere := media.Picture{Path: "https://covers.example/1.jpg"}
	for _, thing := range []feed.Listable{
		publication.Publication{}, publication.Node{Content: publication.Content{Cover: elsewhere}}, demand.Demand{Cover: elsewhere}, coverless{},
	} {
		item := feed.Item{Listable: thing}
		assert.Zero(t, testing.AllocsPerRun(1000, func() { item.ResolveURLs(func(media.Key) string { panic("it has no key") }) }))
		assert.Equal(t, feed.Item{Listable: thing}, item)
	}
}
