package bunstore

import (
	"context"
	"time"

	"plaza/domain/page"
	"plaza/domain/publication"
)

// HowTos implements publication.HowTos.
type HowTos struct{ s *Store }

// HowTos returns the repository of imported how-tos.
func (s *Store) HowTos() HowTos { return HowTos{s} }

var _ publication.HowTos = HowTos{}

var howToTable = table[publication.HowTo]{"howtos", 2, columns[publication.HowTo]{
	plain("category", func(h *publication.HowTo) *string { return &h.Category }),
	plain("robot_id", func(h *publication.HowTo) *int64 { return (*int64)(&h.Robot) }),
	list("bundles", func(h *publication.HowTo) *[]publication.BundleID { return &h.Bundles }),
	moment("created", func(h *publication.HowTo) *time.Time { return &h.Created }),
	moment("updated", func(h *publication.HowTo) *time.Time { return &h.Updated }),
}}

// howToSteps read pages of how-tos, whose rows begin with the total: $1 size, $2 offset.
type howToSteps struct {
	allHowTos    string
	howTosInSome string // $3 categories
}

func newHowToSteps(d dialect) howToSteps {
	list := func(where string) string {
		return "SELECT (SELECT COUNT(*) FROM howtos" + where + "), " + howToTable.list() + " FROM howtos" + where +
			" ORDER BY created DESC, category, robot_id LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint)"
	}
	return howToSteps{list(""), list(" WHERE " + d.among("category", "$3"))}
}

func (v HowTos) List(ctx context.Context, categories []string, r page.Request) (page.Page[publication.HowTo], error) {
	statement, args := v.s.sql.allHowTos, []any{int64(r.Size()), int64(r.Offset())}
	if len(categories) > 0 {
		statement, args = v.s.sql.howTosInSome, append(args, v.s.dialect.listOf(categories))
	}
	return readPage(ctx, v.s, r, statement, args, func(total *int) func(scanner) (publication.HowTo, error) {
		return func(scan scanner) (h publication.HowTo, err error) {
			err = scan(howToTable.targets(&h, v.s.dialect, total)...)
			return h, err
		}
	})
}
