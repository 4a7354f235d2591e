package bunstore

import (
	"context"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/publication"
)

// Publications implements publication.Repository.
type Publications struct{ s *Store }

// Publications returns the repository of publications and nodes.
func (s *Store) Publications() Publications { return Publications{s} }

var _ publication.Repository = Publications{}

func (v Publications) List(ctx context.Context, q publication.Query) (page.Page[publication.Publication], error) {
	statement, args := v.s.hotReads.latest, []any{int64(q.Page.Size()), int64(q.Page.Offset())}
	if q.OriginOnly {
		statement = v.s.hotReads.latestOrigins
	}
	if q.Category != nil {
		statement, args = v.s.hotReads.latestOf, append(args, int64(*q.Category))
		if q.OriginOnly {
			statement = v.s.hotReads.latestOriginsOf
		}
	}
	p, err := v.s.feedPage(ctx, statement, args, pageShapes[feed.Publication], q.Page)
	return page.Map(p, func(i feed.Item) publication.Publication { return i.Listable.(publication.Publication) }), err
}

// HowTos implements publication.HowTos.
type HowTos struct{ s *Store }

// HowTos returns the repository of imported how-tos.
func (s *Store) HowTos() HowTos { return HowTos{s} }

var _ publication.HowTos = HowTos{}

var howToTable = engine.Table[publication.HowTo]{Name: "howtos", Keys: 2, Columns: engine.Columns[publication.HowTo]{
	engine.Plain("category", func(h *publication.HowTo) *string { return &h.Category }),
	engine.Plain("robot_id", func(h *publication.HowTo) *int64 { return (*int64)(&h.Robot) }),
	engine.List("bundles", func(h *publication.HowTo) *[]publication.BundleID { return &h.Bundles }),
	engine.Instant("created", func(h *publication.HowTo) *time.Time { return &h.Created }),
	engine.Instant("updated", func(h *publication.HowTo) *time.Time { return &h.Updated }),
}}

// howToSteps read pages of how-tos, whose rows begin with the total: $1 size, $2 offset.
type howToSteps struct {
	allHowTos    string
	howTosInSome string // $3 categories
}

func newHowToSteps(d engine.Dialect) howToSteps {
	list := func(where string) string {
		return "SELECT (SELECT COUNT(*) FROM howtos" + where + "), " + howToTable.List() + " FROM howtos" + where +
			" ORDER BY created DESC, category, robot_id LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint)"
	}
	return howToSteps{list(""), list(" WHERE " + d.Among("category", "$3"))}
}

func (v HowTos) List(ctx context.Context, categories []string, r page.Request) (page.Page[publication.HowTo], error) {
	statement, args := v.s.steps.allHowTos, []any{int64(r.Size()), int64(r.Offset())}
	if len(categories) > 0 {
		statement, args = v.s.steps.howTosInSome, append(args, v.s.Dialect.ListOf(categories))
	}
	return engine.ReadPage(ctx, v.s.DB, r, statement, args, func(total *int) func(engine.Scanner) (publication.HowTo, error) {
		return func(scan engine.Scanner) (h publication.HowTo, err error) {
			err = scan(howToTable.Targets(&h, v.s.Dialect, total)...)
			return h, err
		}
	})
}
