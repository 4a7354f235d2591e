package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/payment"
	"plaza/domain/secret"
)

func TestReadable_says_faults_in_sentences(t *testing.T) {
	assert.NoError(t, readable(nil))
	ours := errors.New("disk on fire")
	assert.Same(t, ours, readable(ours))
	away := fault.New(fault.Unavailable, "The data can't be reached.")
	for _, c := range []struct {
		err    error
		want   string
		status int
	}{
		{access.ErrNoAccount, "Account not found.", failed},
		{fmt.Errorf("looking: %w", access.ErrNoAccount), "looking: Account not found.", failed},
		{fmt.Errorf("%w: %w", away, ours), "The data can't be reached: disk on fire", failed},
		{errors.Join(access.ErrNoAccount, ours), "Account not found.\ndisk on fire", failed},
		{access.ErrPhoneTaken, "wrong values:\nusername: An account with this phone number exists.", failed},
		{fault.Fields{"b": {"One.", "Two."}, "a": {"Three."}}.Err(), "wrong values:\na: Three.\nb: One. Two.", usage},
	} {
		err := readable(c.err)
		assert.EqualError(t, err, c.want)
		assert.Equal(t, c.status, statusOf(err), c.want)
		assert.ErrorIs(t, err, c.err, "the cause stays")
	}
}

func TestWhereabouts_never_tell_a_password(t *testing.T) {
	for address, want := range map[string]string{
		"sqlite:/var/lib/plaza.db":                           "/var/lib/plaza.db",
		"sqlite:rel/a b.db":                                  "rel/a b.db",
		"postgres://me:hunter22@db:5432/plaza":               "postgres://db:5432/plaza",
		"postgresql://db/plaza?password=hunter22&user=me":    "postgresql://db/plaza",
		"postgres:///plaza?host=/tmp&password=hunter22":      "postgres:///plaza",
		"postgres://me:hun%ter@db/plaza?sslkey=/tmp/hunter2": "the database",
	} {
		assert.Equal(t, want, displayURL(Config{DatabaseURL: address}), address)
	}
}

func TestNames(t *testing.T) {
	assert.Equal(t, []string{"a", "b"}, splitNames(" a,b ,, "))
	assert.Equal(t, []string{}, splitNames(""), "which is not the same as nothing said")
	assert.Equal(t, "a,b", listed([]string{"a", "b"}))
	assert.Equal(t, "-", listed([]string(nil)))
}

func TestExpectation(t *testing.T) {
	assert.Equal(t, "a whole number", expectation(reflect.TypeFor[*int64]()))
	assert.Equal(t, "a duration like 30s or 2h", expectation(reflect.TypeFor[*time.Duration]()))
	assert.Equal(t, "one of debug, info, warn, error", expectation(reflect.TypeFor[slog.Level]()))
	assert.Empty(t, expectation(reflect.TypeFor[Origins]()))
	assert.Empty(t, expectation(reflect.TypeFor[ownInt]()), "its own error says more")
}

// ownInt is a number that parses itself.
type ownInt int

func (*ownInt) UnmarshalText([]byte) error { return nil }

func TestNearest(t *testing.T) {
	known := []string{"PLAZA_ADDR", "PLAZA_DATA_DIR", "PLAZA_LOG_FORMAT", "PLAZA_LOG_LEVEL"}
	for name, want := range map[string]string{
		"PLAZA_LOG_LVL": "PLAZA_LOG_LEVEL", "PLAZA_LOGLEVEL": "PLAZA_LOG_LEVEL", "PLAZA_LOG_FROMAT": "PLAZA_LOG_FORMAT",
		"PLAZA_ADRR": "PLAZA_ADDR", "PLAZA_DATADIR": "PLAZA_DATA_DIR", "PLAZA_DB": "", "PLAZA_LOG": "", "PLAZA_": "",
	} {
		assert.Equal(t, want, nearest(name, known), name)
	}
	for _, c := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"sitting", "kitten", 3}, {"ab", "ba", 2}, {"ab", "ab", 0}} {
		assert.Equal(t, c.want, distance(c.a, c.b), "%s %s", c.a, c.b)
	}
}

func TestPrice(t *testing.T) {
	for amount, want := range map[int64]string{1: "CNY 0.01", 990: "CNY 9.90", 10_000_000: "CNY 100000.00"} {
		assert.Equal(t, want, price(payment.Order{Amount: amount, Currency: payment.CNY}))
	}
}

func TestOneLine(t *testing.T) {
	assert.Equal(t, "茶\t [2Ja b", oneLine("茶\t\x1b[2Ja\nb"))
}

func failing() iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		if yield(1, nil) && yield(0, errors.New("boom")) {
			panic("going on after a failure")
		}
	}
}

func TestPrintArray(t *testing.T) {
	for want, rows := range map[string][]int{"[]\n": nil, "[\n1\n]\n": {1}, "[\n1,\n2\n]\n": {1, 2}} {
		var out strings.Builder
		require.NoError(t, printArray(&out, each(rows)))
		assert.Equal(t, want, out.String())
	}
	assert.EqualError(t, printArray(io.Discard, failing()), "boom")
}

func TestPrintTable(t *testing.T) {
	var out strings.Builder
	row := func(n int) string { return fmt.Sprintf("%d\tone", n) }
	require.NoError(t, printTable(&out, "ID\tNAME", each([]int{1, 100}), row))
	assert.Equal(t, "ID   NAME\n1    one\n100  one\n", out.String())
	out.Reset()
	assert.EqualError(t, printTable(&out, "ID\tNAME", failing(), row), "boom")
	assert.Contains(t, out.String(), "1   one", "rows before the failure are printed")
}

func TestPasswordOr(t *testing.T) {
	for input, want := range map[string]string{
		"correct horse\n": "correct horse", "correct horse": "correct horse", " spaces count \r\nmore\n": " spaces count ",
	} {
		restore := Stdin(strings.NewReader(input))
		got, err := passwordOr(t.Context(), streams{io.Discard, io.Discard}, secret.String{})
		restore()
		require.NoError(t, err)
		assert.Equal(t, want, got.Reveal())
	}
	for _, none := range []string{"", "\n", "\r\n"} {
		restore := Stdin(strings.NewReader(none))
		_, err := passwordOr(t.Context(), streams{io.Discard, io.Discard}, secret.String{})
		restore()
		assert.True(t, fault.Is(err, fault.Invalid), "%v", err)
	}
	got, err := passwordOr(t.Context(), streams{}, secret.New("from the flag"))
	require.NoError(t, err)
	assert.Equal(t, "from the flag", got.Reveal())
}

func TestPasswordOr_an_interrupt_ends_the_waiting(t *testing.T) {
	silent, writer, err := os.Pipe()
	require.NoError(t, err)
	defer writer.Close() // before silent, so that the reading ends
	defer Stdin(silent)()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	_, err = passwordOr(ctx, streams{io.Discard, io.Discard}, secret.String{})
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}
