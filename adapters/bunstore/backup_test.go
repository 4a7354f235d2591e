package bunstore_test

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
)

// whileWriting calls fn while four goroutines write, once each has written, and returns
// how many writes were acknowledged meanwhile.
func (w *eventWriter) whileWriting(fn func()) (written int64) {
	w.t.Helper()
	var count atomic.Int64
	var over atomic.Bool
	var all, begun sync.WaitGroup
	for range 4 {
		begun.Add(1)
		all.Go(func() {
			begin := sync.OnceFunc(begun.Done)
			for !over.Load() {
				assert.NoError(w.t, w.write(int(count.Add(1))))
				begin()
			}
		})
	}
	begun.Wait()
	before := count.Load()
	fn()
	written = count.Load() - before
	over.Store(true)
	all.Wait()
	return written
}

// soFar returns the writes acknowledged so far.
func (w *eventWriter) soFar() *eventWriter {
	w.mu.Lock()
	defer w.mu.Unlock()
	return &eventWriter{t: w.t, kept: maps.Clone(w.kept)}
}

func embedded(t *testing.T) (s *bunstore.Store, dir string) {
	t.Helper()
	dir = t.TempDir()
	return open(t, "sqlite:"+filepath.Join(dir, "plaza.db")), dir
}

func TestA_backup_while_four_write_is_a_consistent_copy(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	s, dir := embedded(t)
	w := newEventWriter(t, s)
	for n := range 500 {
		require.NoError(t, w.write(n))
	}
	path := filepath.Join(dir, "copy.db")
	var acknowledged *eventWriter
	written := w.whileWriting(func() {
		acknowledged = w.soFar()
		require.NoError(t, s.Backup(t.Context(), path))
	})
	assert.Positive(t, written, "writers go on during a backup")
	assert.Equal(t, []string{"copy.db", "plaza.db"}, filesIn(t, dir), "nothing but the copy")
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), "only the owner may read the file")

	copied := bunstore.Opened(t, bunstore.Options{URL: "sqlite:" + path})
	require.NoError(t, copied.CheckSchema(t.Context()), "it is what it was copied from")
	assertConsistent(t, copied)
	acknowledged.assertKept(copied)
	_, err = copied.Events.Add(t.Context(), listedEvent(t, w.author, "After"))
	assert.NoError(t, err, "it can be gone on with")
	w.assertKept(s)
}

// filesIn returns the names of the files, except those beside an open database.
func filesIn(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	names := []string{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "-wal") && !strings.HasSuffix(e.Name(), "-shm") && e.Name() != "plaza.db.id" {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestA_backup_replaces_nothing(t *testing.T) {
	s, dir := embedded(t)
	target := filepath.Join(dir, "precious")
	require.NoError(t, os.WriteFile(target, []byte("last year's"), 0o600))
	link := filepath.Join(dir, "link")
	require.NoError(t, os.Symlink(filepath.Join(dir, "nowhere"), link))
	for _, path := range []string{target, link, dir, filepath.Join(dir, "plaza.db")} {
		err := s.Backup(t.Context(), path)
		require.ErrorIs(t, err, fs.ErrExist, path)
		assert.ErrorContains(t, err, path)
	}
	kept, err := os.ReadFile(target)
	require.NoError(t, err)
	assert.Equal(t, "last year's", string(kept))
	assert.Equal(t, []string{"link", "plaza.db", "precious"}, filesIn(t, dir))
	assertConsistent(t, s)
}

func TestA_backup_that_fails_leaves_nothing(t *testing.T) {
	t.Parallel()
	s, _ := embedded(t)
	w := newEventWriter(t, s)
	for n := range 500 {
		require.NoError(t, w.write(n))
	}
	t.Run("cancelled", func(t *testing.T) {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		require.ErrorIs(t, s.Backup(ctx, filepath.Join(dir, "copy.db")), context.Canceled)
		assert.Empty(t, filesIn(t, dir))
	})
	t.Run("cancelled while it copies", func(t *testing.T) {
		cutOff := func() error {
			dir := t.TempDir()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- s.Backup(ctx, filepath.Join(dir, "copy.db")) }()
			require.Eventually(t, func() bool { return len(filesIn(t, dir)) > 0 }, eventually, 100*time.Microsecond)
			cancel()
			err := <-ended
			assert.Equal(t, err == nil, len(filesIn(t, dir)) > 0)
			return err
		}
		var err error
		for n := 0; err == nil; n++ { // a backup may have ended before it is cancelled
			require.Less(t, n, 1000, "none was cut off")
			err = cutOff()
		}
		require.ErrorIs(t, err, context.Canceled)
	})
	require.NoError(t, w.write(0), "the store has taken no harm")
	assertConsistent(t, s)
}

func TestWhat_a_backup_was_cut_off_from_is_in_nobodys_way(t *testing.T) {
	s, dir := embedded(t)
	w := newEventWriter(t, s)
	require.NoError(t, w.write(0))
	path := filepath.Join(dir, "copy.db")
	for _, left := range []string{".partial", ".partial-journal"} { // as after a SIGKILL
		require.NoError(t, os.WriteFile(path+left, []byte("half of one"), 0o600))
	}
	require.NoError(t, s.Backup(t.Context(), path))
	assert.Equal(t, []string{"copy.db", "plaza.db"}, filesIn(t, dir))
	w.assertKept(open(t, "sqlite:"+path))
}

func TestIntegrity_names_what_is_broken_in_the_file(t *testing.T) {
	t.Parallel()
	at := bunstore.MigratedSQLite(t)
	s := open(t, at)
	found, err := s.Integrity(t.Context())
	require.NoError(t, err)
	assert.Empty(t, found)
	execute(t, rawSQL(t, at), `PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF;
		CREATE TABLE nuts (id integer PRIMARY KEY, weight integer CHECK (weight > 0));
		CREATE TABLE shells (id integer PRIMARY KEY, nut_id integer REFERENCES nuts);
		INSERT INTO nuts VALUES (1, 0); INSERT INTO shells VALUES (7, 2)`)
	found, err = s.Integrity(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"CHECK constraint failed in nuts", "shells 7 refers to a missing row of nuts"}, found)
}
