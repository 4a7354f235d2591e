package idempotency_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
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

func TestGEN13_a_key_tells_requests_apart(t *testing.T) {
	seen := map[[32]byte]bool{}
	for _, asked := range []func() idempotency.Request{
		func() idempotency.Request { return idempotency.Request{Operation: "abc"} },
		func() idempotency.Request { return idempotency.Request{Operation: "a", Fields: fields("b", "c")} },
		func() idempotency.Request { return idempotency.Request{Operation: "a", Fields: fields("bc", "")} },
		func() idempotency.Request { return idempotency.Request{Operation: "ab", Fields: fields("", "c")} },
		func() idempotency.Request {
			return idempotency.Request{Operation: "a", Fields: fields("b", "c", "b", "d")}
		},
		func() idempotency.Request {
			return idempotency.Request{Operation: "a", Fields: fields("b", "d", "b", "c")}
		},
		func() idempotency.Request { return idempotency.Request{Operation: "a", File: strings.NewReader("")} },
		func() idempotency.Request { return idempotency.Request{Operation: "a", File: strings.NewReader("b")} },
		func() idempotency.Request {
			return idempotency.Request{Operation: "a", Fields: fields("b", "c"), File: strings.NewReader("b")}
		},
	} {
		k, err := idempotency.NewKey(5, "one", asked())
		require.NoError(t, err)
		assert.False(t, seen[k.Fingerprint], "%v", asked())
		seen[k.Fingerprint] = true
		again, err := idempotency.NewKey(5, "one", asked())
		require.NoError(t, err)
		assert.Equal(t, k.Fingerprint, again.Fingerprint)
		assert.NotEqual(t, k.Holder, again.Holder)
	}
}

// fields are pairs of names and values.
func fields(pairs ...string) (all []idempotency.Field) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, idempotency.Field{Name: pairs[i], Value: pairs[i+1]})
	}
	return all
}

// A fingerprint outlives the program that stored it: a change of its value refuses every
// retry across an upgrade.
func TestGEN13_fingerprints_of_files_stay_the_same(t *testing.T) {
	picture := bytes.Repeat([]byte("picture"), 100_000)
	k, err := idempotency.NewKey(5, "one", idempotency.Request{Operation: "plate", Fields: fields("event", "7"),
		File: bytes.NewReader(picture)})
	require.NoError(t, err)
	assert.Equal(t, "50801c5dc131554143930c41be739cc68c3ee096bca7934b67f8f7317b62e9d2", hex.EncodeToString(k.Fingerprint[:]))
}

func TestGEN13_a_file_that_cannot_be_read_makes_no_key(t *testing.T) {
	broken := errors.New("broken")
	_, err := idempotency.NewKey(5, "one", idempotency.Request{Operation: "plate", File: iotest.ErrReader(broken)})
	require.ErrorIs(t, err, broken)
	assert.True(t, fault.Is(err, fault.Internal))
}

func TestGEN13_a_key_has_a_form(t *testing.T) {
	for _, no := range []string{"", " ", strings.Repeat("k", 256), "\xff", "nul\x00"} {
		_, err := idempotency.NewKey(5, no, idempotency.Request{})
		assert.Contains(t, fault.FieldsOf(err), "Idempotency-Key", "%q", no)
	}
	for _, yes := range []string{"k", strings.Repeat("é", 255)} {
		_, err := idempotency.NewKey(5, yes, idempotency.Request{})
		assert.NoError(t, err)
	}
}
