package bunstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/event"
)

const lockNotAvailable = "55P03"

func TestOne_of_two_that_wait_for_each_other_tries_again(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	at := bunstore.MigratedPostgres(t)
	s, db := open(t, at), rawSQL(t, at)
	written, err := s.Events().Add(t.Context(), listedEvent(t, member(t, s), "Before"))
	require.NoError(t, err)

	other, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	defer other.Rollback()
	hold := func(statement string) {
		t.Helper()
		_, err := other.ExecContext(t.Context(), statement)
		require.NoError(t, err)
	}
	hold("SET LOCAL deadlock_timeout = '1min'") // so that Postgres aborts the store's transaction
	hold("SELECT FROM feed_counters FOR UPDATE")
	changed := make(chan error, 1)
	go func() {
		_, err := s.Events().Change(t.Context(), written.ID(), func(e *event.Event) error {
			return e.Apply(event.Change{Title: new("After"), Publish: new(false)}, time.Now())
		})
		changed <- err
	}()
	require.Eventually(t, func() bool { return column[int](t, db, bunstore.Waiting)[0] > 0 }, eventually, time.Millisecond)
	lock := fmt.Sprintf("SELECT FROM events WHERE id = %d FOR UPDATE", written.ID())
	_, err = db.ExecContext(t.Context(), lock+" NOWAIT")
	require.Equal(t, lockNotAvailable, refusalOf(err), "the store must hold what the other is to wait for")
	hold(lock)
	require.NoError(t, other.Commit())
	require.NoError(t, <-changed)

	found, err := s.Events().Get(t.Context(), written.ID())
	require.NoError(t, err)
	assert.Equal(t, "After", found.Text().Title)
	assertConsistent(t, s)
}

// keepLocked locks the event until the returned function is called.
func keepLocked(t *testing.T, url string, id event.ID) (release func()) {
	t.Helper()
	db := rawSQL(t, url)
	db.SetMaxOpenConns(1)
	statement := fmt.Sprintf("UPDATE events SET title = title WHERE id = %d", id)
	begin := "BEGIN"
	if strings.HasPrefix(url, "sqlite:") {
		begin = "BEGIN IMMEDIATE"
	}
	conn, err := db.Conn(t.Context())
	require.NoError(t, err)
	for _, do := range []string{begin, statement} {
		_, err := conn.ExecContext(t.Context(), do)
		require.NoError(t, err)
	}
	return func() {
		_, err := conn.ExecContext(context.Background(), "ROLLBACK")
		assert.NoError(t, errors.Join(err, conn.Close()))
	}
}

func TestA_lock_that_is_never_given_back_costs_no_more_than_the_limit(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	bunstore.OnEach(t, func(t *testing.T, at string) {
		author := member(t, open(t, at))
		const limit = time.Second
		s, err := bunstore.Open(t.Context(), bunstore.Options{URL: at, Limit: limit})
		require.NoError(t, err)
		defer s.Close()
		written, err := s.Events().Add(t.Context(), listedEvent(t, author, "Before"))
		require.NoError(t, err)
		rename := func() error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			_, err := s.Events().Change(ctx, written.ID(), func(e *event.Event) error {
				return e.Apply(event.Change{Title: new("After")}, time.Now())
			})
			return err
		}
		release := keepLocked(t, at, written.ID())
		assert.ErrorIs(t, rename(), engine.ErrAway, "it ends by the store's limit, not by the caller's")
		_, err = s.Events().Get(t.Context(), written.ID())
		assert.NoError(t, err, "readers do not wait for locks")
		release()
		assert.NoError(t, rename())
	})
}
