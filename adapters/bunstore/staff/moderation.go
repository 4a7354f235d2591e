package staff

import (
	"cmp"
	"context"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/diary"
	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/audit"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/user"
	"plaza/domain/userimage"
)

// Moderation implements moderation.Store.
type Moderation struct{ DB *engine.DB }

// reportRow is a report with the owner and the decision of its case.
type reportRow struct {
	bun.BaseModel `bun:"table:report_entries,alias:r"`
	ID            moderation.ReportID `bun:",pk"`
	AuthorID      user.ID
	Kind          moderation.Kind
	ObjectID      int64
	CaseID        moderation.CaseID
	Reason        moderation.Reason
	Content       string
	Created       engine.Time
	OwnerID       user.ID
	Decided       engine.Time
	Outcome       moderation.Outcome `bun:",nullzero"`
	engine.PageRow
}

func (r reportRow) report() moderation.Report {
	return moderation.Report{
		ID: r.ID, By: r.AuthorID, Thing: moderation.Thing{Kind: r.Kind, ID: r.ObjectID}, Owner: r.OwnerID, Case: r.CaseID, Reason: r.Reason,
		Text: r.Content, Created: r.Created.Time, Decided: r.Decided.Time, Outcome: r.Outcome,
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

// hideable is how things of a kind are hidden.
type hideable struct {
	pictures string // finds whether the thing $1 is hidden, and each of its pictures
	missing  error
	// turn hides or restores the thing, which it locks, and returns its owner.
	turn func(db *engine.DB, tx *engine.Tx, t moderation.Thing, isHidden bool, moves media.Moves) (owner user.ID, err error)
}

var hideables = map[moderation.Kind]hideable{
	moderation.Event: {
		`SELECT e.hidden, p.photo AS key FROM events e LEFT JOIN plates p ON p.event_id = e.id WHERE e.id = $1`,
		event.ErrNotFound, diary.TurnEvent,
	},
	moderation.Comment: {`SELECT hidden FROM comments WHERE id = $1`, event.ErrNoComment, diary.TurnComment},
	moderation.Image: {
		`SELECT hidden, key FROM images WHERE id = $1 AND deleted IS NULL`, userimage.ErrNotFound, diary.TurnImage,
	},
	moderation.Plate: {`SELECT hidden, photo AS key FROM plates WHERE id = $1`, event.ErrNoPlate, diary.TurnPlate},
	moderation.Profile: {
		`SELECT h.user_id IS NOT NULL AS hidden, COALESCE(h.avatar, u.avatar) AS cover
		FROM users u LEFT JOIN hidden_profiles h ON h.user_id = u.id
		WHERE u.id = $1 AND u.phone NOT LIKE 'erased-%'`, user.ErrNotFound,
		func(_ *engine.DB, tx *engine.Tx, t moderation.Thing, isHidden bool, moves media.Moves) (user.ID, error) {
			tx.Lock(feedstore.RecordsLock) // imports change names
			return people.TurnProfile(tx, user.ID(t.ID), isHidden, moves)
		},
	},
	moderation.Publication: {
		`SELECT hidden, key FROM moving_covers WHERE kind = 'publication' AND id = $1`,
		feed.ErrNoItem, feedstore.Turn[feedstore.PublicationRow],
	},
	moderation.Node: {
		`SELECT hidden, key FROM moving_covers WHERE kind = 'node' AND id = $1`, feed.ErrNoItem, feedstore.Turn[feedstore.NodeRow],
	},
	moderation.Demand: {
		`SELECT hidden, key FROM moving_covers WHERE kind = 'demand' AND id = $1`, feed.ErrNoItem, feedstore.Turn[feedstore.DemandRow],
	},
}

// hideablePicture is a row of hideable.pictures. Without a picture it has no key.
type hideablePicture struct {
	Hidden bool
	Key    media.Key `bun:",nullzero"`
	Cover  engine.Cover
}

// ofPicture finds what has the picture $1. The bytes that count tell whose it is. Hidden images have an index of their own.
const ofPicture = `
	SELECT 'plate' AS kind, p.id FROM pictures k
		JOIN events e ON e.author_id = k.owner_id JOIN plates p ON p.event_id = e.id AND p.photo = k.key WHERE k.key = $1
	UNION ALL SELECT 'image', i.id FROM pictures k
		JOIN images i ON i.owner_id = k.owner_id AND i.key = k.key AND i.deleted IS NULL AND NOT i.hidden WHERE k.key = $1
	UNION ALL SELECT 'image', i.id FROM pictures k
		JOIN images i ON i.owner_id = k.owner_id AND i.key = k.key AND i.deleted IS NULL AND i.hidden WHERE k.key = $1
	UNION ALL SELECT 'profile', u.id FROM pictures k
		JOIN users u ON u.id = k.owner_id LEFT JOIN hidden_profiles h ON h.user_id = u.id
		WHERE k.key = $1 AND COALESCE(h.avatar, u.avatar) ->> 'key' = k.key`

func (v Moderation) OfPicture(ctx context.Context, key media.Key) (moderation.Thing, error) {
	return engine.One[moderation.Thing](ctx, v.DB, moderation.ErrNoPicture, ofPicture, key)
}

func (v Moderation) Pictures(ctx context.Context, t moderation.Thing) (keys []media.Key, isHidden bool, err error) {
	of, is := hideables[t.Kind]
	if !is {
		return nil, false, cmp.Or(ctx.Err(), error(event.ErrNotFound))
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
	owner, err := of.turn(v.DB, tx, t, isHidden, moves)
	if err == nil {
		audit.Made(tx.Context(), audit.Numbered(audit.Kind(t.Kind), t.ID), owner)
	}
	return owner, err
}

func (v Moderation) Hide(ctx context.Context, h moderation.Hiding, to media.Moves) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) (err error) {
		if h.Owner, err = v.turn(tx, h.Thing, true, to); err != nil {
			return err
		}
		tx.Queue("INSERT INTO hidden_things (kind, object_id, owner_id, reason, hidden_at) VALUES ($1, $2, $3, $4, $5)",
			h.Kind, h.ID, h.Owner, h.Reason, h.At)
		return people.DecideCase(tx, h.Thing, moderation.DecisionBy(ctx, moderation.OutcomeHidden, h.At), notification.OfHiding(h))
	})
}

