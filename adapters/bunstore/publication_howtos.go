package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// HowTos implements publication.HowTos.
type HowTos struct{ s *Store }

// HowTos returns the repository of imported how-tos.
func (s *Store) HowTos() HowTos { return HowTos{s} }

var _ publication.HowTos = HowTos{}

type howToRow struct {
	bun.BaseModel `bun:"table:howtos,alias:h"`
	Category      string                 `bun:",pk"`
	RobotID       user.ID                `bun:",pk"`
	Bundles       []publication.BundleID `bun:",array"`
	Created       dbTime
	Updated       dbTime
	counted
}

func (r howToRow) howTo() publication.HowTo {
	return publication.HowTo{
		Category: r.Category, Robot: r.RobotID, Bundles: r.Bundles, Created: r.Created.Time, Updated: r.Updated.Time,
	}
}

func (v HowTos) List(ctx context.Context, categories []string, r page.Request) (page.Page[publication.HowTo], error) {
	wanted := func(q *bun.SelectQuery) *bun.SelectQuery {
		if len(categories) > 0 {
			q = q.Where("category IN (?)", bun.List(categories))
		}
		return q
	}
	p, err := listPage[howToRow](ctx, v.s, r, wanted, "created DESC, category, robot_id")
	return page.Map(p, howToRow.howTo), err
}
