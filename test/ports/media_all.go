package ports

import (
	"context"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
)

// allStored is what All goes through: each picture once, and no error.
func allStored(t *testing.T, s media.Store) map[media.Key]time.Time {
	t.Helper()
	all := map[media.Key]time.Time{}
	for picture, err := range s.All(t.Context()) {
		require.NoError(t, err)
		require.NotContains(t, all, picture.Key, "each once")
		all[picture.Key] = picture.Since
	}
	return all
}

// storeSome puts pictures of both audiences and types into the store.
func storeSome(t *testing.T, s media.Store, n int) []media.Key {
	t.Helper()
	var keys []media.Key
	for i := range n {
		kind := []string{"image/jpeg", "image/png"}[i/2%2]
		keys = append(keys, store(t, s, upload(kind, byte(i)), media.Audience(i%2)))
	}
	return keys
}

func mediaAll(t *testing.T, s media.Store) {
	assert.Empty(t, allStored(t, s))
	began := time.Now().Add(-time.Minute)
	keys := storeSome(t, s, 24)
	all := allStored(t, s)
	require.Len(t, all, len(keys))
	for _, key := range keys {
		require.Contains(t, all, key)
		assert.WithinRange(t, all[key], began, time.Now().Add(time.Minute))
		assert.Equal(t, time.UTC, all[key].Location())
		f, err := s.Open(t.Context(), key)
		require.NoError(t, err)
		assert.WithinDuration(t, f.Modified, all[key], time.Second, "some stores keep whole seconds")
		require.NoError(t, f.Close())
	}

	require.NoError(t, s.Remove(t.Context(), keys[0]))
	all = allStored(t, s)
	assert.Len(t, all, len(keys)-1)
	assert.NotContains(t, all, keys[0])

	for range s.All(t.Context()) {
		break // the caller may stop
	}
	walk := s.All(t.Context())
	for range 2 {
		seen := 0
		for _, err := range walk {
			require.NoError(t, err)
			seen++
		}
		assert.Equal(t, len(keys)-1, seen, "and begin again")
	}
}

func mediaAllMeanwhile(t *testing.T, s media.Store) {
	keys := storeSome(t, s, 12)
	staying, going := keys[:6], keys[6:]
	seen := map[media.Key]int{}
	for picture, err := range s.All(t.Context()) {
		require.NoError(t, err)
		seen[picture.Key]++
		if len(going) > 0 {
			require.NoError(t, s.Remove(t.Context(), going[0]))
			going = going[1:]
			storeSome(t, s, 1)
		}
	}
	for _, key := range staying {
		assert.Equal(t, 1, seen[key])
	}
	for key, times := range seen {
		assert.Equal(t, 1, times, key)
	}
	assert.Len(t, allStored(t, s), 12)
}

func mediaAllCancelled(t *testing.T, s media.Store) {
	storeSome(t, s, 6)
	leaving, cancel := context.WithCancel(t.Context())
	defer cancel()
	seen, failed := 0, 0
	for _, err := range s.All(leaving) {
		if err != nil {
			assert.ErrorIs(t, err, context.Canceled)
			failed++
			continue
		}
		assert.Zero(t, failed, "the error is the last")
		seen++
		cancel()
	}
	assert.Equal(t, 1, seen)
	assert.Equal(t, 1, failed, "what is not whole does not look so")
	next, stop := iter.Pull2(s.All(leaving))
	defer stop()
	picture, err, _ := next()
	assert.Zero(t, picture)
	assert.ErrorIs(t, err, context.Canceled, "it does not begin")
}
