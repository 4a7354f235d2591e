package idempotency_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/idempotency"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// oneKey answers every Reserve with the same, and counts the calls.
type oneKey struct {
	answer            *idempotency.Answer
	reserve, release  error
	reserved, until   time.Time
	released          int
	releasedCancelled bool
}

func (o *oneKey) Reserve(_ context.Context, _ idempotency.Key, now, until time.Time) (*idempotency.Answer, error) {
	o.reserved, o.until = now, until
	return o.answer, o.reserve
}

func (o *oneKey) Release(ctx context.Context, _ idempotency.Key) error {
	o.released++
	o.releasedCancelled = ctx.Err() != nil
	return o.release
}

func TestGEN13_Once(t *testing.T) {
	boom, full := errors.New("boom"), fault.New(fault.Conflict, "Full.")
	gone, denied := fault.New(fault.NotFound, "Gone."), fault.New(fault.Denied, "Not yours.")
	k, answer := &idempotency.Key{}, &idempotency.Answer{ID: 5}
	for name, c := range map[string]struct {
		key      *idempotency.Key
		keys     oneKey
		do       error
		repeat   error
		want     string
		err      error
		released int
	}{
		"without a key":                  {want: "done"},
		"without a key, failing":         {do: boom, want: "done", err: boom},
		"the first":                      {key: k, want: "done"},
		"the first, failing":             {key: k, do: full, want: "done", err: full, released: 1},
		"the first, failing with stores": {key: k, keys: oneKey{release: boom}, do: full, want: "done", err: boom, released: 1},
		"in progress":                    {key: k, keys: oneKey{reserve: idempotency.ErrKeyInUse}, err: idempotency.ErrKeyInUse},
		"repeated":                       {key: k, keys: oneKey{answer: answer}, want: "repeated"},
		"repeated, gone":                 {key: k, keys: oneKey{answer: answer}, repeat: gone, want: "repeated", err: idempotency.ErrKeyGone},
		"repeated, not theirs":           {key: k, keys: oneKey{answer: answer}, repeat: denied, want: "repeated", err: idempotency.ErrKeyGone},
		"repeated, failing":              {key: k, keys: oneKey{answer: answer}, repeat: boom, want: "repeated", err: boom},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		got, err := idempotency.Once(ctx, &c.keys, c.key, noon, time.Minute, func(a idempotency.Answer) (string, error) {
			assert.Equal(t, *answer, a, name)
			return "repeated", c.repeat
		}, func() (string, error) {
			cancel() // the client has gone away
			return "done", c.do
		})
		cancel()
		assert.Equal(t, c.want, got, name)
		require.ErrorIs(t, err, c.err, name)
		if c.do != nil {
			require.ErrorIs(t, err, c.do, name)
		}
		assert.Equal(t, c.released, c.keys.released, name)
		assert.False(t, c.keys.releasedCancelled, name)
		if c.key != nil {
			assert.Equal(t, []time.Time{noon, noon.Add(time.Minute)}, []time.Time{c.keys.reserved, c.keys.until}, name)
		}
	}
}
