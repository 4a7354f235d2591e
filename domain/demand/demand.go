// Package demand is about service requests: what somebody wants done, where, and
// until when.
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

// Demand is one service request. It always has its three times.
type Demand struct {
	ID          ID
	Title       string
	Description string
	Tags        []string
	Cover       media.Picture // with the size demand_cover_md; zero: none
	Images      []string      // addresses
	Author      user.ID
	Address     string          // of the service; empty: not known
	Category    feed.CategoryID // zero: none
	Place       *geo.Point      // nil: nowhere, so within no distance
	Closed      time.Time
	Start       time.Time
	End         time.Time
	Published   bool
	Deleted     bool
	Created     time.Time
	Updated     time.Time
}

// Listing says how the demand stands in the feed.
func (d Demand) Listing() (feed.Listing, bool) {
	if !d.Published || d.Deleted {
		return feed.Listing{}, false
	}
	return feed.Listing{
		Kind: feed.Demand, ID: int64(d.ID), Category: d.Category,
		Created: d.Created, Updated: d.Updated, Point: d.Place,
	}, true
}

// At is the demand with its cover at the address that it has now.
func (d Demand) At(address func(media.Key) string) (feed.Listable, bool) {
	if d.Cover.Key == "" {
		return nil, false
	}
	d.Cover = d.Cover.At(address)
	return d, true
}
