package bunstore

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/idempotency"
	"plaza/domain/page"
	"plaza/domain/payment"
	"plaza/domain/user"
	testserver "plaza/test/postgres"
)

// openWithUser returns a store with the schema and a user.
func openWithUser(t *testing.T, o Options) (*Store, user.ID) {
	t.Helper()
	s, err := Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	_, err = s.Migrate(t.Context())
	require.NoError(t, err)
	phone, err := user.ParsePhone("+86-13800000001")
	require.NoError(t, err)
	id, err := s.Accounts().Open(t.Context(), access.Account{Phone: phone}, user.Member{Joined: noon})
	require.NoError(t, err)
	return s, id
}

func TestPAY09_keys_that_are_forgotten_are_removed(t *testing.T) {
	for name, url := range map[string]string{
		"SQLite": "sqlite:" + filepath.Join(t.TempDir(), "plaza.db"), "Postgres": testserver.Empty(t),
	} {
		t.Run(name, func(t *testing.T) {
			s, who := openWithUser(t, Options{URL: url})
			ledger := s.Ledger()
			for _, k := range []idempotency.Key{{User: who, Name: "old"}, {User: who, Name: "young"}} {
				at := noon
				if k.Name == "young" {
					at = noon.Add(time.Microsecond)
				}
				_, err := ledger.Reserve(t.Context(), k, at, at.Add(time.Minute))
				require.NoError(t, err)
			}
			_, err := ledger.AddOrder(t.Context(), payment.NewOrder(who, "Tea", 990, time.Hour, noon), &idempotency.Key{User: who, Name: "old"})
			require.NoError(t, err)
			s.sweep(t.Context(), expiredKeys(noon.Add(idempotency.KeyLife)))
			var kept []string
			require.NoError(t, s.reader.NewSelect().Table("idempotency_keys").Column("name").Scan(t.Context(), &kept))
			assert.Equal(t, []string{"young"}, kept)
		})
	}
}

func TestPAY09_what_bun_has_written_values_into_is_not_kept_prepared(t *testing.T) {
	for name, url := range map[string]string{
		"SQLite": "sqlite:" + filepath.Join(t.TempDir(), "plaza.db"), "Postgres": testserver.Empty(t),
	} {
		t.Run(name, func(t *testing.T) {
			s, who := openWithUser(t, Options{URL: url, Connections: 1})
			ledger := s.Ledger()
			for i := range 3 {
				k := idempotency.Key{User: who, Name: fmt.Sprint("a key of that name ", i)}
				_, err := ledger.Reserve(t.Context(), k, noon, noon.Add(time.Minute))
				require.NoError(t, err)
				o, err := ledger.AddOrder(t.Context(), payment.NewOrder(who, "Tea", 990, time.Hour, noon), &k)
				require.NoError(t, err)
				require.NoError(t, ledger.Change(t.Context(), o.ID, func(t *payment.Trade) error { return nil }))
			}
			var kept []string
			if d, is := s.dialect.(sqlite); is {
				kept = slices.Concat(slices.Collect(maps.Keys(d.written.kept)), slices.Collect(maps.Keys(d.written.unprepared)))
			} else {
				require.NoError(t, s.db.NewRaw("SELECT statement FROM pg_prepared_statements").Scan(t.Context(), &kept))
				assert.Contains(t, kept, "BEGIN", "the one connection keeps what is constant")
			}
			for _, text := range kept {
				assert.NotRegexp(t, "idempotency_keys|prepayments|journal", text)
			}
		})
	}
}

func TestPAY09_what_a_ledger_asks_for_goes_and_comes_together(t *testing.T) {
	var counted counter
	s, who := openWithUser(t, Options{URL: testserver.Empty(t), trace: &counted})
	s.sweepDraw = func() int { return 1 } // no sweep: it is a round trip of its own
	ledger := s.Ledger()
	o, err := ledger.AddOrder(t.Context(), payment.NewOrder(who, "Tea", 990, time.Hour, noon), nil)
	require.NoError(t, err)
	k := idempotency.Key{User: who, Name: "k"}
	settle := func(t *payment.Trade) error {
		t.Settle(payment.Receipt{TransactionID: "t", TradeNo: "lost", Amount: 1, Currency: payment.CNY}, noon)
		t.NextCheck = noon
		t.Answer = &idempotency.Answer{Key: k, Kind: idempotency.Order, ID: int64(o.ID), At: noon}
		return nil
	}
	for _, c := range []struct {
		name  string
		trips int64
		call  func() error
	}{
		{"Reserve", 1, func() error { _, err := ledger.Reserve(t.Context(), k, noon, noon.Add(time.Minute)); return err }},
		{"Change: BEGIN, what is read, the answer, the order, what else is written", 5, func() error { return ledger.Change(t.Context(), o.ID, settle) }},
		{"Payments", 1, func() error { _, err := ledger.Payments(t.Context(), payment.Disputed, page.Request{}); return err }},
		{"Due: BEGIN, what is due, what is put off", 3, func() error {
			due, err := ledger.Due(t.Context(), o.Expires, o.Expires.Add(time.Hour), 10)
			assert.Len(t, due, 1)
			return err
		}},
		{"AddUnmatched", 1, func() error {
			_, err := ledger.AddUnmatched(t.Context(), payment.Payment{TransactionID: "u", State: payment.Disputed, Received: noon})
			return err
		}},
	} {
		before := counted.n.Load()
		require.NoError(t, c.call(), c.name)
		assert.LessOrEqual(t, counted.n.Load()-before, c.trips, c.name)
	}
}

func TestPAY11_an_order_that_is_being_changed_holds_up_no_due_one(t *testing.T) {
	s, who := openWithUser(t, Options{URL: testserver.Empty(t), Limit: 2 * time.Second})
	ledger := s.Ledger()
	changed, err := ledger.AddOrder(t.Context(), payment.NewOrder(who, "Tea", 990, time.Hour, noon), nil)
	require.NoError(t, err)
	other, err := ledger.AddOrder(t.Context(), payment.NewOrder(who, "Tea", 990, time.Hour, noon), nil)
	require.NoError(t, err)
	var due []payment.OrderID
	require.NoError(t, ledger.Change(t.Context(), changed.ID, func(*payment.Trade) (err error) {
		done := make(chan struct{})
		go func() { // from another goroutine, as another caller
			defer close(done)
			due, err = ledger.Due(t.Context(), noon.Add(time.Hour), noon.Add(2*time.Hour), 10)
		}()
		<-done
		return err
	}))
	assert.Equal(t, []payment.OrderID{other.ID}, due)
}
