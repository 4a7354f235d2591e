package feed

import (
	"cmp"
	"context"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// HowTos implements publication.HowTos.
type HowTos struct{ DB *engine.DB }

type HowToRow struct {
	bun.BaseModel `bun:"table:howtos,alias:h"`
	Category      string  `bun:",pk"`
	RobotID       user.ID `bun:",pk"`
	Bundles       []int64 `bun:",array"`
	Created       engine.Time
	Updated       engine.Time
	engine.PageRow
}

func (r HowToRow) HowTo() publication.HowTo {
	return publication.HowTo{
		Category: r.Category, Robot: r.RobotID, Created: r.Created.Time, Updated: r.Updated.Time,
		Bundles: engine.Mapped(r.Bundles, func(id int64) publication.BundleID { return publication.BundleID(id) }),
	}
}

// howTosOf finds the how-tos of the categories $1, or of all if $2 is true, created from $8 to $9: $3 of them after $4 behind the one
// created at $5 of the category $6 and the robot $7, the newest first, or the oldest if $10 is true, with their number.
var howTosOf = engine.Both(`
	SELECT COUNT(*) OVER () AS total, category, robot_id, bundles, created, updated FROM howtos
	WHERE ($2 OR category = ANY($1)) AND created >= $8 AND created < $9 AND (
		CASE WHEN $10 THEN created > $5 ELSE created < $5 END
		OR created = $5 AND (category, robot_id) > (CAST($6 AS text), CAST($7 AS bigint)))
	ORDER BY CASE WHEN $10 THEN created END, created DESC, category, robot_id
	LIMIT CAST($3 AS bigint) OFFSET CAST($4 AS bigint)`)

func (v HowTos) List(ctx context.Context, q publication.HowToQuery, r page.Request) (page.Page[publication.HowTo], error) {
	created, _, robot := engine.Behind(r)
	switch after := r.After(); {
	case q.IsOldestFirst && after == page.Cursor{}:
		created = engine.FarPast
	case q.IsOldestFirst:
		created = time.UnixMicro(-after.Rank).UTC()
	}
	rows, err := engine.PageOf(ctx, v.DB, r, page.Keys(q.Span, func(row HowToRow) page.Cursor { return row.HowTo().AtCursor() }),
		v.DB.Pick(howTosOf), q.Categories, len(q.Categories) == 0, r.Limit(), r.Offset(), created, r.After().Word, -robot,
		cmp.Or(q.From, engine.FarPast), cmp.Or(q.Until, engine.FarFuture), q.IsOldestFirst)
	return page.Map(rows, HowToRow.HowTo), err
}
