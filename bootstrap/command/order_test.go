package command_test

import (
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/payment"
)

type bill struct {
	ID            int64
	User          int64
	Subject       string
	Amount        int64
	Currency      string
	State         string
	CreatedAt     time.Time  `json:"created_at"`
	ExpiresAt     time.Time  `json:"expires_at"`
	PaidAt        *time.Time `json:"paid_at"`
	TransactionID *string    `json:"transaction_id"`
}

func (sh *shell) bills(uid string, flags ...string) []bill {
	sh.Helper()
	return printed[[]bill](sh, append([]string{"order", "list", "--user", uid}, flags...)...)
}

func TestPAY12_order_create_list_and_show(t *testing.T) {
	sh, uid := newUser(t)
	id := sh.run("order", "create", "--user", uid, "--amount", "990", "--subject", "茶").line()
	made := printed[bill](sh, "order", "show", id)
	assert.Equal(t, bill{
		ID: 1, User: 1, Subject: "茶", Amount: 990, Currency: "CNY", State: "open",
		CreatedAt: made.CreatedAt, ExpiresAt: made.CreatedAt.Add(2 * time.Hour),
	}, made)
	shown := sh.run("order", "show", id).ends(done).out
	assert.Contains(t, shown, "CNY 9.90")
	assert.Contains(t, shown, "茶")

	second := printed[bill](sh, "order", "create", "--user", uid, "--amount", "10000000", "--subject", "House", "--expires-in", "1s",
		"--currency", "CNY")
	assert.Equal(t, time.Second, second.ExpiresAt.Sub(second.CreatedAt))
	assert.Equal(t, []bill{second, made}, sh.bills(uid))
	assert.Empty(t, sh.bills(uid, "--state", "paid"))
}

func TestPAY12_order_create_tells_all_that_is_wrong(t *testing.T) {
	sh, uid := newUser(t)
	sh.run("order", "create", "--user", "99", "--amount", "0", "--subject", " ", "--currency", "EUR", "--expires-in", "10ms").
		refuses(misused, "\n--user: User not found.", "\n--amount: ", "\n--subject: ", "\n--currency: ", "\n--expires-in: ")
	sh.run("order", "create", "--user", uid, "--amount", "9.90", "--subject", "Tea").
		refuses(misused, `--amount: "9.90" is not a whole number. Amount in minor units: 990 is ¥9.90.`)
	sh.run("order", "show", "99").refuses(refused, "Order not found.")
	sh.run("order", "list", "--user", "99").refuses(refused, "Account not found.")
	assert.Empty(t, sh.bills(uid), "nothing was stored")
}

// within calls work with Plaza over the shell's database.
func (sh *shell) within(work func(*bootstrap.App)) {
	sh.Helper()
	var line struct{ settings.Config }
	p, err := settings.NewParser(&line, settings.Offered{})
	require.NoError(sh, err)
	_, err = p.Parse([]string{"--database-url=" + sh.database, "--data-dir=" + sh.dataDir, "--public-url=https://plaza.example.org"})
	require.NoError(sh, err)
	config, err := bootstrap.Check(line.Config)
	require.NoError(sh, err)
	app, err := bootstrap.NewApp(sh.Context(), config, slog.New(slog.DiscardHandler), bootstrap.Parts{})
	require.NoError(sh, err)
	work(app)
	require.NoError(sh, app.Close())
}

// receives has money come in for the order.
func (sh *shell) receives(order int64, transaction string, at time.Time) {
	sh.Helper()
	intent := payment.Intent{EndType: payment.Native, App: payment.OfficialAccount}
	come := func(t *payment.Trade) error {
		if t.Order.State == payment.Open {
			_, err := t.Begin(payment.BeginRequest{Intent: intent, Protocol: "v2", TradeNo: "P1",
				BuildRequest: func(payment.Order, payment.Intent, payment.TradeNo, netip.Addr) ([]byte, error) {
					return []byte("a request"), nil
				}}, at)
			require.NoError(sh, err)
		}
		t.Settle(payment.Receipt{TransactionID: transaction, TradeNo: "P1", App: intent.App, Amount: 990, Currency: "CNY", Paid: at}, at)
		return nil
	}
	sh.within(func(app *bootstrap.App) {
		require.NoError(sh, app.Stores.Ledger.Change(sh.Context(), payment.OrderID(order), come))
	})
}

