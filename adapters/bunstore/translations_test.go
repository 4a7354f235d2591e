package bunstore

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/publication"
	testserver "plaza/test/postgres"
)

func TestPUB06_what_has_expired_goes_away_by_itself(t *testing.T) {
	for name, url := range map[string]string{
		"SQLite": "sqlite:" + filepath.Join(t.TempDir(), "plaza.db"), "Postgres": testserver.Empty(t),
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := opened(t, Options{URL: url})
			cache := s.Translations()
			put := func(key byte, at time.Time) {
				t.Helper()
				require.NoError(t, cache.Put(t.Context(), map[publication.CacheKey]string{{key}: "a text"}, at.Add(publication.CacheFor)))
			}
			claim := func(key byte, until time.Time) {
				t.Helper()
				_, err := cache.Claim(t.Context(), publication.Claim{Keys: []publication.CacheKey{{key}}, Now: noon, Until: until})
				require.NoError(t, err)
			}
			// The first expires at noon, and so does the first claim.
			put('a', noon.Add(-publication.CacheFor))
			put('b', noon.Add(-publication.CacheFor+time.Microsecond))
			claim('c', noon)
			claim('d', noon.Add(time.Microsecond))
			stored := func(table string) (keys [][]byte) {
				t.Helper()
				require.NoError(t, s.reader.NewSelect().Table(table).Column("key").Order("key").Scan(t.Context(), &keys))
				return keys
			}
			for range 1000 { // a few of them clear up
				if put('e', noon); len(stored("translations")) == 2 {
					break
				}
			}
			assert.Equal(t, [][]byte{b32('b'), b32('e')}, stored("translations"))
			assert.Equal(t, [][]byte{b32('d')}, stored("translation_claims"))
		})
	}
}

func b32(first byte) []byte { return append([]byte{first}, make([]byte, 31)...) }
