package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// HowTos implements publication.HowTos.
type HowTos struct{ s *Store }

// HowTos returns the repository of imported how-tos.
func (s *Store) HowTos() HowTos { return HowTos{s} }

type howToRow struct {
	bun.BaseModel `bun:"table:howtos,alias:h"`
	Category      string  `bun:",pk"`
	RobotID       user.ID `bun:",pk"`
	Bundles       []int64 `bun:",array"`
	Created       engine.Time
	Updated       engine.Time
	engine.PageRow
}

func (r howToRow) howTo() publication.HowTo {
	return publication.HowTo{
		Category: r.Category, Robot: r.RobotID, Created: r.Created.Time, Updated: r.Updated.Time,
		Bundles: engine.Mapped(r.Bundles, func(id int64) publication.BundleID { return publication.BundleID(id) }),
	}
}

func (v HowTos) List(ctx context.Context, categories []string, r page.Request) (page.Page[publication.HowTo], error) {
	rows, err := engine.ListPage[howToRow](ctx, v.s.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		if len(categories) == 0 {
			return query
		}
		return query.Where("h.category IN (?)", bun.List(categories))
	}, "h.created DESC, h.category, h.robot_id")
	return page.Map(rows, howToRow.howTo), err
}
