package bunstore

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNoConnectionReadsAnotherDatabase(t *testing.T) {
	dir := t.TempDir()
	path, other := filepath.Join(dir, "plaza.db"), filepath.Join(dir, "other.db")
	at := func(path string) *Store {
		s, err := Open(t.Context(), Options{URL: "sqlite:" + path})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	s := at(path)
	_, err := at(other).Migrate(t.Context())
	require.NoError(t, err)
	require.NoError(t, os.Rename(other, path))
	refused := 0
	for range s.reader.Stats().MaxOpenConnections {
		conn, err := s.reader.Conn(t.Context())
		if err != nil {
			require.ErrorIs(t, err, errMoved)
			assert.Equal(t, unavailable, s.dialect.classify(err))
			refused++
			continue
		}
		defer conn.Close()
	}
	assert.Positive(t, refused, "some had no connection yet")
}
