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

// awaitDatabase waits until the database answers.
func (s *DB) awaitDatabase(ctx context.Context, patience time.Duration) error {
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.MaxInterval = 100*time.Millisecond, 5*time.Second
	_, err := backoff.Retry(ctx, func() (any, error) {
		err := s.Ping(ctx)
		if err == nil {
			return nil, nil
		}
		if class := s.Dialect.Classify(err); class == internalError || class == diskFull {
			err = backoff.Permanent(err) // waiting does not help
		}
		return nil, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxElapsedTime(patience),
		backoff.WithNotify(func(err error, pause time.Duration) {
			s.log.Warn("the database can't be reached; trying again", "error", err, "pause_ms", pause.Milliseconds())
		}))
	if errors.Is(err, ErrFull) {
		err = fmt.Errorf("its disk is full, or can't be written: %w", err)
	}
	if err != nil && !errors.Is(err, ErrSettings) {
		return fmt.Errorf("the database can't be reached: %s: %w", s.location, err)
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

// Affected reports whether a statement wrote any row.
func Affected(done sql.Result, err error) (bool, error) {
	rows, err := Written(done, err)
	return rows > 0, err
}

// Selecting begins a query of the transaction that locks its rows.
func (s *DB) Selecting(tx *Tx) *bun.SelectQuery { return s.Locking(tx.NewSelect(), "UPDATE") }

// Locking adds the clause FOR where the database has one.
func (s *DB) Locking(query *bun.SelectQuery, clause string) *bun.SelectQuery {
	if s.isSQLite() {
		return query
	}
	return query.For(clause)
}
