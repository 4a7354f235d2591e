package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/fault"
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
		{fmt.Errorf("%w: %w", away, ours), "disk on fire", failed},
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

func TestOneLine(t *testing.T) {
	assert.Equal(t, "茶\t [2Ja b c d", oneLine("茶\t\x1b[2Ja\nb\u202ec\u2028d"))
}

func failing() iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		if yield(1, nil) && yield(0, errors.New("boom")) {
			panic("going on after a failure")
		}
	}
}

func TestPrinted_rows_end_with_the_first_failure(t *testing.T) {
	var out strings.Builder
	row := func(n int) string { return fmt.Sprintf("%d\tone", n) }
	require.NoError(t, printTable(&out, "ID\tNAME", seqOf([]int{1, 100}), row))
	assert.Equal(t, "ID   NAME\n1    one\n100  one\n", out.String())
	assert.EqualError(t, printArray(io.Discard, failing(), itself), "boom")
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
	for _, none := range []string{"", "\r\n"} {
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

func TestSays_yes_and_an_interrupt(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this system has no terminals for tests: %v", err)
	}
	defer terminal.Close()
	defer Stdin(terminal)()
	for answer, want := range map[string]bool{"y": true, "Yes": true, "n": false, "": false, "yesterday": false} {
		_, err := terminal.WriteString(answer + "\n") // which a terminal shows, so that it can be read
		require.NoError(t, err)
		assert.Equal(t, want, says(t.Context(), streams{io.Discard, io.Discard}, "Remove them?"), answer)
	}
	ctx, end := context.WithCancel(t.Context())
	end()
	assert.False(t, says(ctx, streams{io.Discard, io.Discard}, "Remove them?"), "it does not wait for the terminal")
}