func (v Moderation) Restore(ctx context.Context, t moderation.Thing, to media.Moves) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		if _, err := v.turn(tx, t, false, to); err != nil {
			return err
		}
		var row hiddenRow
		err := tx.NewDelete().Model(&row).Where("kind = ? AND object_id = ?", t.Kind, t.ID).Returning("*").Scan(tx.Context())
		if err == nil {
			people.Notify(tx, notification.OfRestoring(row.hiding(), moderation.DecisionBy(ctx, "", time.Time{})))
		}
		return engine.OrNotFound(err, moderation.ErrNoHiding)
	})
}

func (v Moderation) Of(ctx context.Context, owner user.ID, s page.Span, r page.Request) (page.Page[moderation.Hiding], error) {
	order := engine.Order[hiddenRow]{
		By:     "hidden_at DESC, kind, object_id",
		Behind: "hidden_at < ? OR hidden_at = ? AND (kind, object_id) > (?, ?)",
		Key:    page.Keys(s, func(r hiddenRow) page.Cursor { return r.hiding().AtCursor() }),
		Values: func(c page.Cursor) []any {
			at := v.DB.Dialect.Instant(time.UnixMicro(s.Usual(c).Rank).UTC())
			return []any{at, at, c.Word, -c.ID}
		},
	}
	if s.IsOldestFirst {
		order.By, order.Behind = "hidden_at, kind, object_id", "hidden_at > ? OR hidden_at = ? AND (kind, object_id) > (?, ?)"
	}
	p, err := engine.ListPage[hiddenRow](ctx, v.DB, r, func(query *bun.SelectQuery) *bun.SelectQuery {
		return engine.Within(query.Where("owner_id = ?", owner), "hidden_at", s)
	}, order)
	return page.Map(p, hiddenRow.hiding), err
}
