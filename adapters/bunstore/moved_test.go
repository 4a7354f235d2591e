package bunstore_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/fault"
)

func rename(t *testing.T, from, to string) {
	t.Helper()
	require.NoError(t, os.Rename(from, to))
}

// written returns a store on a database file in a folder of its own, with a writer that has written an event.
func written(t *testing.T) (s *bunstore.Store, w *eventWriter, path string) {
	t.Helper()
	t.Parallel()
	s, dir := embedded(t)
	w = newEventWriter(t, s)
	require.NoError(t, w.write(0))
	return s, w, filepath.Join(dir, "plaza.db")
}

// refuseWrites asserts that the store rejects writes, that no connection reads another database,
// and that the store reports that it is not ready.
func refuseWrites(t *testing.T, s *bunstore.Store, w *eventWriter) {
	t.Helper()
	for n := range 3 {
		err := w.write(1000 + n)
		require.ErrorIs(t, err, engine.ErrAway)
		assert.True(t, fault.Is(err, fault.Unavailable))
		assert.ErrorContains(t, err, "moved or replaced")
	}
	var readers sync.WaitGroup
	for range 32 { // more than the open connections
		readers.Go(func() {
			found, err := s.Accounts.List(t.Context(), 0, 1)
			if err != nil {
				assert.ErrorIs(t, err, engine.ErrAway)
				return
			}
			assert.Len(t, found, 1, "the account of the store's own database")
		})
	}
	readers.Wait()
	assert.ErrorIs(t, s.Ping(t.Context()), engine.ErrAway)
}

func TestADatabaseFileThatIsMovedAway(t *testing.T) {
	s, w, path := written(t)
	away, other := path+".away", path+".other"
	rename(t, path, away)
	refuseWrites(t, s, w)
	assert.NoFileExists(t, path, "no connection makes another")

	for what, replace := range map[string]func(){
		"an empty file": func() { require.NoError(t, os.WriteFile(path, nil, 0o600)) },
		"another database": func() {
			require.NoError(t, bunstore.MigrateAt(t.Context(), "sqlite:"+other))
			rename(t, other, path)
		},
	} {
		replace()
		t.Run(what, func(t *testing.T) { refuseWrites(t, s, w) })
	}
	rename(t, away, path)
	require.NoError(t, w.write(1), "the same store, and no restart")
	w.assertKept(s)
	assertConsistent(t, s)
}

// TestAWriterThatConnectsAnewEmptiesNoOthersLog: the log of the database that was moved stays beside the file that
// replaced it, and SQLite would apply and empty it.
func TestAWriterThatConnectsAnewEmptiesNoOthersLog(t *testing.T) {
	s, w, path := written(t)
	away, other := path+".away", path+".other"
	require.NoError(t, bunstore.MigrateAt(t.Context(), "sqlite:"+other))
	rename(t, path, away)
	rename(t, other, path)
	s.Writer.SetMaxIdleConns(0) // closes the connection
	refuseWrites(t, s, w)
	rename(t, path, other)
	rename(t, away, path)
	require.NoError(t, w.write(1), "the same store, and no restart")
	w.assertKept(s)
	assertConsistent(t, s)
}

// assertLost asserts that the database can't be opened, and that no other is created in its
// place.
func assertLost(t *testing.T, path string) {
	t.Helper()
	before, _ := os.ReadFile(path)
	s, err := bunstore.Open(t.Context(), bunstore.Options{URL: "sqlite:" + path})
	if err == nil {
		_, err = s.Migrate(t.Context())
		require.NoError(t, s.Close())
	}
	require.ErrorIs(t, err, engine.ErrDatabaseMoved)
	assert.ErrorContains(t, err, path+".id", "the remedy")
	after, _ := os.ReadFile(path)
	assert.Len(t, after, len(before))
}

func TestOpenMakesNoDatabaseWhereOneWas(t *testing.T) {
	s, w, path := written(t)
	copied := path + ".copy"
	require.NoError(t, s.Backup(t.Context(), copied))
	require.NoError(t, s.Close())
	marker, err := os.ReadFile(path + ".id")
	require.NoError(t, err)

	rename(t, path, path+".old")
	assertLost(t, path)
	assert.NoFileExists(t, path)
	require.NoError(t, os.WriteFile(path, nil, 0o600))
	assertLost(t, path)
	require.NoError(t, bunstore.MigrateAt(t.Context(), "sqlite:"+path+".other"))
	rename(t, path+".other", path)
	assertLost(t, path)
	require.NoError(t, os.Remove(path))
	stranger, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	execute(t, stranger, "CREATE TABLE fruit (name text)")
	require.NoError(t, stranger.Close())
	assertLost(t, path)

	rename(t, copied, path)
	w.assertKept(open(t, "sqlite:"+path))
	kept, err := os.ReadFile(path + ".id")
	require.NoError(t, err)
	assert.Equal(t, marker, kept)
}

func TestOpenBeginsAnewWithoutTheMarker(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plaza.db")
	require.NoError(t, bunstore.MigrateAt(t.Context(), "sqlite:"+path))
	require.NoError(t, os.Remove(path))
	assertLost(t, path)
	require.NoError(t, os.Remove(path+".id"))
	require.NoError(t, bunstore.MigrateAt(t.Context(), "sqlite:"+path))
	assert.FileExists(t, path+".id")
}
