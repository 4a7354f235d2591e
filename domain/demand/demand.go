// Package demand models service requests: a description, a place and a period.
package demand

import (
	"time"

	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/text"
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

// Limits of a demand.
var (
	TitleLimit       = text.Limit{Chars: 200}
	DescriptionLimit = text.Limit{Chars: 20_000}
	AddressLimit     = text.Limit{Chars: 300}
	TagLimit         = text.Limit{Chars: 64}
)

// Maximum numbers of tags and images of a demand.
const (
	MaxTags   = 50
	MaxImages = 100
)

// New checks the demand and returns it in the stored form. Tags and images keep their
// order and lose repetitions.
func New(d Demand) (Demand, error) {
	var wrong fault.Fields
	if d.ID <= 0 {
		wrong.Add("id", "Enter a whole number of 1 or greater.")
	}
	if d.Category < 0 {
		wrong.Add("category", "Enter a category ID, or null.")
	}
	wrong.Add("title", TitleLimit.RequiredLine(&d.Title))
	wrong.Add("description", DescriptionLimit.Problem(d.Description))
	wrong.Add("address", AddressLimit.Line(&d.Address))
	d.Tags = distinctTexts(&wrong, "tags", d.Tags, MaxTags, TagLimit.RequiredLine)
	d.Images = distinctTexts(&wrong, "images", d.Images, MaxImages, func(image *string) string {
		*image = text.Trim(*image)
		return text.AddressProblem(*image)
	})
	wrong.Merge(instant.Lifetime(&d.Created, &d.Updated))
	d.Closed, d.Start, d.End = instant.Normalise(d.Closed), instant.Normalise(d.Start), instant.Normalise(d.End)
	wrong.Add("closed", instant.Problem(d.Closed))
	wrong.Add("start", instant.Problem(d.Start))
	wrong.Add("end", instant.Problem(d.End))
	if len(wrong["start"])+len(wrong["end"]) == 0 && d.End.Before(d.Start) {
		wrong.Add("end", "The end must not be before the start.")
	}
	return d, wrong.Err()
}

// distinctTexts drops repetitions of the values, which problem puts into their stored form. It adds the first problem to wrong.
func distinctTexts(wrong *fault.Fields, name string, values []string, most int, problem func(*string) string) []string {
	distinct, p := text.Distinct(values, most, func(v string) (string, string) {
		p := problem(&v)
		return v, p
	})
	wrong.Add(name, p)
	return distinct
}
