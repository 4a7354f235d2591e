package audit

import (
	"context"
	"errors"
	"sync"

	"plaza/domain/fault"
	"plaza/domain/text"
	"plaza/domain/user"
)

// ErrReading reports that a caller changed or copied stored data under a context of Reading.
var ErrReading = errors.New("stored data is changed or copied without an act: no audit record would tell of it")

// carried is the record of a context, and what became of it.
type carried struct {
	isReading bool

	mu      sync.Mutex
	record  Record // its ID is zero until it is stored
	made    Object // what the act made
	about   user.ID
	isTaken bool
}

type contextKey struct{}

// With returns a context that carries the record. A store writes it with the first change under the context.
func With(ctx context.Context, r Record) context.Context {
	return context.WithValue(ctx, contextKey{}, &carried{record: r})
}

// Without returns a context that carries no record. What a caller changes under it does not count as the act.
func Without(ctx context.Context) context.Context {
	return context.WithValue(ctx, contextKey{}, (*carried)(nil))
}

// Reading returns a context for callers that only read. Under it a store refuses changes.
func Reading(ctx context.Context) context.Context {
	return context.WithValue(ctx, contextKey{}, &carried{isReading: true})
}

func carriedBy(ctx context.Context) *carried {
	c, _ := ctx.Value(contextKey{}).(*carried)
	return c
}

// CheckCopy returns ErrReading under a context of Reading. A use case that copies stored data out of a store calls it first.
func CheckCopy(ctx context.Context) error {
	if c := carriedBy(ctx); c != nil && c.isReading {
		return ErrReading
	}
	return nil
}

// Made completes the record that the context carries, if it is about an object of the kind, or of any kind, without an ID:
// that is the object that the act makes, or finds. A store calls it in the transaction of the act. about is the person whom
// the object belongs to.
func Made(ctx context.Context, o Object, about user.ID) {
	c := carriedBy(ctx)
	if c == nil || c.isReading {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if of := c.record.Object; c.record.ID == 0 && of.ID == "" && (of.Kind == "" || of.Kind == o.Kind) {
		c.made, c.about = o, about
	}
}

// Carried returns the record that the context carries, as far as it is known. Its ID is zero until it is stored, and all of it without
// one.
func Carried(ctx context.Context) Record {
	c := carriedBy(ctx)
	if c == nil {
		return Record{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.record
}

// Because adds the reason to the record that the context carries. A use case calls it before it changes anything.
func Because(ctx context.Context, reason string) {
	if c := carriedBy(ctx); c != nil && !c.isReading {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.record.Reason = reason
	}
}

// ReasonLimit bounds the reason of an act of staff, which is required.
var ReasonLimit = text.Limit{Chars: 500}

// CheckReason puts the reason of an act into its stored form, and adds it to the record that the context carries. It returns the
// faults of the reason and readErr together.
func CheckReason(ctx context.Context, reason *string, readErr error) error {
	var wrong fault.Fields
	wrong.Add("reason", ReasonLimit.RequiredLine(reason))
	Because(ctx, *reason)
	return fault.Merge(readErr, wrong.Err())
}

// Complete appends the record that the context carries to the log, unless a store has written it.
func Complete(ctx context.Context, log Log) error {
	e := Begin(ctx)
	if e == nil {
		return nil
	}
	r, err := e.Record()
	if err == nil {
		r, err = log.Append(Without(ctx), r)
	}
	e.End(r.ID)
	return err
}

// Entry is the record that a transaction writes. The nil Entry writes none.
type Entry struct{ c *carried }

// Begin returns the entry that a transaction must write which begins under the context, or nil: the context carries no
// record, or another transaction has written it or is about to. The caller must end the entry.
func Begin(ctx context.Context) *Entry {
	c := carriedBy(ctx)
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isTaken {
		return nil
	}
	c.isTaken = !c.isReading
	return &Entry{c}
}

// Record returns the record to write. It returns ErrReading if the transaction must not change anything. A store calls it
// when the transaction has made all that it makes.
func (e *Entry) Record() (Record, error) {
	if e.c.isReading {
		return Record{}, ErrReading
	}
	e.c.mu.Lock()
	defer e.c.mu.Unlock()
	return e.c.complete(), nil
}

func (c *carried) complete() Record {
	r := c.record
	if r.Object.ID == "" && c.made.ID != "" {
		r.Object, r.About = c.made, c.about
	}
	return r
}

// End says how the transaction has ended. If it was committed, id is the ID of the stored record. If it was not, id is zero,
// and the next transaction writes the record.
func (e *Entry) End(id ID) {
	if e.c.isReading {
		return
	}
	e.c.mu.Lock()
	defer e.c.mu.Unlock()
	if e.c.isTaken = id != 0; e.c.isTaken {
		e.c.record = e.c.complete()
		e.c.record.ID = id
	}
}
