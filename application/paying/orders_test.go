package paying_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
)

func TestPAY12_an_order_is_created(t *testing.T) {
	w := newWorld(t)
	made, err := w.Create(t.Context(), payment.Draft{
		User: w.ann.ID, Subject: "Tea", Amount: 990, Currency: payment.CNY, ExpiresIn: time.Hour,
	})
	require.NoError(t, err)
	assert.Positive(t, made.ID)
	assert.Equal(t, noon.Add(time.Hour), made.Expires)
	kept, err := w.Order(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, kept)
	chosen, err := w.pay(t, w.ann, 0)
	assert.ErrorIs(t, err, payment.ErrNoWallet, "all else is right")
	assert.Equal(t, made.ID, chosen)
}

func TestPAY12_all_that_is_wrong_is_told_at_once(t *testing.T) {
	w := newWorld(t)
	_, err := w.Create(t.Context(), payment.Draft{
		User: 999, Subject: "Tea", Amount: 0, Currency: payment.CNY, ExpiresIn: time.Hour,
	})
	f, isFault := fault.Of(err)
	require.True(t, isFault, "%v", err)
	assert.Contains(t, f.Fields, "user")
	assert.Contains(t, f.Fields, "amount")
	assert.Len(t, f.Fields, 2)

	for _, somebody := range []payment.Draft{{User: w.ann.ID}, {User: w.bob.ID}} {
		orders, err := w.Orders(t.Context(), somebody.User, "")
		require.NoError(t, err)
		assert.Empty(t, orders, "nothing is stored")
	}
}

func TestPAY12_whose_orders_in_which_state(t *testing.T) {
	w := newWorld(t)
	paid := w.order(t, w.ann, func(o *payment.Order) { o.State, o.PaidAt, o.Transaction = payment.Paid, noon, "t1" })
	late := w.order(t, w.ann, func(o *payment.Order) { o.Created = noon.Add(time.Minute) })
	closed := w.order(t, w.ann, func(o *payment.Order) { o.State = payment.Closed })
	w.order(t, w.bob)

	for state, want := range map[payment.State][]payment.OrderID{
		"": {late, closed, paid}, payment.Open: {late}, payment.Paid: {paid}, payment.Closed: {closed}, "lost": nil,
	} {
		found, err := w.Orders(t.Context(), w.ann.ID, state)
		require.NoError(t, err)
		var ids []payment.OrderID
		for _, o := range found {
			ids = append(ids, o.ID)
		}
		assert.Equal(t, want, ids, "%q", state)
	}
	_, err := w.Order(t.Context(), 999)
	assert.ErrorIs(t, err, payment.ErrNoOrder)
}
