// Package demand models service requests: a description, a place and a period.
package demand

import (
	"time"

	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/user"
)

// ID numbers demands.
type ID int64

// Demand is one service request. Closed, Start and End are always set.
type Demand struct {
	ID          ID
	Title       string
	Description string
	Tags        []string
	Cover       media.Picture // with the size demand_cover_md; zero: none
	Images      []string      // addresses
	Author      user.ID
	Address     string          // of the service; empty: unknown
	Category    feed.CategoryID // zero: none
	Place       *geo.Point      // nil: no location, so in no area
	Closed      time.Time
	Start       time.Time
	End         time.Time
	Published   bool
	Deleted     bool
	Hidden      bool // by staff (MOD-06)
	Created     time.Time
	Updated     time.Time
}

// Listing returns the demand's listing in the feed, and whether it is listed.
func (d Demand) Listing() (feed.Listing, bool) {
	if !d.Published || d.Deleted || d.Hidden {
		return feed.Listing{}, false
	}
	return feed.Listing{
		Kind: feed.Demand, ID: int64(d.ID), Category: d.Category,
		Created: d.Created, Updated: d.Updated, Point: d.Place,
	}, true
}

// At implements feed.Covered.
func (d Demand) At(address func(media.Key) string) (feed.Listable, bool) {
	if d.Cover.Key == "" {
		return nil, false
	}
	d.Cover = d.Cover.At(address)
	return d, true
}
