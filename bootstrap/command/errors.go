package command

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"plaza/bootstrap/settings"
	"plaza/domain/access"
	"plaza/domain/fault"
)

// Exit statuses of the program.
const (
	ok     = 0
	failed = 1
	usage  = 2
)

// misuse is an error of the caller that is not about settings.
type misuse struct{ error }

func (m misuse) Unwrap() []error { return []error{m.error, settings.ErrInvalid} }

// misusef returns an error about wrong arguments.
func misusef(format string, args ...any) error { return misuse{fmt.Errorf(format, args...)} }

// fail prints the text of the error, and returns the exit status.
func fail(errOut io.Writer, err error, text string) int {
	fmt.Fprintf(errOut, "plaza: %s\n", text)
	return statusOf(err)
}

func statusOf(err error) int {
	if errors.Is(err, settings.ErrInvalid) {
		return usage
	}
	return failed
}

// userError is an error with the texts of its faults, without their codes.
type userError struct {
	text   string
	causes []error
}

func (t userError) Error() string   { return t.text }
func (t userError) Unwrap() []error { return t.causes }

// readable replaces the error's fault by its sentences. Invalid values become usage errors,
// like wrong settings, except for a phone number in use, which is valid.
func readable(err error) error {
	f, is := fault.As(err)
	if !is {
		return err
	}
	t := userError{strings.ReplaceAll(fault.WithCause(err), f.Error(), sentences(f)), []error{err}}
	if f.Kind == fault.Invalid && !errors.Is(err, access.ErrPhoneTaken) {
		t.causes = append(t.causes, settings.ErrInvalid)
	}
	return t
}

func sentences(f *fault.Error) string {
	if len(f.Fields) == 0 {
		return f.Text
	}
	lines := []string{cmp.Or(f.Text, "wrong values:")}
	for _, name := range slices.Sorted(maps.Keys(f.Fields)) {
		lines = append(lines, name+": "+strings.Join(f.Fields[name], " "))
	}
	return strings.Join(lines, "\n")
}
