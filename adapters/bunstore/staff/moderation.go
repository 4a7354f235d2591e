package staff

import (
	"cmp"
	"context"
	"math"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/diary"
	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/audit"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/instant"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Moderation implements moderation.Store.
type Moderation struct{ DB *engine.DB }

type reportRow struct {
	bun.BaseModel `bun:"table:reports,alias:r"`
	ID            moderation.ReportID `bun:",pk,autoincrement"`
	AuthorID      user.ID
	Kind          moderation.Kind
	ObjectID      int64
	OwnerID       user.ID
	Reason        moderation.Reason
	Content       string
	Created       engine.Time
	Decided       engine.Time
}

func (r reportRow) report() moderation.Report {
	return moderation.Report{
		ID: r.ID, By: r.AuthorID, Thing: moderation.Thing{Kind: r.Kind, ID: r.ObjectID}, Owner: r.OwnerID, Reason: r.Reason,
		Text: r.Content, Created: r.Created.Time, Decided: r.Decided.Time,
	}
}

type hiddenRow struct {
	bun.BaseModel `bun:"table:hidden_things,alias:h"`
	Kind          moderation.Kind `bun:",pk"`
	ObjectID      int64           `bun:",pk"`
	OwnerID       user.ID
	Reason        string
	HiddenAt      engine.Time
	engine.PageRow
}

func (r hiddenRow) hiding() moderation.Hiding {
	return moderation.Hiding{
		Thing: moderation.Thing{Kind: r.Kind, ID: r.ObjectID}, Owner: r.OwnerID, Reason: r.Reason, At: r.HiddenAt.Time,
	}
}

const (
	// insertReport adds the report of the user $1, unless there is one: $2 kind, $3 number and $4 owner of the thing, $5 reason, $6
	// words, $7 created.
	insertReport = `
		INSERT INTO reports (author_id, kind, object_id, owner_id, reason, content, created) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT DO NOTHING
		RETURNING TRUE`

	// reportOf finds the report of the user $1 of the thing $2 $3.
	reportOf = `
		SELECT id, author_id, kind, object_id, owner_id, reason, content, created, decided FROM reports
		WHERE author_id = $1 AND kind = $2 AND object_id = $3`
)

// Report inserts the report, or finds the one that is in its way: a report is never deleted but with a person's data.
func (v Moderation) Report(
	ctx context.Context, r moderation.Report, charges ...ratelimit.Charge,
) (stored moderation.Report, isNew bool, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		isNew = false
		people.ChargeAll(tx, charges)
		tx.Queue(insertReport, r.By, r.Kind, r.Thing.ID, r.Owner, r.Reason, r.Text, r.Created).Into(&isNew)
		engine.Found(tx, tx.Queue(reportOf, r.By, r.Kind, r.Thing.ID), func(row *reportRow) error {
			stored = row.report()
			return nil
		})
		return tx.Send()
	})
	return stored, isNew, err
}

// reportedColumns has what a report r is about.
const reportedColumns = `
	(SELECT COUNT(*) FROM hidden_things h WHERE h.kind = r.kind AND h.object_id = r.object_id) > 0 AS is_hidden,
	CASE r.kind
		WHEN 'event' THEN (SELECT e.title FROM events e WHERE e.id = r.object_id)
		WHEN 'publication' THEN (SELECT p.title FROM publications p WHERE p.id = r.object_id)
		WHEN 'node' THEN (SELECT n.title FROM nodes n WHERE n.id = r.object_id)
		WHEN 'demand' THEN (SELECT d.title FROM demands d WHERE d.id = r.object_id) END AS title,
	CASE r.kind
		WHEN 'event' THEN (SELECT e.content FROM events e WHERE e.id = r.object_id)
		WHEN 'comment' THEN (SELECT c.content FROM comments c WHERE c.id = r.object_id)
		WHEN 'publication' THEN (SELECT p.summary FROM publications p WHERE p.id = r.object_id)
		WHEN 'node' THEN (SELECT n.summary FROM nodes n WHERE n.id = r.object_id)
		WHEN 'demand' THEN (SELECT d.description FROM demands d WHERE d.id = r.object_id) END AS shown,
	CASE r.kind WHEN 'comment' THEN (SELECT c.event_id FROM comments c WHERE c.id = r.object_id) END AS event_id,
	CASE r.kind WHEN 'image' THEN (SELECT i.key FROM images i WHERE i.id = r.object_id AND i.deleted IS NULL) END AS image`

