package bunstore

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/media"
)

func TestReferences_are_all_however_many_there_are(t *testing.T) {
	OnEach(t, func(t *testing.T, url string) {
		const many = 2001 // more than are read at once
		s, _ := openWithUser(t, engine.Options{URL: url})
		require.NoError(t, s.Write(t.Context(), func(tx *engine.Tx) error {
			for n := range many {
				tx.Queue(constants["reserveKey"].Postgres, fmt.Sprintf("public/%05d", n), noon)
			}
			return nil
		}))
		found := map[media.Key]bool{}
		for r, err := range s.Deletions.References(t.Context()) {
			require.NoError(t, err)
			assert.Falsef(t, found[r.Key], "%s again", r.Key)
			found[r.Key] = true
		}
		assert.Len(t, found, many)
	})
}
