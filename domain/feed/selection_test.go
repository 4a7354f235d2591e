package feed_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/feed"
	"plaza/domain/geo"
)

func TestFED04_a_selection_without_kinds_is_of_items(t *testing.T) {
	assert.Equal(t, feed.Selection{Kinds: feed.ItemKinds()}, feed.Select(nil, nil))
	assert.NotContains(t, feed.ItemKinds(), feed.Event)
}

func TestFED05_a_circle_counts_for_demands_alone(t *testing.T) {
	near := &feed.Area{Centre: geo.Point{Lat: 1, Lng: 2}, Within: 5}
	assert.Equal(t, feed.Selection{Kinds: []feed.Kind{feed.Demand}, Near: near}, feed.Select([]feed.Kind{feed.Demand}, near))
	for _, kinds := range [][]feed.Kind{{feed.Node}, {feed.Demand, feed.Node}, feed.ItemKinds()} {
		assert.Equal(t, feed.Selection{Kinds: kinds}, feed.Select(kinds, near))
	}
	assert.Nil(t, feed.Select([]feed.Kind{feed.Demand}, nil).Near)
}

func TestFED07_what_a_selection_admits(t *testing.T) {
	here, far := &geo.Point{Lat: 30, Lng: 120}, &geo.Point{Lat: 31, Lng: 120}
	of := func(kind feed.Kind, at *geo.Point) feed.Listing { return feed.Listing{Kind: kind, Point: at} }
	demands := feed.Selection{Kinds: []feed.Kind{feed.Demand}}
	near := feed.Selection{Kinds: demands.Kinds, Near: &feed.Area{Centre: *here, Within: 5}}

	assert.True(t, demands.Admits(of(feed.Demand, nil)))
	assert.False(t, demands.Admits(of(feed.Node, here)))
	assert.True(t, near.Admits(of(feed.Demand, here)))
	assert.False(t, near.Admits(of(feed.Demand, far)))
	assert.False(t, near.Admits(of(feed.Demand, nil)), "a listing without a location is in no area")
	assert.False(t, feed.Selection{}.Admits(of(feed.Demand, here)))
	exactly := feed.Area{Centre: *here, Within: here.To(*far)}
	assert.True(t, exactly.Contains(*far), "the edge is inside")
	exactly.Within *= 1 - 1e-6
	assert.False(t, exactly.Contains(*far), "and nothing beyond it")
}

func TestFED06_the_order_of_a_feed_is_total(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		listings := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) feed.Listing {
			return feed.Listing{
				Kind: rapid.SampledFrom(append(feed.ItemKinds(), feed.Event)).Draw(t, "kind"), ID: rapid.Int64Range(1, 5).Draw(t, "id"),
				Created: hours(rapid.IntRange(0, 2).Draw(t, "created")), Updated: hours(rapid.IntRange(0, 9).Draw(t, "updated")),
			}
		}), 2, 15).Draw(t, "listings")
		slices.SortFunc(listings, feed.Compare)
		for i, b := range listings[1:] {
			a := listings[i]
			require.Equal(t, -feed.Compare(a, b), feed.Compare(b, a))
			switch {
			case !a.Created.Equal(b.Created):
				require.True(t, a.Created.After(b.Created))
			case a.Kind != b.Kind:
				require.Less(t, a.Kind, b.Kind)
			default:
				require.LessOrEqual(t, a.ID, b.ID)
			}
		}
	})
}
