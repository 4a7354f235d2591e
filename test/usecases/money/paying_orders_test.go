package money_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/test/usecases"
)

func TestPAY12_all_that_is_wrong_is_told_at_once(t *testing.T) {
	w := newFixture(t)
	_, err := w.Create(t.Context(), payment.Draft{
		User: 999, Subject: "Tea", Amount: 0, Currency: payment.CNY, ExpiresIn: time.Hour,
	}, nil, nil)

	f, isFault := fault.As(err)
	require.True(t, isFault, "%v", err)
	assert.Contains(t, f.Fields, "user")
	assert.Contains(t, f.Fields, "amount")
	assert.Len(t, f.Fields, 2)

	_, err = w.Create(t.Context(), payment.Draft{User: 999, Subject: "Tea", Amount: 5, Currency: payment.CNY}, nil,
		fault.Field("expires_in", "unreadable"))
	assert.Equal(t, fault.Fields{"user": {"User not found."}, "expires_in": {"unreadable"}}, fault.FieldsOf(err))
	for _, somebody := range []access.Actor{w.ann, w.bob} {
		orders, err := w.Orders(t.Context(), payment.OrderFilter{User: somebody.ID}, page.Request{})
		require.NoError(t, err)
		assert.Empty(t, orders.Items, "nothing is stored")
	}
}

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
