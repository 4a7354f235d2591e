package bunstore

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
)

func TestProgress_is_that_of_the_primary(t *testing.T) {
	begin := time.Unix(0, 0)
	at := func(seconds int) time.Time { return begin.Add(time.Duration(seconds) * time.Second) }
	var p progress
	_, known := p.since(begin)
	assert.False(t, known, "nothing was asked yet")
	for i, position := range []logPosition{10, 10, 30, 40, 40, 40} {
		p.add(reached{at(i), position}, at(i-3))
	}
	assert.Len(t, p.all, 4, "of the last three seconds")
	for oldest, want := range map[int]logPosition{0: 30, 2: 30, 3: 40, 5: 40} {
		position, known := p.since(at(oldest))
		require.True(t, known)
		assert.Equal(t, want, position, "since %d", oldest)
	}
	_, known = p.since(at(6))
	assert.False(t, known, "the primary has not told its position since")
	for replayed, want := range map[logPosition]int{30: 2, 39: 2, 40: 5, 99: 5} {
		shown, known := p.shownBy(replayed)
		require.True(t, known)
		assert.Equal(t, at(want), shown, "replayed %d: an idle primary is no lag", replayed)
	}
	_, known = p.shownBy(29)
	assert.False(t, known)
}

func TestReplicas_have_different_addresses_and_no_secret_in_errors(t *testing.T) {
	for _, urls := range [][]string{
		{"postgres://me:hunter2@a:1/plaza", "postgres://me:hunter2@a:1/plaza"}, {"postgres://me:hunter2@a:x/plaza"},
	} {
		_, err := Open(t.Context(), Options{URL: "postgres://me:hunter2@127.0.0.1:1/plaza", Replicas: urls, Patience: time.Millisecond})
		require.Error(t, err)
		assert.NotContains(t, err.Error(), "hunter2")
		assert.NotContains(t, err.Error(), "can't be reached")
	}
	_, err := Open(t.Context(), Options{URL: "sqlite:" + t.TempDir() + "/a.db", Replicas: []string{"postgres://a/plaza"}})
	assert.EqualError(t, err, "SQLite has no replicas")
}

// TestReplicas_prove_with_every_read_that_they_are_new_enough takes the primary for a replica that
// the last check has found well.
func TestReplicas_prove_with_every_read_that_they_are_new_enough(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	url := MigratedPostgres(t)
	s, err := Open(t.Context(), Options{URL: url, Replicas: []string{url}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	s.replicas.begun.Do(func() {}) // no checks
	one := s.replicas.all[0]
	ctx := access.WithOwnWrites(t.Context(), access.NewOwnWrites(access.Actor{}))
	read := step{statement: s.hot.members, args: []any{[]int64{1}}, row: func(func(...any) error) error { return nil }}
	try := func(ctx context.Context) bool { return s.replicas.answer(ctx, read, func() {}) }

	one.ready.Store(true)
	assert.False(t, try(ctx), "the primary has not told how far it is")
	s.replicas.progress.add(reached{time.Now(), 1}, time.Now())
	assert.False(t, try(ctx), "it is not a standby")
	assert.False(t, one.ready.Load(), "and not used until a check finds it well")

	s.replicas.sql.isNew = "SELECT CAST($1 AS text) = '0/1', CAST($2 AS bigint) = 0 AND CAST($3 AS bigint) <= 7" // of a standby that has replayed the position and 7 writes
	one.ready.Store(true)
	assert.True(t, try(ctx))
	assert.False(t, try(t.Context()), "what the read must show is unknown")
	assert.True(t, try(access.WithOwnWrites(t.Context(), access.NewOwnWrites(access.Actor{Writes: 7}))))
	behind := access.WithOwnWrites(t.Context(), access.NewOwnWrites(access.Actor{Writes: 8}))
	assert.False(t, try(behind))
	assert.True(t, one.ready.Load(), "it is new enough for others")
	written := access.NewOwnWrites(access.Actor{})
	written.SetWritten()
	assert.False(t, try(access.WithOwnWrites(t.Context(), written)), "the request itself has written")

	read.isEnough = func() bool { return false }
	assert.False(t, try(ctx), "it lacks a row")
	read.isEnough = nil
	read.statement = s.hot.session
	assert.False(t, try(ctx), "never among the reads of replicas")
	served, onPrimary := s.Replicas()
	assert.EqualValues(t, 2, served[0].Served)
	assert.EqualValues(t, 3, served[0].Behind)
	assert.EqualValues(t, 5, onPrimary)

	read.statement = s.hot.members
	s.replicas.sql.isNew = "SELECT pg_sleep(60) IS NULL, CAST($1 AS text) = '' AND CAST($2 AS bigint) = 0 AND CAST($3 AS bigint) = 0"
	assert.False(t, try(ctx), "it is too slow")
	assert.False(t, one.ready.Load())
	assert.EqualValues(t, 1, one.failed.Load())
}
