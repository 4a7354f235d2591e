package demo_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/bootstrap/demo"
	"plaza/domain/audit"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// The back office finds a payment that came in twice, a reported comment, a disabled account with its audit record, and an
// import with lines that were rejected.
func TestOFF02_the_demo_has_work_for_staff(t *testing.T) {
	const nora, owen, rex = user.ID(4), user.ID(7), user.ID(14)
	w := loaded(t, loadOnce)
	orders := whole(t, func(p page.Request) (page.Page[payment.Order], error) {
		return w.ports.Ledger.Orders(t.Context(), payment.OrderFilter{State: payment.Paid}, p)
	})
	payments := whole(t, func(p page.Request) (page.Page[payment.Payment], error) {
		return w.ports.Ledger.Payments(t.Context(), payment.PaymentFilter{Order: orders[0].ID}, p)
	})
	atWallet, err := demo.WalletPayments("wx1")
	require.NoError(t, err)
	for i, state := range []payment.PaymentState{payment.RefundDue, payment.Applied} { // the newest first
		assert.Equal(t, state, payments[i].State)
		assert.Equal(t, atWallet[i], ledger.Trade{
			OutTradeNo: string(payments[i].TradeNo), TransactionID: payments[i].TransactionID, AppID: "wx1", Body: orders[0].Subject,
			Amount: payments[i].Amount, Created: atWallet[i].Created, Paid: payments[i].Paid.In(atWallet[i].Paid.Location()),
		})
	}

	cases, err := w.ports.Moderation.Cases(t.Context(), moderation.Query{})
	require.NoError(t, err)
	require.Len(t, cases.Items, 1)
	r := cases.Items[0]
	assert.Equal(t, []user.ID{owen, rex}, []user.ID{r.Notes[0].By, r.Owner})
	assert.Contains(t, r.Versions[0].Content, "watches")

	account, err := w.ports.Accounts.ByID(t.Context(), rex)
	require.NoError(t, err)
	assert.True(t, account.Disabled)
	acts, err := w.store.Audit.List(t.Context(), audit.Query{})
	require.NoError(t, err)
	require.Len(t, acts.Items, 1)
	act := acts.Items[0]
	assert.Equal(t, audit.Record{
		ID: act.ID, At: time.Date(2026, 11, 19, 20, 30, 0, 0, time.UTC), By: audit.Actor{Staff: nora}, Act: audit.AccountDisabled,
		Object: audit.Numbered(audit.Account, rex), About: rex, Reason: "A new account that only advertises.",
		ByName: "Nora Ashcombe", AboutName: "Rex Vale",
	}, act)

	runs, err := w.store.Imports.Runs(t.Context(), imported.RunFilter{}, page.Request{})
	require.NoError(t, err)
	assert.EqualValues(t, 2, runs.Items[0].Rejected)
	rejects, err := w.store.Imports.RejectsOf(t.Context(), runs.Items[0].ID)
	require.NoError(t, err)
	assert.Equal(t, []int64{2, 3}, []int64{rejects[0].Line, rejects[1].Line})
}

func TestFED11_the_demo_has_texts_to_read_in_several_languages(t *testing.T) {
	w := loaded(t, loadOnce)
	for id, want := range map[int64][]string{2: {"zh", "es", "fr"}, 9: {"fr", "es"}, 24: {"zh"}} {
		opened, err := w.store.Feed.Card(t.Context(), feed.Publication, id)
		require.NoError(t, err)
		assert.NotEmpty(t, opened.HTML)
		var languages []string
		for _, other := range opened.Translations {
			languages = append(languages, other.Language)
			in, err := w.store.Feed.Card(t.Context(), feed.Publication, other.ID)
			require.NoError(t, err)
			assert.NotEmpty(t, in.HTML, other.Title)
		}
		assert.Equal(t, want, languages)
	}
}
