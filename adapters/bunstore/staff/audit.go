// Package staff stores what staff do and see: hidden things and reports, audit records, figures, and the personal data of an
// account.
package staff

import (
	"cmp"
	"context"
	"math"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/audit"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/user"
)

// Audit implements audit.Log.
type Audit struct{ DB *engine.DB }

// auditRow is an audit record. Its reason is in a table of its own.
type auditRow struct {
	bun.BaseModel `bun:"table:audit_records,alias:r"`
	ID            audit.ID `bun:",pk,autoincrement"`
	At            engine.Time
	ByUser        user.ID `bun:",nullzero"`
	ByPerson      string  `bun:",nullzero"`
	Act           audit.Act
	ObjectKind    audit.Kind
	ObjectID      string
	About         user.ID `bun:",nullzero"`
	Reason        string  `bun:",scanonly,nullzero"`
}

func (r auditRow) record() audit.Record {
	return audit.Record{
		ID: r.ID, At: r.At.Time, By: audit.Actor{Staff: r.ByUser, Person: r.ByPerson}, Act: r.Act,
		Object: audit.Object{Kind: r.ObjectKind, ID: r.ObjectID}, About: r.About, Reason: r.Reason,
	}
}

// insertRecord stores that the member of staff $2, or the person $3 at the command line, did $4 at $1 to the object $5 $6,
// which concerns the user $7.
const insertRecord = `
	INSERT INTO audit_records (at, by_user, by_person, act, object_kind, object_id, about)
	VALUES ($1, $2, $3, $4, $5, $6, $7)
	RETURNING id`

// AuditEntry returns what stores the record that the context carries, for the transaction that begins under it.
func AuditEntry(ctx context.Context) *engine.Joining {
	entry := audit.Begin(ctx)
	if entry == nil {
		return nil
	}
	var id audit.ID
	return &engine.Joining{
		Last: func(tx *engine.Tx) error {
			r, err := entry.Record()
			if err != nil {
				return err
			}
			return insertAudit(tx, r, &id)
		},
		Ended: func(committed bool) {
			if !committed {
				id = 0
			}
			entry.End(id)
		},
	}
}

// insertAudit stores the record and sets its ID.
func insertAudit(tx *engine.Tx, r audit.Record, id *audit.ID) error {
	tx.Queue(insertRecord, instant.Normalise(r.At), engine.NullIfZero(r.By.Staff), engine.NullIfEmpty(r.By.Person), r.Act, r.Object.Kind,
		r.Object.ID, engine.NullIfZero(r.About)).Into((*int64)(id))
	if r.Reason == "" {
		return nil
	}
	if err := tx.Send(); err != nil {
		return err
	}
	tx.Queue("INSERT INTO audit_reasons (record_id, reason) VALUES ($1, $2)", *id, r.Reason)
	return nil
}

func (v Audit) Append(ctx context.Context, r audit.Record) (audit.Record, error) {
	r.At = instant.Normalise(r.At)
	err := v.DB.Write(ctx, func(tx *engine.Tx) error { return insertAudit(tx, r, &r.ID) })
	return r, err
}

func (v Audit) List(ctx context.Context, q audit.Query) (page.CursorPage[audit.Record], error) {
	rows, err := engine.SelectAll[auditRow](ctx, v.DB, func(query *bun.SelectQuery) *bun.SelectQuery {
		query = query.ColumnExpr("r.id, r.at, r.by_user, r.by_person, r.act, r.object_kind, r.object_id, r.about, q.reason").
			Join("LEFT JOIN audit_reasons AS q ON q.record_id = r.id").
			Where("r.id < ?", cmp.Or(q.After.ID, math.MaxInt64))
		if q.Acts != nil {
			query = query.Where("r.act IN (?)", bun.List(q.Acts))
		}
		return engine.WhereSet(query, "r.about", q.About).OrderExpr("r.id DESC").Limit(int64(q.Size() + 1))
	})
	return page.UpTo(q.Size(), engine.Mapped(rows, auditRow.record), audit.Record.Cursor), err
}
