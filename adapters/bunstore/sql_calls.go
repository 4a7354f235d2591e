package bunstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/uptrace/bun"

	"plaza/domain/fault"
)

// Faults of a database that is unreachable or can't write. The cause is wrapped for the
// log.
var (
	ErrAway = fault.RetryAfter(fault.Unavailable, 2*time.Second, "The data can't be reached right now. Try again soon.")
	ErrFull = fault.RetryAfter(fault.Unavailable, time.Minute, "Nothing can be stored right now. Try again later.")
)

// errUnreplicated is the cause when Postgres gave up waiting for its synchronous replica.
var errUnreplicated = errors.New("the commit is on the primary but perhaps on no replica")

// attempts is the number of tries after a conflict with another transaction.
const attempts = 8

// read calls fn, which must not write, within the time limit of a call.
func (s *Store) read(ctx context.Context, fn func(ctx context.Context) error) error {
	return s.try(ctx, s.limit, fn)
}

// call runs one call of a port. It rejects cancelled callers, limits the time, and retries
// after conflicts with other transactions.
func (s *Store) call(ctx context.Context, fn func(ctx context.Context) error) error {
	return s.callWithin(ctx, s.limit, fn)
}

// callWithin fails although fn succeeded if any commit was not replicated meanwhile: a server
// that fails over may forget what only the primary has. A write beside it fails as well, and
// has waited for the same replica.
func (s *Store) callWithin(ctx context.Context, limit time.Duration, fn func(ctx context.Context) error) error {
	before := s.unreplicated.Load()
	err := s.try(ctx, limit, fn)
	if err == nil && s.unreplicated.Load() != before {
		return fmt.Errorf("%w: %w", ErrAway, errUnreplicated)
	}
	return err
}

func (s *Store) try(ctx context.Context, limit time.Duration, fn func(ctx context.Context) error) error {
	if s.tracer != nil {
		return s.callTraced(ctx, limit, fn)
	}
	return s.callUntraced(ctx, limit, fn)
}

func (s *Store) callUntraced(ctx context.Context, limit time.Duration, fn func(ctx context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := fn(bounded)
	if err != nil && s.dialect.classify(err) == retryable {
		err = s.retry(bounded, limit, fn)
	}
	return s.explain(ctx, err)
}

// retry calls fn again after conflicts with other transactions.
func (s *Store) retry(ctx context.Context, limit time.Duration, fn func(ctx context.Context) error) error {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = 2*time.Millisecond, 200*time.Millisecond
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := fn(ctx)
		if err != nil && s.dialect.classify(err) != retryable {
			return struct{}{}, backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxTries(attempts), backoff.WithMaxElapsedTime(limit))
	return err
}

// explain converts an error of the driver into one that callers can handle. It returns
// faults unchanged.
func (s *Store) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if _, is := fault.As(err); is {
		return err
	}
	if ctx.Err() != nil { // the caller cancelled, or its deadline passed
		return ctx.Err()
	}
	switch s.dialect.classify(err) {
	case retryable, unavailable, timedOut:
		return fmt.Errorf("%w: %w", ErrAway, err)
	case diskFull:
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: time limit exceeded", ErrAway)
	}
	return err
}

// awaitDatabase waits until the database answers.
func (s *Store) awaitDatabase(ctx context.Context, patience time.Duration) error {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = 100*time.Millisecond, 5*time.Second
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := s.Ping(ctx)
		if err == nil {
			return struct{}{}, nil
		}
		if class := s.dialect.classify(err); class == internalError || class == diskFull {
			err = backoff.Permanent(err) // waiting does not help
		}
		return struct{}{}, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxElapsedTime(patience),
		backoff.WithNotify(func(err error, pause time.Duration) {
			s.log.Warn("the database can't be reached; trying again", "error", err, "pause_ms", pause.Milliseconds())
		}))
	if err != nil && !errors.Is(err, ErrSettings) {
		return fmt.Errorf("the database can't be reached: %s: %w", s.dialect.location(), err)
	}
	return err
}

// aggregate tells change how to load and save a T. Its row carries a revision.
type aggregate[T any] struct {
	// load returns the value and its revision. Within a transaction, which may be nil,
	// it locks the row first.
	load func(ctx context.Context, tx *transaction) (T, int64, error)
	// save stores the value if its revision is still the one that was loaded, and
	// reports whether it did.
	save func(ctx context.Context, tx *transaction, old, next T, revision int64) (saved bool, err error)
}

// errLost reports that another transaction changed the row.
var errLost = errors.New("row changed concurrently")

// change loads a value, calls fn and stores the value that fn returns. fn must return a
// copy, because the loaded value is still needed. The last try locks the row first.
func change[T any](ctx context.Context, s *Store, a aggregate[T], fn func(T) (T, error)) (T, error) {
	for tries := s.dialect.optimisticTries(); ; tries-- {
		var old, next T
		var revision int64
		decide := func(ctx context.Context, tx *transaction) (err error) {
			if old, revision, err = a.load(ctx, tx); err != nil {
				return err
			}
			next, err = fn(old)
			return cmp.Or(err, ctx.Err())
		}
		if tries > 0 {
			if err := s.read(ctx, func(ctx context.Context) error { return decide(ctx, nil) }); err != nil {
				return next, err
			}
		}
		err := s.write(ctx, func(ctx context.Context, tx *transaction) error {
			if tries == 0 {
				if err := decide(ctx, tx); err != nil {
					return err
				}
			}
			saved, err := a.save(ctx, tx, old, next, revision)
			if err == nil && !saved {
				return errLost
			}
			return err
		})
		if tries == 0 || !errors.Is(err, errLost) {
			return next, err
		}
	}
}

// orNotFound replaces the error of a query without rows by the given fault.
func orNotFound(err error, notFound error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return notFound
	}
	return err
}

// selecting begins a query. Within a transaction, which may be nil, it locks the rows.
func (s *Store) selecting(tx *transaction) *bun.SelectQuery {
	switch {
	case tx == nil:
		return s.reader.NewSelect()
	case s.dialect.forUpdate() == "":
		return tx.NewSelect()
	}
	return tx.NewSelect().For("UPDATE")
}

// affected reports whether a statement wrote any row.
func affected(done sql.Result, err error) (bool, error) {
	if err != nil {
		return false, err
	}
	rows, err := done.RowsAffected()
	return rows > 0, err
}

// orNotAffected returns the given fault if a statement wrote no row.
func orNotAffected(done sql.Result, err error, notFound error) error {
	written, err := affected(done, err)
	if err == nil && !written {
		return notFound
	}
	return err
}
