// Package staff stores what staff do and see: hidden things and reports, audit records, figures, and the personal data of an
// account.
package staff

import (
	"context"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
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
	ByName        string  `bun:",scanonly,nullzero"`
	AboutName     string  `bun:",scanonly,nullzero"`
	engine.PageRow
}

func (r auditRow) record() audit.Record {
	return audit.Record{
		ID: r.ID, At: r.At.Time, By: audit.Actor{Staff: r.ByUser, Person: r.ByPerson}, Act: r.Act,
		Object: audit.Object{Kind: r.ObjectKind, ID: r.ObjectID}, About: r.About, Reason: r.Reason, ByName: r.ByName, AboutName: r.AboutName,
	}
}

// namesThen finds the names of the users $1 and $2.
const namesThen = `SELECT id AS member_id, firstname, lastname FROM users WHERE id IN ($1, $2) AND phone NOT LIKE 'erased-%'`

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
	var r audit.Record
	return &engine.Joining{
		Last: func(tx *engine.Tx) (err error) {
			if r, err = entry.Record(); err != nil {
				return err
			}
			return insertAudit(tx, &r)
		},
		Ended: func(committed bool) {
			if !committed {
				r.ID = 0
			}
			entry.End(r.ID)
		},
	}
}

// insertAudit stores the record, with the names of then, and sets its ID.
func insertAudit(tx *engine.Tx, r *audit.Record) error {
	r.ByName, r.AboutName = "", ""
	tx.Queue(insertRecord, instant.Normalise(r.At), engine.NullIfZero(r.By.Staff), engine.NullIfZero(r.By.Person), r.Act, r.Object.Kind,
		r.Object.ID, engine.NullIfZero(r.About)).Into((*int64)(&r.ID))
	engine.Found(tx, tx.Queue(namesThen, r.By.Staff, r.About), func(row *people.MemberRow) error {
		if row.MemberID == r.By.Staff {
			r.ByName = row.Member().FullName()
		}
		if row.MemberID == r.About {
			r.AboutName = row.Member().FullName()
		}
		return nil
	})
	if err := tx.Send(); err != nil {
		return err
	}
	if r.Reason+r.ByName+r.AboutName != "" {
		tx.Queue("INSERT INTO audit_reasons (record_id, reason, by_name, about_name) VALUES ($1, $2, $3, $4)",
			r.ID, r.Reason, r.ByName, r.AboutName)
	}
	return nil
}

func (v Audit) Append(ctx context.Context, r audit.Record) (audit.Record, error) {
	r.At = instant.Normalise(r.At)
	err := v.DB.Write(ctx, func(tx *engine.Tx) error { return insertAudit(tx, &r) })
	return r, err
}

func (v Audit) List(ctx context.Context, q audit.Query) (page.CursorPage[audit.Record], error) {
	var named auditRow
	if q.By.Person != "" { // staff may type anything, which bun would write into a text
		var err error
		named, err = engine.One[auditRow](ctx, v.DB, nil, "SELECT id FROM audit_records WHERE by_person = $1 LIMIT 1", q.By.Person)
		if err != nil || named.ID == 0 {
			return page.CursorPage[audit.Record]{}, err
		}
	}
	order := engine.Latest(v.DB, q.Span, "r.at", "r.id", func(r auditRow) page.Cursor { return r.record().Cursor() })
	p, err := engine.ListPage[auditRow](ctx, v.DB, q.Paged(), func(query *bun.SelectQuery) *bun.SelectQuery {
		query = query.ColumnExpr("q.reason, q.by_name, q.about_name").Join("LEFT JOIN audit_reasons AS q ON q.record_id = r.id")
		if q.Acts != nil {
			query = query.Where("r.act IN (?)", bun.List(q.Acts))
		}
		if named.ID != 0 {
			query = query.Where("r.by_person = (SELECT n.by_person FROM audit_records n WHERE n.id = ?)", named.ID)
		}
		query = engine.WhereSet(query, "r.by_user", q.By.Staff)
		return engine.Within(engine.WhereSet(query, "r.about", q.About), "r.at", q.Span)
	}, order)
	return page.CursorPage[audit.Record]{Items: engine.Mapped(p.Items, auditRow.record), Next: p.Next}, err
}
