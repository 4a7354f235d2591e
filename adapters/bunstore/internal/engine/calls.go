package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/cenkalti/backoff/v5"
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

// Written returns how many rows a statement wrote.
func Written(done sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	rows, err := done.RowsAffected()
	return int(rows), err
}
