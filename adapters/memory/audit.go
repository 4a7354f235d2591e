package memory

import (
	"context"
	"slices"

	"plaza/domain/audit"
	"plaza/domain/instant"
	"plaza/domain/page"
)

// Audit is the store as audit.Log.
type Audit struct{ s *Store }

// Audit returns the store's audit records.
func (s *Store) Audit() Audit { return Audit{s} }

var _ audit.Log = Audit{}

// audited runs fn, which changes the store, and adds the record of the entry if it succeeds.
func audited[T any](s *Store, entry *audit.Entry, fn func() (T, error)) (result T, err error) {
	var id audit.ID
	defer func() { entry.End(id) }()
	if _, err := entry.Record(); err != nil { // nothing is changed that could not be undone
		return result, err
	}
	if result, err = fn(); err != nil {
		return result, err
	}
	r, err := entry.Record() // with what fn has made
	id = s.record(r).ID
	return result, err
}

func (s *Store) record(r audit.Record) audit.Record {
	r.ID, r.At = audit.ID(s.numbers.audit.next()), instant.Normalise(r.At)
	s.audit = append(s.audit, r)
	return r
}

func (v Audit) Append(ctx context.Context, r audit.Record) (audit.Record, error) {
	return write(ctx, v.s, func() (audit.Record, error) { return v.s.record(r), nil })
}

func (v Audit) List(ctx context.Context, q audit.Query) (page.CursorPage[audit.Record], error) {
	return read(ctx, v.s, func() (page.CursorPage[audit.Record], error) {
		all := slices.DeleteFunc(slices.Clone(v.s.audit), func(a audit.Record) bool {
			return q.After.ID != 0 && int64(a.ID) >= q.After.ID || q.About != 0 && a.About != q.About ||
				q.Acts != nil && !slices.Contains(q.Acts, a.Act)
		})
		slices.Reverse(all)
		return page.UpTo(q.Size(), all, audit.Record.Cursor), nil
	})
}
