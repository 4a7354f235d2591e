package bunstore

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
)

// commits counts the transactions in the write-ahead log of the SQLite database. The second number of a frame's header
// is not zero in the last frame of a transaction.
func commits(t *testing.T, database string) (n int) {
	t.Helper()
	log, err := os.ReadFile(database + "-wal")
	require.NoError(t, err)
	page := int(binary.BigEndian.Uint32(log[8:]))
	for at := 32; at < len(log); at += 24 + page {
		if binary.BigEndian.Uint32(log[at+4:]) != 0 {
			n++
		}
	}
	return n
}

// fruit is a store of SQLite with a table of names, in which a write lasts until let is called.
func fruit(t *testing.T) (s *Store, database string, let func(error) error) {
	t.Helper()
	database = filepath.Join(t.TempDir(), "fruit.db")
	s, _ = openWithUser(t, engine.Options{URL: "sqlite:" + database})
	_, err := s.Writer.ExecContext(t.Context(), "CREATE TABLE fruit (name text PRIMARY KEY)")
	require.NoError(t, err)
	return s, database, s.hold(t.Context(), t)
}

// hold begins a write, which lasts until let is called with what it returns. Then let returns what became of it.
func (s *Store) hold(ctx context.Context, t *testing.T) (let func(error) error) {
	t.Helper()
	begun, end, ended := make(chan struct{}), make(chan error), make(chan error)
	go func() {
		ended <- s.grow(ctx, "apple", func(*engine.Tx) error {
			close(begun)
			return <-end
		})
	}()
	<-begun
	return func(err error) error {
		end <- err
		return <-ended
	}
}

// waits begins the write behind those that wait already, and returns when it waits. It needs a bubble of synctest: else the writer may
// have begun to wait, and not be one yet whom others let write.
func waits(t *testing.T, s *Store, write func() error) <-chan error {
	t.Helper()
	waiting := func() int64 { return s.Pools()[1].Waits }
	before, ended := waiting(), make(chan error, 1)
	go func() { ended <- write() }()
	synctest.Wait()
	require.Greater(t, waiting(), before)
	return ended
}

var addDate = engine.Step{Statement: "INSERT INTO fruit (name) VALUES ('date')"}

func (s *Store) grow(ctx context.Context, name string, then func(*engine.Tx) error) error {
	return s.Write(ctx, func(tx *engine.Tx) error {
		tx.Queue("INSERT INTO fruit (name) VALUES ($1)", name)
		if err := tx.Send(); err != nil {
			return err
		}
		return then(tx)
	})
}

func fine(*engine.Tx) error { return nil }

var errRefused = errors.New("refused")

func refuse(*engine.Tx) error { return errRefused }

func grown(t *testing.T, s *Store) (names []string) {
	t.Helper()
	require.NoError(t, s.Reader.NewRaw("SELECT name FROM fruit ORDER BY name").Scan(t.Context(), &names))
	return names
}

func TestWrites_that_wait_are_committed_together_and_fail_by_themselves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, database, let := fruit(t)
		before := commits(t, database)
		all := []<-chan error{}
		for _, name := range []string{"fig", "lime", "plum"} {
			all = append(all, waits(t, s, func() error { return s.grow(t.Context(), name, fine) }))
		}
		twice := waits(t, s, func() error { return s.grow(t.Context(), "fig", fine) })
		fails := waits(t, s, func() error { return s.grow(t.Context(), "pear", refuse) })
		panics := waits(t, s, func() (err error) {
			defer func() { err = recover().(error) }()
			return s.grow(t.Context(), "kiwi", func(*engine.Tx) error { panic(errors.New("a bug")) })
		})
		var read string
		reads := waits(t, s, func() error {
			return s.Write(t.Context(), func(tx *engine.Tx) error {
				tx.Queue("INSERT INTO fruit (name) VALUES ('melon') RETURNING name").Into(&read)
				return nil
			})
		})
		ctx, cancel := context.WithCancel(t.Context())
		gone := waits(t, s, func() error { return s.grow(ctx, "kiwi", fine) })
		cancel()
		require.ErrorIs(t, <-gone, context.Canceled, "it does not wait until the writer is free")
		<-time.After(time.Millisecond) // of the bubble
		require.NoError(t, let(nil))
		for _, ended := range append(all, reads) {
			assert.NoError(t, <-ended)
		}
		assert.ErrorContains(t, <-twice, "UNIQUE constraint failed: fruit.name")
		assert.ErrorIs(t, <-fails, errRefused)
		assert.ErrorContains(t, <-panics, "a bug", "in the goroutine of its caller")
		assert.Equal(t, []string{"apple", "fig", "lime", "melon", "plum"}, grown(t, s))
		assert.Equal(t, "melon", read)
		assert.Equal(t, before+1, commits(t, database))
		assert.Positive(t, s.Pools()[1].Waited)
	})
}

