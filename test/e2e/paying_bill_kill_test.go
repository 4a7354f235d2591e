package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/domain/payment"
)

// billPoint is a step of comparing a bill at which the command is killed.
type billPoint struct {
	name string
	hold func(s *shop) *stop
}

var billPoints = []billPoint{
	{"the wallet is not asked yet", func(s *shop) *stop { return s.gate.stopAt(isBill(requestsPrefix)) }},
	{"the wallet has sent the bill and it is lost", func(s *shop) *stop { return s.gate.stopAt(isBill(answersPrefix)) }},
}

// isBill matches what carries a bill.
func isBill(direction string) func(what string) bool {
	return func(what string) bool { return what == direction+"downloadbill" || what == direction+"file" }
}

// billsOnPostgres are points where a round trip to the database is held.
var billsOnPostgres = []billPoint{
	{"the findings are not stored yet", atTrip(theTrip, "INSERT INTO findings")},
	{"the findings are stored and nothing is taken in", atTrip(theReturn, "INSERT INTO findings")},
	{"the payment is not stored yet", atTrip(theTrip, "INSERT INTO payments", "COMMIT")},
	{"the payment is stored and its finding is open", atTrip(theReturn, "INSERT INTO payments", "COMMIT")},
	{"the end is not stored yet", atTrip(theTrip, "UPDATE findings")},
	{"the end is stored and nobody is told", atTrip(theReturn, "UPDATE findings")},
}

func atTrip(direction string, statements ...string) func(s *shop) *stop {
	return func(s *shop) *stop { return s.cable.stopAtTrip(direction, statements...) }
}

func TestPAY15_a_comparison_that_is_killed_at_any_step_finds_the_same_once(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	onStoresAndVersions(t, func(t *testing.T, store string, version sandbox.Protocol) {
		for _, point := range pointsOn(store, billPoints, map[string][]billPoint{"Postgres": billsOnPostgres}) {
			t.Run(strings.ReplaceAll(point.name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				killComparison(t, store, version, point)
			})
		}
	})
}

// killComparison compares a bill that has a wrong amount, and a payment that no server knows of.
func killComparison(t *testing.T, store string, version sandbox.Protocol, point billPoint) {
	s := openShop(t, store)
	if version == sandbox.V3 {
		s.settings = s.settingsV3
	}
	told, id := s.isSold(t)
	s.isOrdered(t, s.wantsBack(id, 40, ""))
	lost := s.wants(2)
	s.isMade(t, lost)
	s.isBegun(t, lost, byCode, "")
	s.isKilled(t)
	day := payment.DayOf(s.isPaid(t, lost).Paid).String()
	for range 100 {
		require.NoError(t, s.wallet.Misbehave(sandbox.Misbehaviour{On: sandbox.TradeBill, Do: sandbox.Amount}))
	}

	args := s.reconcileArgs(day)
	if s.cable != nil {
		args = append(args, "--database-url="+s.cable.URL)
	}
	held := point.hold(s)
	killed := command(t, t.Context(), args...)
	require.NoError(t, killed.Start())
	held.isReached(t)
	require.NoError(t, killed.Process.Kill())
	require.Error(t, killed.Wait())
	s.gate.clear()
	if s.cable != nil {
		s.cable.clear()
	}
	s.dead()

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
	open := map[string]bool{}
	findings := all[struct {
		Kind     string
		Resolved *string `json:"resolved_at"`
	}](t, c, s.staff, "/api/pay-admin/v1/finding/?")
	for _, f := range findings {
		open[f.Kind] = f.Resolved == nil
	}
	assert.Equal(t, map[string]bool{"amount": true, "unknown_here": false}, open)
	assert.Len(t, findings, len(open), "each once")
	s.wallet.Behave()
	r, errOut, status := s.reconciles(t, day)
	assert.Zero(t, status, errOut)
	assert.Empty(t, r.Findings)
	s.settles(t, told, lost)
}
