package bunstore

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/feed"
	"plaza/domain/user"
)

// An erasure finds a person's records before it locks out imports, which may give them to another author meanwhile.
func TestUSR07_records_that_have_another_author_by_now_stay(t *testing.T) {
	OnEach(t, func(t *testing.T, at string) {
		s, err := Open(t.Context(), engine.Options{URL: at})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		people := make([]user.ID, 2)
		joined := time.Unix(1, 0).UTC()
		for i := range people {
			phone, err := user.ParsePhone(fmt.Sprint("+86-1380000000", i))
			require.NoError(t, err)
			people[i], err = s.Accounts().Open(t.Context(), access.Account{Phone: phone},
				user.Member{Firstname: "Ana", Timezone: "UTC", Joined: joined})
			require.NoError(t, err)
		}
		const insert = `
			INSERT INTO nodes (id, title, summary, author_id, language, published, deleted, created, updated)
			VALUES ($1, 'A title', '', $2, 'en', TRUE, FALSE, $3, $3)`
		var left []int64
		require.NoError(t, s.Write(t.Context(), func(tx *engine.Tx) error {
			tx.Queue(insert, 7, people[0], joined)
			tx.Queue(insert, 8, people[1], joined)
			ctx := tx.Context()
			if _, err := eraseRecords[nodeRow](feed.Node)(s.PersonalData(), ctx, tx, people[0], []int64{7, 8}); err != nil {
				return err
			}
			return tx.NewSelect().Table("nodes").Column("id").Scan(ctx, &left)
		}))
		assert.Equal(t, []int64{8}, left)
	})
}
