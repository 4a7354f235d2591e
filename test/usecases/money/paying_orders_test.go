package money_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/idempotency"
	"plaza/domain/payment"
	"plaza/test/usecases"
)

func TestPAY09_an_order_is_created_once_for_a_key(t *testing.T) {
	w := newFixture(t)
	draft := payment.Draft{User: w.ann.ID, Subject: "Tea", Amount: 990, Currency: payment.CNY, ExpiresIn: time.Hour}
	k, err := idempotency.NewKey(w.bob.ID, "one", payment.CreateContent(draft))
	require.NoError(t, err)
	made, err := w.Create(t.Context(), draft, k, nil)
	require.NoError(t, err)
	require.NoError(t, w.ledger.Change(t.Context(), made.ID, func(t *payment.Trade) error {
		t.Order.State, t.Order.PaidAt, t.Order.Transaction = payment.Paid, usecases.Noon, "t1"
		return nil
	}))
	again, err := w.Create(t.Context(), draft, k, nil)
	require.NoError(t, err)
	assert.Equal(t, made, again, "as it was made")

	wrong := draft
	wrong.Amount = 0
	k, err = idempotency.NewKey(w.bob.ID, "two", payment.CreateContent(wrong))
	require.NoError(t, err)
	_, err = w.Create(t.Context(), wrong, k, nil)
	require.Error(t, err)
	k.Fingerprint = [32]byte{}
	_, err = w.Create(t.Context(), draft, k, nil)
	require.NoError(t, err, "the error has released the key")
}
