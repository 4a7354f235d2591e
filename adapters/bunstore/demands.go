package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/user"
)

// Demands implements demand.Repository.
type Demands struct{ s *Store }

// Demands returns the repository of demands.
func (s *Store) Demands() Demands { return Demands{s} }

var _ demand.Repository = Demands{}

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

func (v Demands) Put(ctx context.Context, d demand.Demand) error {
	row := demandRow{
		ID: d.ID, Title: d.Title, Description: d.Description, Tags: filled(d.Tags), Cover: cover{d.Cover},
		Images: filled(d.Images), AuthorID: d.Author, Address: d.Address, CategoryID: d.Category,
		Closed: dbTime{d.Closed}, Starts: dbTime{d.Start}, Ends: dbTime{d.End},
		Published: d.Published, Deleted: d.Deleted, Created: dbTime{d.Created}, Updated: dbTime{d.Updated},
	}
	if d.Place != nil {
		row.Lat, row.Lng = new(d.Place.Lat), new(d.Place.Lng)
	}
	return v.s.write(ctx, func(ctx context.Context, tx *transaction) error {
		if err := v.s.dialect.lock(ctx, tx, importLock); err != nil {
			return err
		}
		return v.s.put(ctx, tx, item{feed.Demand, int64(d.ID)}, &row, d)
	})
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
