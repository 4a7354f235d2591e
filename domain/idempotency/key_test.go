package idempotency_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/idempotency"
	"plaza/domain/text"
)

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

// FuzzNewKey makes keys of any name and content. A name has bounded, visible text. Contents
// that differ, even only in where a field ends, have different fingerprints.
func FuzzNewKey(f *testing.F) {
	for _, name := range []string{"k", "", " ", "\u200b", "\xff", "nul\x00", strings.Repeat("k", 255), strings.Repeat("é", 256), "\u202ek"} {
		f.Add(name, "pay", "open_id", "a", uint8(3))
	}
	f.Add("k", "", "\x00", "\x07pay", uint8(0))
	f.Add("k", "pay", "", strings.Repeat("x", 200), uint8(128))
	f.Fuzz(func(t *testing.T, name, operation, field, value string, end uint8) {
		made := func(operation string, fields ...idempotency.Field) [32]byte {
			k, err := idempotency.NewKey(5, name, idempotency.Request{Operation: operation, Fields: fields})
			isName := utf8.ValidString(name) && !strings.ContainsRune(name, 0) && utf8.RuneCountInString(name) <= 255 && !text.IsBlank(name)
			require.Equal(t, isName, err == nil, "%q", name)
			if err != nil {
				require.Contains(t, fault.FieldsOf(err), "Idempotency-Key")
				return [32]byte{}
			}
			require.Equal(t, name, k.Name)
			return k.Fingerprint
		}
		first := made(operation, idempotency.Field{Name: field, Value: value})
		if first == [32]byte{} {
			return
		}
		require.Equal(t, first, made(operation, idempotency.Field{Name: field, Value: value}))
		whole := field + value
		at := int(end) % (len(whole) + 1)
		moved := idempotency.Field{Name: whole[:at], Value: whole[at:]}
		require.Equal(t, moved.Name == field, first == made(operation, moved))
		require.NotEqual(t, first, made(operation, idempotency.Field{Name: field, Value: value}, idempotency.Field{}))
		require.NotEqual(t, first, made(operation+"x", idempotency.Field{Name: field, Value: value}))
		require.NotEqual(t, first, made(operation+field, idempotency.Field{Value: value}, moved))
	})
}
