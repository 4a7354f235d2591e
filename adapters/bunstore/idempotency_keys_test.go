package bunstore

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/idempotency"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	"plaza/domain/userimage"
	testserver "plaza/test/postgres"
)

// TestGEN13_a_key_takes_at_most_two_further_round_trips counts those of every write that
// completes a key, without a key, and with one that is reserved.
func TestGEN13_a_key_takes_at_most_two_further_round_trips(t *testing.T) {
	var counted counter
	s, who := openWithUser(t, Options{URL: testserver.Empty(t), trace: &counted})
	s.sweepDraw = func() int { return 1 } // no sweep: it is a round trip of its own
	events, ctx := s.Events(), t.Context()
	add := func(k *idempotency.Key, charges ...ratelimit.Charge) (*event.Event, error) {
		e, err := event.New(who, event.Change{Title: new("An event"), Publish: new(true)}, calendar.DateOf(noon), noon)
		require.NoError(t, err)
		e.CompleteKey(k)
		return events.Add(ctx, e, charges...)
	}
	e, err := add(nil)
	require.NoError(t, err)
	made := 0
	for _, c := range []struct {
		name           string
		without, keyed int64
		call           func(k *idempotency.Key, charges ...ratelimit.Charge) error
	}{
		{"AddComment", 1, 2, func(k *idempotency.Key, charges ...ratelimit.Charge) error {
			_, err := events.AddComment(ctx, event.Comment{Event: e.ID(), Author: who, Content: "One", Created: noon, Completes: k}, charges...)
			return err
		}},
		{"Add", 1, 2, func(k *idempotency.Key, charges ...ratelimit.Charge) error {
			_, err := add(k, charges...)
			return err
		}},
		{"Change", 4, 4, func(k *idempotency.Key, charges ...ratelimit.Charge) error {
			_, err := events.Change(ctx, e.ID(), func(e *event.Event) error {
				e.CompleteKey(k)
				return e.AddPlate("private/a", 0, noon)
			}, charges...)
			return err
		}},
		{"Images.Add", 2, 2, func(k *idempotency.Key, charges ...ratelimit.Charge) error {
			made++
			i := userimage.New(who, media.Key(fmt.Sprint("public/", made)), 1, 1, 10, userimage.Tags{}, noon)
			i.Completes = k
			_, err := s.Images().Add(ctx, i, charges...)
			return err
		}},
		{"Follow: BEGIN, check, INSERT, the key, COMMIT", 4, 5, func(k *idempotency.Key, charges ...ratelimit.Charge) error {
			made++
			phone, err := user.ParsePhone(fmt.Sprintf("+86-139%08d", made))
			require.NoError(t, err)
			other, err := s.Accounts().Open(ctx, access.Account{Phone: phone}, user.Member{Joined: noon})
			require.NoError(t, err)
			before := counted.n.Load()
			_, _, err = s.Subscriptions().Follow(ctx, subscription.Subscription{User: who, Followed: other, Created: noon, Updated: noon, Completes: k}, charges...)
			counted.n.Store(counted.n.Load() - before) // only the trips of Follow count
			return err
		}},
	} {
		generous := ratelimit.Limits{ratelimit.Comment: {Count: 1000, Period: time.Hour}}
		for i, charge := range []ratelimit.Charge{{}, generous.Charge(int64(who), ratelimit.Comment, noon)} {
			for n := range 2 { // what is prepared once is prepared
				counted.n.Store(0)
				require.NoError(t, c.call(nil, charge), c.name)
				if n > 0 {
					assert.Equal(t, c.without, counted.n.Load(), "%s without a key", c.name)
				}
				k := idempotency.Key{User: who, Name: fmt.Sprint(c.name, i, n), Holder: [16]byte{1}}
				counted.n.Store(0)
				_, err := s.Keys().Reserve(ctx, k, noon, noon.Add(time.Minute))
				require.NoError(t, err)
				assert.EqualValues(t, 1, counted.n.Load(), "Reserve")
				counted.n.Store(0)
				require.NoError(t, c.call(&k, charge), c.name)
				if n > 0 {
					assert.Equal(t, c.keyed, counted.n.Load(), "%s with a key", c.name)
				}
			}
		}
	}
}

// A server from before step 0023 reserves an expired key again without its kind, and answers it
// with an order.
func TestGEN13_an_older_server_answers_a_key_that_had_a_kind(t *testing.T) {
	for name, open := range map[string]func(t testing.TB) string{
		"SQLite": func(t testing.TB) string { return "sqlite:" + t.TempDir() + "/plaza.db" }, "Postgres": testserver.Empty,
	} {
		t.Run(name, func(t *testing.T) {
			s, who := openWithUser(t, Options{URL: open(t)})
			first, later := idempotency.Key{User: who, Name: "one", Holder: [16]byte{1}}, noon.Add(idempotency.KeyLife)
			_, err := s.Keys().Reserve(t.Context(), first, noon, noon.Add(time.Minute))
			require.NoError(t, err)
			image := userimage.New(who, "public/a", 1, 1, 10, userimage.Tags{}, noon)
			image.Completes = &first
			_, err = s.Images().Add(t.Context(), image)
			require.NoError(t, err)

			o, err := s.Ledger().AddOrder(t.Context(), payment.NewOrder(who, "Tea", 990, time.Hour, noon), nil)
			require.NoError(t, err)
			order := idempotency.Key{User: who, Name: "one", Fingerprint: [32]byte{1}}
			_, err = s.db.NewRaw("UPDATE idempotency_keys SET fingerprint = ?, since = ?, order_id = ?",
				order.Fingerprint[:], dbTime{later}, o.ID).Exec(t.Context())
			require.NoError(t, err)
			a, err := s.Keys().Reserve(t.Context(), order, later, later.Add(time.Minute))
			require.NoError(t, err)
			assert.Equal(t, &idempotency.Answer{Key: order, Kind: idempotency.Order, ID: int64(o.ID), At: later}, a)
		})
	}
}
