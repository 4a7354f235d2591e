package memory

import (
	"context"
	"slices"

	"plaza/domain/audit"
	"plaza/domain/instant"
	"plaza/domain/page"
	"plaza/domain/user"
)

type Audit view

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
	r.ByName, r.AboutName = s.nameOf(r.By.Staff), s.nameOf(r.About)
	s.audit = append(s.audit, r)
	return r
}

// nameOf returns the name of the user; empty: there is no such user, or they were erased.
func (s *Store) nameOf(id user.ID) string {
	if m := s.membersOf(id)[id]; m != nil {
		return m.FullName()
	}
	return ""
}

func (v Audit) Append(ctx context.Context, r audit.Record) (audit.Record, error) {
	return write(ctx, v.s, func() (audit.Record, error) { return v.s.record(r), nil })
}

func (v Audit) List(ctx context.Context, q audit.Query) (page.CursorPage[audit.Record], error) {
	return read(ctx, v.s, func() (page.CursorPage[audit.Record], error) {
		return upTo(q.CursorRequest, filter(slices.Values(v.s.audit), q.Admits), page.Keys(q.Span, audit.Record.Cursor)), nil
	})
}
