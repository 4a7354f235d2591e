package demand_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
)

func TestFED10_only_what_is_published_and_not_deleted_is_listed(t *testing.T) {
	noon := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	for _, published := range []bool{true, false} {
		for _, deleted := range []bool{true, false} {
			for _, place := range []*geo.Point{nil, {Lat: 30, Lng: 120}} {
				d := demand.Demand{
					ID: 7, Category: 4, Place: place, Published: published, Deleted: deleted,
					Created: noon, Updated: noon.Add(time.Hour), Start: noon.Add(2 * time.Hour),
				}
				l, listed := d.Listing()
				assert.Equal(t, published && !deleted, listed)
				if !listed {
					assert.Zero(t, l)
					continue
				}
				assert.Equal(t, feed.Listing{
					Kind: feed.Demand, ID: 7, Category: 4, Created: noon, Updated: noon.Add(time.Hour), Point: place,
				}, l)
			}
		}
	}
}
