package bootstrap_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	var all []bill
	sh.run(append([]string{"order", "list", "--user", uid, "--json"}, flags...)...).ends(done).reads(&all)
	return all
}

func TestPAY12_order_create_list_and_show(t *testing.T) {
	sh := newShell(t)
	uid := sh.somebody("+86-13800000009")
	assert.Empty(t, sh.bills(uid))

	id := sh.run("order", "create", "--user", uid, "--amount", "990", "--subject", "茶").line()
	var made bill
	sh.run("order", "show", id, "--json").ends(done).reads(&made)
	assert.Equal(t, bill{
		ID: 1, User: 1, Subject: "茶", Amount: 990, Currency: "CNY", State: "open",
		CreatedAt: made.CreatedAt, ExpiresAt: made.CreatedAt.Add(2 * time.Hour),
	}, made)
	shown := sh.run("order", "show", id).ends(done).out
	assert.Contains(t, shown, "CNY 9.90")
	assert.Contains(t, shown, "茶")

	var second bill
	sh.run("order", "create", "--user", uid, "--amount", "10000000", "--subject", "House", "--expires-in", "1s",
		"--currency", "CNY", "--json").ends(done).reads(&second)
	assert.Equal(t, time.Second, second.ExpiresAt.Sub(second.CreatedAt))
	assert.Equal(t, []bill{second, made}, sh.bills(uid))
	assert.Equal(t, []bill{second, made}, sh.bills(uid, "--state", "open"))
	assert.Empty(t, sh.bills(uid, "--state", "paid"))
	assert.Equal(t, 3, strings.Count(sh.run("order", "list", "--user", uid).ends(done).out, "\n"))
}

func TestPAY12_order_create_tells_all_that_is_wrong(t *testing.T) {
	sh := newShell(t)
	uid := sh.somebody("+86-13800000009")
	sh.run("order", "create", "--user", "99", "--amount", "0", "--subject", " ", "--currency", "EUR", "--expires-in", "10ms").
		refuses(misused, "\nuser: There is no such user.", "\namount: ", "\nsubject: ", "\ncurrency: ", "\nexpires_in: ")
	for _, amount := range []string{"0", "-990", "10000001"} {
		sh.run("order", "create", "--user", uid, "--amount="+amount, "--subject", "Tea").refuses(misused, "amount: ")
	}
	sh.run("order", "create", "--user", uid, "--amount", "1", "--subject", strings.Repeat("茶", 43)).
		refuses(misused, "subject: Ensure this field has no more than 127 bytes.")
	sh.run("order", "show", "99").refuses(refused, "There is no such order.")
	sh.run("order", "list", "--user", "99").refuses(refused, "There is no such account.")
	require.Empty(t, sh.bills(uid), "nothing was stored")
}
