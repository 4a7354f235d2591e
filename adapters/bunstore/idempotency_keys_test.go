package bunstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/idempotency"
	"plaza/domain/payment"
	"plaza/domain/userimage"
)

// A server from before step 0023 reserves an expired key again without its kind, and answers it
// with an order.
func TestGEN13_an_older_server_answers_a_key_that_had_a_kind(t *testing.T) {
	OnEach(t, func(t *testing.T, url string) {
		s, who := openWithUser(t, Options{URL: url})
		first, later := idempotency.Key{User: who, Name: "one", Holder: [16]byte{1}}, noon.Add(idempotency.KeyLife)
		_, err := s.Keys().Reserve(t.Context(), first, noon, noon.Add(time.Minute))
		require.NoError(t, err)
		image := userimage.New(who, "public/a", 1, 1, 10, userimage.Tags{}, noon)
		image.Completes = &first
		_, err = s.Images().Add(t.Context(), image)
		require.NoError(t, err)

		o, err := s.Ledger().AddOrder(t.Context(), payment.NewOrder(who, "Tea", 990, time.Hour, noon), nil)
		require.NoError(t, err)
		order := idempotency.Key{User: who, Name: "one", Fingerprint: [32]byte{1}}
		_, err = s.db.NewRaw("UPDATE idempotency_keys SET fingerprint = ?, since = ?, order_id = ?",
			order.Fingerprint[:], dbTime{later}, o.ID).Exec(t.Context())
		require.NoError(t, err)
		a, err := s.Keys().Reserve(t.Context(), order, later, later.Add(time.Minute))
		require.NoError(t, err)
		assert.Equal(t, &idempotency.Answer{Key: order, Kind: idempotency.Order, ID: int64(o.ID), At: later}, a)
	})
}
