package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/domain/payment"
)

// reconciled is what the command prints.
type reconciled struct {
	OK                          bool
	Payments, Refunds, Repaired int
	Findings                    []struct {
		Kind        string
		Transaction string `json:"transaction_id"`
		Order       int64
	}
}

// reconcileArgs are the arguments of the command.
func (s *shop) reconcileArgs(day string) []string {
	return append(append(append([]string{"order", "reconcile", "--json", "--day=" + day}, s.settings...), s.store...), "--wallet-timeout=10s")
}

// reconciles runs the command. Its status is zero if nothing differs.
func (s *shop) reconciles(t *testing.T, day string) (r reconciled, errOut string, status int) {
	t.Helper()
	out, errOut, status := run(t, nil, s.reconcileArgs(day)...)
	if out != "" {
		require.NoError(t, json.Unmarshal([]byte(out), &r), out)
	}
	return r, errOut, status
}

// TestPAY15_the_command_compares_a_bill pays two orders, and loses the notification of one, a line of the bill, and the
// command itself.
func TestPAY15_the_command_compares_a_bill(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	for _, version := range []sandbox.Protocol{sandbox.V2, sandbox.V3} {
		t.Run(string(version), func(t *testing.T) {
			onStores(t, func(t *testing.T, store string) { comparesABill(t, store, version) })
		})
	}
}

func comparesABill(t *testing.T, store string, version sandbox.Protocol) {
	s := openShop(t, store)
	s.poll = "1h" // no server asks after payments meanwhile
	if version == sandbox.V3 {
		s.settings = s.settingsV3
	}
	s.opens(t)
	told, lost := s.wants(0), s.wants(1)
	for _, p := range []*purchase{told, lost} {
		require.Equal(t, http.StatusCreated, p.make(s.now, s.staff).status)
		s.isBegun(t, p, byCode, "")
	}
	s.isToldOrNot(t, told, true)
	s.hearsNothing(t)
	paid := s.isPaid(t, lost)
	today := payment.DayOf(paid.Paid).String()

	require.NoError(t, s.wallet.Misbehave(sandbox.Misbehaviour{On: sandbox.TradeBill, Do: sandbox.Hold}))
	killed := command(t, t.Context(), s.reconcileArgs(today)...)
	var said bytes.Buffer
	killed.Stdout, killed.Stderr = &said, &said
	require.NoError(t, killed.Start())
	held, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := s.wallet.AwaitHeld(held, 1); err != nil {
		_ = killed.Wait()
		require.NoError(t, err, said.String())
	}
	require.NoError(t, killed.Process.Kill())
	require.Error(t, killed.Wait())
	s.wallet.Release()

	r, errOut, status := s.reconciles(t, today)
	require.Zero(t, status, errOut)
	assert.Equal(t, reconciled{OK: true, Payments: 2, Repaired: 1, Findings: r.Findings}, r)
	assert.Empty(t, r.Findings)
	assert.Contains(t, errOut, `act="order reconcile"`)
	var order struct{ Data orderShown }
	c := newCaller(s.now.url)
	defer c.client.CloseIdleConnections()
	read(t, c, lost.payer.key, fmt.Sprintf("/api/pay/order/%d/", lost.id), &order)
	assert.Equal(t, "paid", order.Data.State)

	until(t, func() bool { // a day that is not over is compared up to the last whole second
		require.NoError(t, s.wallet.Misbehave(sandbox.Misbehaviour{On: sandbox.TradeBill, Do: sandbox.LoseLine}))
		r, errOut, status = s.reconciles(t, today)
		return status == 1
	})
	assert.False(t, r.OK)
	require.Len(t, r.Findings, 1)
	assert.Equal(t, "unknown_there", r.Findings[0].Kind)
	assert.Equal(t, paid.TransactionID, r.Findings[0].Transaction)
	assert.Equal(t, lost.id, r.Findings[0].Order)
	assert.Contains(t, errOut, "differs from the orders")

	require.NoError(t, s.wallet.Misbehave(sandbox.Misbehaviour{On: sandbox.TradeBill, Do: sandbox.BadHash}))
	r, errOut, status = s.reconciles(t, today)
	assert.Equal(t, 1, status)
	assert.Zero(t, r, "nothing is printed")
	assert.Contains(t, errOut, "invalid response")
	r, errOut, status = s.reconciles(t, today)
	assert.Zero(t, status, errOut)
	assert.Empty(t, r.Findings)

	for _, wrong := range []string{"yesterday", "2026-11-31", payment.DayOf(time.Now().Add(72 * time.Hour)).String()} {
		_, errOut, status := s.reconciles(t, wrong)
		assert.NotZero(t, status, wrong)
		assert.Contains(t, errOut, "day", wrong)
	}
}