// reportedRow is a report with reportedColumns. What is NULL is of another kind, or deleted.
type reportedRow struct {
	reportRow `bun:",extend"`
	IsHidden  bool     `bun:",scanonly"`
	Title     *string  `bun:",scanonly"`
	Shown     *string  `bun:",scanonly"`
	EventID   event.ID `bun:",scanonly,nullzero"`
	Image     *string  `bun:",scanonly"`
}

func (r reportedRow) reported() moderation.Reported {
	all := moderation.Reported{Report: r.report()}
	if r.Kind == moderation.Person || r.Title != nil || r.Shown != nil || r.Image != nil {
		text := func(of *string) string { return *cmp.Or(of, new(string)) }
		all.Subject = &moderation.Subject{
			IsHidden: r.IsHidden, Title: text(r.Title), Content: text(r.Shown), Event: int64(r.EventID), Image: media.Key(text(r.Image)),
		}
	}
	return all
}

func (v Moderation) Reports(ctx context.Context, q moderation.Query) (page.CursorPage[moderation.Reported], error) {
	rows, err := engine.SelectAll[reportedRow](ctx, v.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		if q.IsDecided {
			query = query.Where("r.decided IS NOT NULL")
		} else {
			query = query.Where("r.decided IS NULL")
		}
		return query.ColumnExpr("?TableColumns").ColumnExpr(reportedColumns).Where("r.id < ?", cmp.Or(q.After.ID, math.MaxInt64)).
			OrderExpr("r.id DESC").Limit(int64(q.Size() + 1))
	})
	reports := engine.Mapped(rows, reportedRow.reported)
	return page.UpTo(q.Size(), reports, func(r moderation.Reported) page.Cursor { return r.AtCursor() }), err
}

func (v Moderation) Decide(ctx context.Context, id moderation.ReportID, then time.Time) (decided moderation.Report, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		ctx := tx.Context()
		var row reportRow
		err := v.DB.Selecting(tx).Model(&row).Where("id = ?", id).Scan(ctx)
		switch {
		case err != nil:
			return engine.OrNotFound(err, moderation.ErrNoReport)
		case row.report().IsDecided():
			return moderation.ErrDecided
		}
		audit.Made(ctx, audit.Numbered(audit.Report, id), row.OwnerID)
		row.Decided = engine.At(instant.Normalise(then))
		decided = row.report()
		_, err = tx.NewUpdate().Model(&row).Column("decided").WherePK().Exec(ctx)
		return err
	})
	return decided, err
}

// hideable is how things of a kind are hidden.
type hideable struct {
	pictures string // finds whether the thing $1 is hidden, and each of its pictures
	missing  error
	// turn hides or restores the thing, which it locks, and returns its owner.
	turn func(v Moderation, tx *engine.Tx, id int64, isHidden bool, moves media.Moves) (owner user.ID, err error)
}

var hideables = map[moderation.Kind]hideable{
	moderation.Event: {
		`SELECT e.hidden, p.photo AS key FROM events e LEFT JOIN plates p ON p.event_id = e.id WHERE e.id = $1`, event.ErrNotFound,
		func(v Moderation, tx *engine.Tx, id int64, isHidden bool, moves media.Moves) (user.ID, error) {
			return diary.Events{DB: v.DB}.Turn(tx, event.ID(id), 0, isHidden, moves)
		},
	},
	moderation.Comment: {
		`SELECT hidden FROM comments WHERE id = $1`, event.ErrNoComment,
		func(_ Moderation, tx *engine.Tx, id int64, isHidden bool, _ media.Moves) (user.ID, error) {
			return diary.TurnComment(tx, event.CommentID(id), isHidden)
		},
	},
	moderation.Image: {
		`SELECT hidden, key FROM images WHERE id = $1 AND deleted IS NULL`, userimage.ErrNotFound,
		func(_ Moderation, tx *engine.Tx, id int64, isHidden bool, moves media.Moves) (user.ID, error) {
			return diary.TurnImage(tx, userimage.ID(id), isHidden, moves)
		},
	},
	moderation.Plate: {
		`SELECT hidden, photo AS key FROM plates WHERE id = $1`, event.ErrNoPlate,
		func(v Moderation, tx *engine.Tx, id int64, isHidden bool, moves media.Moves) (user.ID, error) {
			return diary.Events{DB: v.DB}.TurnPlate(tx, event.PlateID(id), isHidden, moves)
		},
	},
	moderation.Profile: {
		`SELECT h.user_id IS NOT NULL AS hidden, COALESCE(h.avatar, u.avatar) AS cover
		FROM users u LEFT JOIN hidden_profiles h ON h.user_id = u.id
		WHERE u.id = $1 AND u.phone NOT LIKE 'erased-%'`, user.ErrNotFound,
		func(_ Moderation, tx *engine.Tx, id int64, isHidden bool, moves media.Moves) (user.ID, error) {
			tx.Lock(feedstore.RecordsLock) // imports change names
			return people.TurnProfile(tx, user.ID(id), isHidden, moves)
		},
	},
	moderation.Publication: {`SELECT hidden, key FROM moving_covers WHERE kind = 'publication' AND id = $1`, feed.ErrNoItem, turnRecord(feed.Publication)},
	moderation.Node:        {`SELECT hidden, key FROM moving_covers WHERE kind = 'node' AND id = $1`, feed.ErrNoItem, turnRecord(feed.Node)},
	moderation.Demand:      {`SELECT hidden, key FROM moving_covers WHERE kind = 'demand' AND id = $1`, feed.ErrNoItem, turnRecord(feed.Demand)},
}

