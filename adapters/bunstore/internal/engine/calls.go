package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/uptrace/bun"
	"go.opentelemetry.io/otel/trace"

	"plaza/domain/fault"
)

// Attempts is the number of tries after a conflict with another transaction.
const Attempts = 8

// Read calls fn, which must not write, within the time limit of a call.
func (s *DB) Read(ctx context.Context, fn func(ctx context.Context) error) error {
	return s.try(ctx, fn)
}

// ReadLong is Read for statements that take longer than those of other calls, which Postgres ends.
func (s *DB) ReadLong(ctx context.Context, fn func(ctx context.Context, db bun.IDB) error) error {
	return s.Read(ctx, func(ctx context.Context) error {
		if s.isSQLite() {
			return fn(ctx, s.Reader)
		}
		return s.Reader.RunInTx(ctx, nil, func(ctx context.Context, tx bun.Tx) error {
			if _, err := tx.ExecContext(ctx, "SET LOCAL statement_timeout = "+milliseconds(s.Limit)); err != nil {
				return err
			}
			return fn(ctx, tx)
		})
	})
}

// try runs one call of a port. It rejects cancelled callers, limits the time, and retries
// after conflicts with other transactions.
func (s *DB) try(ctx context.Context, fn func(ctx context.Context) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.tracer != nil && trace.SpanContextFromContext(ctx).IsSampled() {
		var end func(err error)
		ctx, end = s.beginSpan(ctx)
		defer func() { end(err) }()
	}
	bounded, cancel := context.WithTimeout(ctx, s.Limit)
	defer cancel()
	err = fn(bounded)
	if err != nil && s.Dialect.Classify(err) == Retryable {
		err = s.retry(bounded, fn)
	}
	return s.Explain(ctx, err)
}

// retry calls fn again after conflicts with other transactions.
func (s *DB) retry(ctx context.Context, fn func(ctx context.Context) error) error {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = 2*time.Millisecond, 200*time.Millisecond
	_, err := backoff.Retry(ctx, func() (any, error) {
		err := fn(ctx)
		if err != nil && s.Dialect.Classify(err) != Retryable {
			err = backoff.Permanent(err)
		}
		return nil, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxTries(Attempts), backoff.WithMaxElapsedTime(s.Limit))
	return err
}

// Explain converts an error of the driver into one that callers can handle. It returns
// faults unchanged.
func (s *DB) Explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if s.Refused != nil {
		err = s.Refused(ctx, err)
	}
	if _, is := fault.As(err); is {
		return err
	}
	if ctx.Err() != nil { // the caller cancelled, or its deadline passed
		return ctx.Err()
	}
	switch s.Dialect.Classify(err) {
	case Retryable, unavailable, timedOut:
		return fmt.Errorf("%w: %w", ErrAway, err)
	case diskFull:
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: time limit exceeded", ErrAway)
	}
	return err
}

// Written returns how many rows a statement wrote.
func Written(done sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	rows, err := done.RowsAffected()
	return int(rows), err
}

// Faults of a database that is unreachable or can't write. The cause is wrapped for the
// log.
var (
	ErrAway = fault.RetryAfter(fault.Unavailable, 2*time.Second, "The data can't be reached right now. Try again soon.")
	ErrFull = fault.RetryAfter(fault.Unavailable, time.Minute, "Nothing can be stored right now. Try again later.")
)

// errUnreplicated is the cause when Postgres gave up waiting for its synchronous replica.
var errUnreplicated = errors.New("the commit is on the primary but perhaps on no replica")

// ErrSettings is why a server does not start, and is not ready: the database has a setting with which
// Plaza would misread it, or could store nothing. The text says which.
var ErrSettings = errors.New("the database's settings do not fit Plaza")

// OrNotFound replaces the error of a query without rows by the given fault.
func OrNotFound(err error, notFound error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return notFound
	}
	return err
}

// errorClass classifies an error of the driver.
type errorClass int

const (
	internalError errorClass = iota // a bug in this program
	Retryable                       // nothing was written; a retry may succeed
	unavailable                     // the database is unreachable or can't serve now
	timedOut                        // a time limit passed
	diskFull                        // the disk is full or read-only
)
