package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"testing"

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
func (s *checkout) reconcileArgs(day string) []string {
	return append(append(append([]string{"order", "reconcile", "--json", "--day=" + day}, s.settings...), s.store...), "--wallet-timeout=10s")
}

// reconciles runs the command. Its status is zero if nothing differs.
func (s *checkout) reconciles(t *testing.T, day string) (r reconciled, errOut string, status int) {
	t.Helper()
	out, errOut, status := run(t, nil, s.reconcileArgs(day)...)
	if out != "" {
		require.NoError(t, json.Unmarshal([]byte(out), &r), out)
	}
	return r, errOut, status
}

var billMessage = regexp.MustCompile(` (downloadbill|tradebill|file)$`)

// isOfBills reports whether the message is about a bill, or is about a change of payments in the database.
func isOfBills(message string) bool {
	return writesPayments.MatchString(message) || billMessage.MatchString(message)
}

func TestPAY15_a_comparison_that_is_killed_at_any_step_finds_the_same_once(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	onStoresAndVersions(t, func(t *testing.T, store string, version sandbox.Protocol) {
		t.Parallel()
		s := openCheckout(t, store)
		if version == sandbox.V3 {
			s.settings = s.settingsV3
		}
		s.opens(t)
		told := s.isBegunAnew(t, 0, byCode)
		s.isPaid(t, told)
		s.isOrdered(t, s.wantsBack(s.paymentOf(t, told), 40, ""))
		s.killAtEachStep(t, flow{steps: isOfBills, attempt: comparesBill})
		s.settles(t, s.orders...)
		s.wallet.Behave()
		r, errOut, status := s.reconciles(t, s.billDay())
		assert.Zero(t, status, errOut)
		assert.Empty(t, r.Findings)
	})
}

// billDay returns the day of the first payment.
func (s *checkout) billDay() string { return payment.DayOf(s.trades(s.orders[0])[0].Paid).String() }

// comparesBill compares a bill that has a wrong amount, and a payment that no server knows of.
func comparesBill(t *testing.T, s *checkout, n int) attempt {
	lost := s.isBegunAnew(t, n+1, byCode)
	s.isKilled(t)
	s.isPaid(t, lost)
	day := s.billDay()
	if n == 0 {
		s.misbehaves(t, sandbox.Misbehaviour{On: sandbox.TradeBill, Do: sandbox.Amount})
	}
	args := s.reconcileArgs(day)
	if s.databaseProxy != nil {
		args = append(args, "--database-url="+s.databaseProxy.URL)
	}
	compares := command(t, t.Context(), args...)
	return attempt{
		begin: func(ctx context.Context) {
			if assert.NoError(t, compares.Start()) {
				defer context.AfterFunc(ctx, func() { _ = compares.Process.Kill() })()
				_ = compares.Wait()
			}
		},
		finish: func() {
			for n := range 2 {
				r, errOut, status := s.reconciles(t, day)
				assert.Equal(t, 1, status, errOut)
				require.Len(t, r.Findings, 1, errOut)
				assert.Equal(t, "amount", r.Findings[0].Kind)
				assert.LessOrEqual(t, r.Repaired, 1-n, "nothing is taken in twice")
			}
			s.opens(t)
			c := newCaller(s.now.url)
			defer c.client.CloseIdleConnections()
			states := map[string]int{}
			for _, f := range all[struct {
				Kind     string
				Resolved *string `json:"resolved_at"`
			}](t, c, s.staff, "/api/pay-admin/v1/finding/?") {
				states[fmt.Sprint(f.Kind, " ", f.Resolved != nil)]++
			}
			assert.Equal(t, map[string]int{"amount false": 1, "unknown_here true": n + 1}, states, "each once")
		},
	}
}