func turnRecord(kind feed.Kind) func(Moderation, *engine.Tx, int64, bool, media.Moves) (user.ID, error) {
	return func(v Moderation, tx *engine.Tx, id int64, isHidden bool, moves media.Moves) (user.ID, error) {
		return feedstore.Turn(v.DB, tx, kind, id, isHidden, moves)
	}
}

// hideablePicture is a row of hideable.pictures. Without a picture it has no key.
type hideablePicture struct {
	Hidden bool
	Key    media.Key `bun:",nullzero"`
	Cover  engine.Cover
}

func (v Moderation) Pictures(ctx context.Context, t moderation.Thing) (keys []media.Key, isHidden bool, err error) {
	of, is := hideables[t.Kind]
	if !is {
		return nil, false, event.ErrNotFound
	}
	rows, err := engine.All[hideablePicture](ctx, v.DB, of.pictures, t.ID)
	if err == nil && len(rows) == 0 {
		err = of.missing
	}
	for _, row := range rows {
		isHidden, keys = row.Hidden, append(keys, media.Picture(row.Cover).Keys()...)
		if row.Key != "" {
			keys = append(keys, row.Key)
		}
	}
	return keys, isHidden, err
}

// turn hides or restores the thing, and returns its owner.
func (v Moderation) turn(tx *engine.Tx, t moderation.Thing, isHidden bool, moves media.Moves) (user.ID, error) {
	of, is := hideables[t.Kind]
	if !is {
		return 0, event.ErrNotFound
	}
	owner, err := of.turn(v, tx, t.ID, isHidden, moves)
	if err == nil {
		audit.Made(tx.Context(), audit.Numbered(audit.Kind(t.Kind), t.ID), owner)
	}
	return owner, err
}

func (v Moderation) Hide(ctx context.Context, h moderation.Hiding, to media.Moves) (moderation.Hiding, error) {
	err := v.DB.Write(ctx, func(tx *engine.Tx) (err error) {
		if h.Owner, err = v.turn(tx, h.Thing, true, to); err != nil {
			return err
		}
		tx.Queue("INSERT INTO hidden_things (kind, object_id, owner_id, reason, hidden_at) VALUES ($1, $2, $3, $4, $5)",
			h.Kind, h.ID, h.Owner, h.Reason, h.At)
		tx.Queue("UPDATE reports SET decided = $3 WHERE kind = $1 AND object_id = $2 AND decided IS NULL", h.Kind, h.ID, h.At)
		return nil
	})
	return h, err
}

func (v Moderation) Restore(ctx context.Context, t moderation.Thing, to media.Moves) (undone moderation.Hiding, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		if _, err := v.turn(tx, t, false, to); err != nil {
			return err
		}
		var row hiddenRow
		err := tx.NewDelete().Model(&row).Where("kind = ? AND object_id = ?", t.Kind, t.ID).Returning("*").Scan(tx.Context())
		undone = row.hiding()
		return engine.OrNotFound(err, moderation.ErrNoHiding)
	})
	return undone, err
}

func (v Moderation) Of(ctx context.Context, owner user.ID, r page.Request) (page.Page[moderation.Hiding], error) {
	p, err := engine.ListPage[hiddenRow](ctx, v.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		return query.Where("owner_id = ?", owner)
	}, engine.Order[hiddenRow]{
		By:     "hidden_at DESC, kind, object_id",
		Behind: "hidden_at < ? OR hidden_at = ? AND (kind, object_id) > (?, ?)",
		Key:    func(r hiddenRow) page.Cursor { return r.hiding().AtCursor() },
		Values: func(c page.Cursor) []any {
			at := v.DB.Dialect.Instant(time.UnixMicro(c.Rank).UTC())
			return []any{at, at, c.Word, -c.ID}
		},
	})
	return page.Map(p, hiddenRow.hiding), err
}
