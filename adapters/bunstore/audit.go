package bunstore

import (
	"cmp"
	"context"
	"math"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/audit"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/user"
)

// Audit implements audit.Log.
type Audit struct{ s *Store }

// Audit returns the log of audit records.
func (s *Store) Audit() Audit { return Audit{s} }

var _ audit.Log = Audit{}

// auditSteps are the statements that write and list audit records.
type auditSteps struct {
	addRecord string // $1 at, $2 staff, $3 person, $4 act, $5 object's kind, $6 object's id, $7 about
	addReason string // $1 reason; of the record that was just inserted
	auditList string // $1 before the id, $2 how many
	// auditAbout has $3 the person, too.
	auditAbout string
}

func newAuditSteps(d engine.Dialect) auditSteps {
	list := func(of string) string {
		return "SELECT r.id, r.at, r.by_user, r.by_person, r.act, r.object_kind, r.object_id, r.about, q.reason" +
			" FROM audit_records r LEFT JOIN audit_reasons q ON q.record_id = r.id" +
			" WHERE r.id < $1" + of + " ORDER BY r.id DESC LIMIT CAST($2 AS bigint)"
	}
	return auditSteps{
		addRecord: "INSERT INTO audit_records (at, by_user, by_person, act, object_kind, object_id, about)" +
			" VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id",
		addReason: "INSERT INTO audit_reasons (record_id, reason) VALUES (" + d.Newest("audit_records") + ", $1)",
		auditList: list(""), auditAbout: list(" AND r.about = $3"),
	}
}

// auditEntry returns the steps that write the record that the context carries, for the transaction that begins under it.
func (s *Store) auditEntry(ctx context.Context) *engine.Joining {
	entry := audit.Begin(ctx)
	if entry == nil {
		return nil
	}
	var id audit.ID
	return &engine.Joining{
		Last: func() ([]engine.Step, error) {
			r, err := entry.Record()
			if err != nil {
				return nil, err
			}
			return s.recordSteps(r, &id), nil
		},
		Ended: func(committed bool) {
			if !committed {
				id = 0
			}
			entry.End(id)
		},
	}
}

// recordSteps returns the steps that store the record and return its ID.
func (s *Store) recordSteps(r audit.Record, id *audit.ID) []engine.Step {
	var person any
	if r.By.Person != "" {
		person = r.By.Person
	}
	steps := []engine.Step{{Statement: s.steps.addRecord, Row: engine.Into((*int64)(id)), Args: []any{
		s.Dialect.Instant(instant.Normalise(r.At)), engine.NullIfZero(r.By.Staff), person, string(r.Act), string(r.Object.Kind), r.Object.ID,
		engine.NullIfZero(r.About),
	}}}
	if r.Reason != "" {
		steps = append(steps, engine.Step{Statement: s.steps.addReason, Args: []any{r.Reason}})
	}
	return steps
}

func (v Audit) Append(ctx context.Context, r audit.Record) (audit.Record, error) {
	r.At = instant.Normalise(r.At)
	err := v.s.writeAll(ctx, v.s.recordSteps(r, &r.ID))
	if err != nil {
		return audit.Record{}, err
	}
	return r, nil
}

func (v Audit) List(ctx context.Context, q audit.Query) (page.CursorPage[audit.Record], error) {
	statement, args := v.s.steps.auditList, []any{cmp.Or(q.After.ID, math.MaxInt64), int64(q.Size() + 1)}
	if q.About != 0 {
		statement, args = v.s.steps.auditAbout, append(args, int64(q.About))
	}
	rows, err := engine.ReadAll(ctx, v.s.DB, statement, args, func(scan engine.Scanner) (a audit.Record, err error) {
		err = scan((*int64)(&a.ID), engine.IntoTime{Into: &a.At}, engine.OrZeroNumber[user.ID]{Into: &a.By.Staff},
			engine.OrZeroText[string]{Into: &a.By.Person}, (*string)(&a.Act), (*string)(&a.Object.Kind), &a.Object.ID,
			engine.OrZeroNumber[user.ID]{Into: &a.About}, engine.OrZeroText[string]{Into: &a.Reason})
		return a, err
	})
	return page.UpTo(q.Size(), rows, audit.Record.Cursor), err
}
