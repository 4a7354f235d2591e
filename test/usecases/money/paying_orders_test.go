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

func TestPAY12_an_order_is_created(t *testing.T) {
	w := newPayingFixture(t)
	made, err := w.Create(t.Context(), payment.Draft{
		User: w.ann.ID, Subject: "Tea", Amount: 990, Currency: payment.CNY, ExpiresIn: time.Hour,
	}, nil, nil)

	require.NoError(t, err)
	assert.Positive(t, made.ID)
	assert.Equal(t, usecases.Noon.Add(time.Hour), made.Expires)
	kept, err := w.Order(t.Context(), made.ID)
	require.NoError(t, err)
	assert.Equal(t, made, kept)
	chosen, err := w.pay(t, w.ann, 0)
	assert.ErrorIs(t, err, payment.ErrNoWallet, "all else is right")
	assert.Equal(t, made.ID, chosen)
}

func TestPAY12_all_that_is_wrong_is_told_at_once(t *testing.T) {
	w := newPayingFixture(t)
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

func TestPAY12_whose_orders_in_which_state(t *testing.T) {
	w := newPayingFixture(t)
	paid := w.order(t, w.ann, func(o *payment.Order) { o.State, o.PaidAt, o.Transaction = payment.Paid, usecases.Noon, "t1" })
	late := w.order(t, w.ann, func(o *payment.Order) { o.Created = usecases.Noon.Add(time.Minute) })
	closed := w.order(t, w.ann, func(o *payment.Order) { o.State = payment.Closed })
	w.order(t, w.bob)

	for state, want := range map[payment.State][]payment.OrderID{
		"": {late, closed, paid}, payment.Open: {late}, payment.Paid: {paid}, payment.Closed: {closed}, "lost": nil,
	} {
		found, err := w.Orders(t.Context(), payment.OrderFilter{User: w.ann.ID, State: state}, page.Request{})
		require.NoError(t, err)
		var ids []payment.OrderID
		for _, o := range found.Items {
			ids = append(ids, o.ID)
		}
		assert.Equal(t, want, ids, "%q", state)
	}
	_, err := w.Order(t.Context(), 999)
	assert.ErrorIs(t, err, payment.ErrNoOrder)
	own, err := w.OwnOrder(t.Context(), w.ann, paid)
	require.NoError(t, err)
	assert.Equal(t, payment.Paid, own.State)
	_, err = w.OwnOrder(t.Context(), w.bob, paid)
	assert.ErrorIs(t, err, payment.ErrNoOrder)
}

func TestPAY09_an_order_is_created_once_for_a_key(t *testing.T) {
	w := newPayingFixture(t)
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