func TestPAY11_order_show_and_payments(t *testing.T) {
	sh, uid := newUser(t)
	id := sh.run("order", "create", "--user", uid, "--amount", "990", "--subject", "Tea").line()
	assert.Equal(t, "[]\n", sh.run("order", "payments", "--json").ends(done).out)
	at := time.Now().UTC().Truncate(time.Second)
	sh.receives(1, "t1", at)
	sh.receives(1, "t2", at.Add(time.Second))

	var shown struct {
		bill
		Journal []struct{ Noted string }
	}
	sh.run("order", "show", id, "--json").ends(done).reads(&shown)
	assert.Equal(t, "paid", shown.State)
	require.Len(t, shown.Journal, 4)
	assert.Equal(t, "refund due", shown.Journal[3].Noted)
	assert.Contains(t, sh.run("order", "show", id).ends(done).out, "refund due")

	type money struct {
		ID          int64
		Order       *int64
		Transaction string `json:"transaction_id"`
		State       string
		Amount      int64
		Currency    string
		Received    time.Time `json:"received_at"`
		Refunded    int64
	}
	assert.Equal(t, []money{{2, new(int64(1)), "t2", "refund_due", 990, "CNY", at.Add(time.Second), 0}},
		printed[[]money](sh, "order", "payments", "--state", "refund_due"))
	table := sh.run("order", "payments").ends(done).out
	assert.Contains(t, table, "CNY 9.90")
	assert.Equal(t, 3, strings.Count(table, "\n"))
}

func TestPAY14_order_refund_and_refunds(t *testing.T) {
	sh, uid := newUser(t)
	sh.run("order", "create", "--user", uid, "--amount", "990", "--subject", "Tea").line()
	sh.receives(1, "t1", time.Now().UTC().Truncate(time.Second))
	sh.run("order", "refund", "1", "--reason", "Cold").refuses(refused, "No wallet is configured.")
	sh.run("order", "refund", "99", "--reason", "Cold").refuses(refused, "Payment not found.")
	sh.run("order", "refund", "1", "--amount", "0", "--reason", " ").refuses(misused, "--amount: ", "--reason: ")

	sh.within(func(app *bootstrap.App) {
		_, err := app.Stores.Ledger.ChangeRefunds(t.Context(), 1, func(a *payment.RefundAccount) error {
			return a.Request(payment.RefundDraft{Reason: "Cold", Origin: payment.RefundByCommand}, "refund-1", time.Now())
		})
		require.NoError(t, err)
	})
	var all []struct {
		ID, Payment, Amount   int64
		State, Reason, Origin string
		WalletID              *string `json:"wallet_refund_id"`
		Staff                 *int64
		Created               time.Time `json:"created_at"`
	}
	sh.run("order", "refunds", "--state", "processing", "--payment", "1", "--json").ends(done).reads(&all)
	require.Len(t, all, 1)
	assert.Equal(t, []any{int64(1), int64(1), int64(990), "processing", "Cold", "command"},
		[]any{all[0].ID, all[0].Payment, all[0].Amount, all[0].State, all[0].Reason, all[0].Origin})
	assert.Contains(t, sh.run("order", "refunds").ends(done).out, "CNY 9.90")
	assert.Contains(t, sh.run("order", "show", "1").ends(done).out, "by the command line")
	assert.Contains(t, sh.run("order", "payments").ends(done).out, "REFUNDED")
}

func TestPAY15_order_reconcile_says_what_is_wrong_with_a_day(t *testing.T) {
	sh := newShell(t)
	sh.run("order", "reconcile", "--day", "2026-11-20").refuses(refused, "No wallet is configured.")
	sh.run("order", "reconcile").refuses(misused, "--day")
	sh.run("order", "reconcile", "--day", "2026-11-31").refuses(misused, "is not a day like 2026-11-20")
	sh.run("order", "reconcile", "--day", "2999-01-01", "--wallet", "sandbox").refuses(misused, "--day: This day is in the future.")
	sh.run("order", "reconcile", "--day", "2026-11-20", "--wallet", "sandbox", "--wallet-url", "http://127.0.0.1:1").
		refuses(refused, "bill of 2026-11-20", "connection refused")
}
