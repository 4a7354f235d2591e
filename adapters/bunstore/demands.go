package bunstore

import (
	"github.com/uptrace/bun"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/user"
)

type demandRow struct {
	bun.BaseModel `bun:"table:demands,alias:d"`
	ID            demand.ID `bun:",pk"`
	Title         string
	Description   string
	Tags          []string `bun:",array"`
	Cover         cover
	Images        []string `bun:",array"`
	AuthorID      user.ID
	Address       string
	CategoryID    feed.CategoryID `bun:",nullzero"`
	Lat           *float64
	Lng           *float64
	Closed        dbTime
	Starts        dbTime
	Ends          dbTime
	Published     bool
	Deleted       bool
	Created       dbTime
	Updated       dbTime
}

func (r demandRow) demand() demand.Demand {
	d := demand.Demand{
		ID: r.ID, Title: r.Title, Description: r.Description, Tags: orNil(r.Tags), Cover: r.Cover.Picture,
		Images: orNil(r.Images), Author: r.AuthorID, Address: r.Address, Category: r.CategoryID,
		Closed: r.Closed.Time, Start: r.Starts.Time, End: r.Ends.Time,
		Published: r.Published, Deleted: r.Deleted, Created: r.Created.Time, Updated: r.Updated.Time,
	}
	if r.Lat != nil && r.Lng != nil {
		d.Place = &geo.Point{Lat: *r.Lat, Lng: *r.Lng}
	}
	return d
}
