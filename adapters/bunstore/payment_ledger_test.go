package bunstore

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/idempotency"
	"plaza/domain/payment"
	"plaza/domain/user"
)

// openWithUser returns a store with the schema and a user.
func openWithUser(t *testing.T, o engine.Options) (*Store, user.ID) {
	t.Helper()
	s := Opened(t, o)
	_, err := s.Migrate(t.Context())
	require.NoError(t, err)
	phone, err := user.ParsePhone("+86-13800000001")
	require.NoError(t, err)
	id, err := s.Accounts.Open(t.Context(), access.Account{Phone: phone}, user.Member{Joined: noon})
	require.NoError(t, err)
	return s, id
}

func TestPAY09_what_bun_has_written_values_into_is_not_kept_prepared(t *testing.T) {
	OnEach(t, func(t *testing.T, url string) {
		s, who := openWithUser(t, engine.Options{URL: url, Connections: 1})
		ledger := s.Ledger
		for i := range 3 {
			k := idempotency.Key{User: who, Name: fmt.Sprint("a key of that name ", i)}
			_, err := ledger.Reserve(t.Context(), k, noon, noon.Add(time.Minute))
			require.NoError(t, err)
			o, err := ledger.AddOrder(t.Context(), payment.NewOrder(who, "Tea", 990, time.Hour, noon), &k)
			require.NoError(t, err)
			require.NoError(t, ledger.Change(t.Context(), o.ID, func(t *payment.Trade) error { return nil }))
			_, err = ledger.Due(t.Context(), noon.Add(2*time.Hour), noon.Add(3*time.Hour), 10)
			require.NoError(t, err)
		}
		var kept []string
		if d, is := s.Dialect.(engine.SQLite); is {
			d.Written.Range(func(text, _ any) bool {
				kept = append(kept, text.(string))
				return true
			})
			assert.NotEmpty(t, kept, "the writer's one connection keeps what is constant")
		} else {
			require.NoError(t, s.Writer.NewRaw("SELECT statement FROM pg_prepared_statements").Scan(t.Context(), &kept))
			assert.Contains(t, kept, "BEGIN", "the one connection keeps what is constant")
		}
		for _, text := range kept {
			assert.NotContains(t, text, `"`, "bun quotes names")
		}
	})
}

func TestPAY11_an_order_that_is_being_changed_holds_up_no_due_one(t *testing.T) {
	t.Parallel()
	s, who := openWithUser(t, engine.Options{URL: MigratedPostgres(t), Limit: 2 * time.Second})
	ledger := s.Ledger
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
