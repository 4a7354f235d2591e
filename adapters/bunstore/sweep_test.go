package bunstore

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/localisation"
)

// swept removes the rows that have expired by now.
func swept(t *testing.T, s *Store, now time.Time) {
	t.Helper()
	more, err := s.Sweep(t.Context(), now)
	require.NoError(t, err)
	require.False(t, more)
}

func TestSweep_ends_each_batch_and_goes_on_behind_a_failure(t *testing.T) {
	s, _ := openWithUser(t, engine.Options{URL: MigratedSQLite(t)})
	_, err := s.Writer.ExecContext(t.Context(), "DROP TABLE login_failures")
	require.NoError(t, err)
	texts := map[localisation.Key]string{}
	for i := range sweepMost + 1 {
		texts[localisation.Key{byte(i), byte(i >> 8)}] = "text"
	}
	require.NoError(t, s.Translations().Put(t.Context(), texts, noon))
	for _, want := range []struct {
		more bool
		left int64
	}{{true, 1}, {false, 0}} {
		more, err := s.Sweep(t.Context(), noon)
		assert.Equal(t, want.more, more)
		assert.Equal(t, 2, strings.Count(err.Error(), "login_failures"), err)
		left, err := s.Reader.NewSelect().Table("translations").Count(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want.left, left)
	}
}