func TestWrites_are_committed_sixteen_at_a_time(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, database, let := fruit(t)
		before := commits(t, database)
		var all []<-chan error
		for n := range 16 {
			all = append(all, waits(t, s, func() error { return s.grow(t.Context(), string(rune('a'+n)), fine) }))
		}
		require.NoError(t, let(nil))
		for _, ended := range all {
			require.NoError(t, <-ended)
		}
		assert.Len(t, grown(t, s), 17)
		assert.Equal(t, before+2, commits(t, database))
	})
}

func TestWrites_that_wait_for_one_that_fails_are_committed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _, let := fruit(t)
		fig := waits(t, s, func() error { return s.grow(t.Context(), "fig", fine) })
		require.ErrorIs(t, let(errRefused), errRefused)
		require.NoError(t, <-fig)
		assert.Equal(t, []string{"fig"}, grown(t, s))
	})
}

func TestWrites_are_interrupted_unless_others_write_in_their_transaction(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _, let := fruit(t)
		require.ErrorIs(t, let(errRefused), errRefused)
		addOnceEnded := func(ctx context.Context, end func()) error {
			return s.Write(ctx, func(tx *engine.Tx) error {
				end()
				tx.Add(addDate)
				return tx.Send()
			})
		}
		alone, end := context.WithCancel(t.Context())
		require.ErrorIs(t, addOnceEnded(alone, end), context.Canceled)

		both, end := context.WithCancel(t.Context())
		let = s.hold(both, t)
		ends := waits(t, s, func() error { return addOnceEnded(both, end) })
		fig := waits(t, s, func() error { return s.grow(t.Context(), "fig", fine) })
		require.NoError(t, let(nil))
		require.NoError(t, <-ends)
		require.NoError(t, <-fig)
		assert.Equal(t, []string{"apple", "date", "fig"}, grown(t, s))
	})
}

// No write is acknowledged, and none runs twice, if the transaction is not committed.
func TestWrites_whose_common_transaction_is_lost_fail(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, database, let := fruit(t)
		runs := 0
		full := func(tx *engine.Tx) error {
			runs++
			_, err := tx.ExecContext(t.Context(), "PRAGMA max_page_count = 1; INSERT INTO fruit (name) VALUES (hex(zeroblob(100000)))")
			return err
		}
		move := func(*engine.Tx) error {
			runs++
			return os.Rename(database, database+".old")
		}
		lost := func(lose func(*engine.Tx) error, want error) {
			all := []<-chan error{
				waits(t, s, func() error { return s.grow(t.Context(), "fig", fine) }),
				waits(t, s, func() error { return s.grow(t.Context(), "pear", refuse) }),
				waits(t, s, func() error { return s.grow(t.Context(), "kiwi", lose) }),
			}
			assert.ErrorIs(t, let(nil), want)
			for _, ended := range all {
				assert.ErrorIs(t, <-ended, want, "also of one that failed: it may have read what is not stored")
			}
			assert.Empty(t, grown(t, s))
		}
		lost(full, engine.ErrFull)
		_, err := s.Writer.ExecContext(t.Context(), "PRAGMA max_page_count = 1000000")
		require.NoError(t, err)
		let = s.hold(t.Context(), t)
		lost(move, engine.ErrAway)
		require.NoError(t, os.Rename(database+".old", database))
		require.NoError(t, s.grow(t.Context(), "lime", fine))
		assert.Equal(t, []string{"lime"}, grown(t, s))
		assert.Equal(t, 2, runs)
	})
}

func TestWrites_that_wait_end_when_the_store_is_closed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s, _, let := fruit(t)
		fig := waits(t, s, func() error { return s.grow(t.Context(), "fig", fine) })
		closed := make(chan error)
		go func() { closed <- s.Close() }()
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // a ping would wait for the connection
		require.Eventually(t, func() bool { return !errors.Is(s.Writer.PingContext(ctx), context.Canceled) }, time.Minute, time.Millisecond)
		require.ErrorIs(t, let(errRefused), errRefused)
		assert.ErrorContains(t, <-fig, "database is closed")
		assert.NoError(t, <-closed)
	})
}
