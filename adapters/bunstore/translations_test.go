package bunstore

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/localisation"
)

func TestPUB06_what_has_expired_goes_away_by_itself(t *testing.T) {
	OnEach(t, func(t *testing.T, url string) {
		s, _ := openWithUser(t, engine.Options{URL: url})
		cache := s.Translations()
		put := func(key byte, at time.Time) {
			t.Helper()
			require.NoError(t, cache.Put(t.Context(), map[localisation.Key]string{{key}: "a text"}, at.Add(localisation.CacheFor)))
		}
		claim := func(key byte, until time.Time) {
			t.Helper()
			_, err := cache.Claim(t.Context(), localisation.Claim{Keys: []localisation.Key{{key}}, Now: noon, Until: until})
			require.NoError(t, err)
		}
		// The first text expires at noon, and so does the first claim.
		put('a', noon.Add(-localisation.CacheFor))
		put('b', noon.Add(-localisation.CacheFor+time.Microsecond))
		claim('c', noon)
		claim('d', noon.Add(time.Microsecond))
		stored := func(table string) (keys [][]byte) {
			t.Helper()
			require.NoError(t, s.Reader.NewSelect().Table(table).Column("key").Order("key").Scan(t.Context(), &keys))
			return keys
		}
		swept(t, s, noon)
		assert.Equal(t, [][]byte{b32('b')}, stored("translations"))
		assert.Equal(t, [][]byte{b32('d')}, stored("translation_claims"))
	})
}

func TestSweepPassesOverLockedRows(t *testing.T) {
	t.Parallel()
	url := MigratedPostgres(t)
	s, _ := openWithUser(t, engine.Options{URL: url})
	texts := map[localisation.Key]string{{'a'}: "held", {'b'}: "free"}
	require.NoError(t, s.Translations().Put(t.Context(), texts, noon))
	holder, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer holder.Close(t.Context())
	tx, err := holder.Begin(t.Context())
	require.NoError(t, err)
	_, err = tx.Exec(t.Context(), "SELECT FROM translations WHERE content = 'held' FOR UPDATE")
	require.NoError(t, err)
	swept(t, s, noon)
	var left []string
	require.NoError(t, s.Reader.NewSelect().Table("translations").Column("content").Scan(t.Context(), &left))
	assert.Equal(t, []string{"held"}, left)
	require.NoError(t, tx.Rollback(t.Context()))
	swept(t, s, noon)
	left = nil
	require.NoError(t, s.Reader.NewSelect().Table("translations").Column("content").Scan(t.Context(), &left))
	assert.Empty(t, left)
}

func b32(first byte) []byte { return append([]byte{first}, make([]byte, 31)...) }
