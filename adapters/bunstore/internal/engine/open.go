package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Open connects to the database. It retries with growing pauses until Patience has passed.
func Open(ctx context.Context, o Options) (*DB, error) {
	o.Limit = cmp.Or(o.Limit, DefaultLimit)
	open := openPostgres
	if path, is := strings.CutPrefix(o.URL, "sqlite:"); is {
		o.URL, open = path, openSQLite
	}
	s, err := open(o)
	if err != nil {
		return nil, err
	}
	s.Limit, s.Schema, s.tracer, s.scanPlans = o.Limit, cmp.Or(o.Schema, s.Dialect.Migrations()), o.Tracer, &sync.Map{}
	s.log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	s.Joins = func(context.Context) *Joining { return nil }
	if err := s.awaitDatabase(ctx, cmp.Or(o.Patience, DefaultPatience)); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
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

// Ping returns nil if the database answers now and its settings are those that statements need, or else
// ErrSettings.
func (s *DB) Ping(ctx context.Context) error {
	return s.Read(ctx, func(ctx context.Context) error {
		return s.Dialect.ping(ctx, s.Reader)
	})
}

// Close closes the connections once their running calls have ended.
func (s *DB) Close() error {
	if d, is := s.Dialect.(Postgres); is {
		defer d.Pool.Close()
		return s.Writer.Close()
	}
	return errors.Join(s.Reader.Close(), s.Writer.Close())
}
