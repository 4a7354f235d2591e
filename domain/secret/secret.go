// Package secret holds values that must never be shown: passwords, keys of
// other systems, keys of tokens.
//
// However a String is printed, logged or encoded, what appears is ***; only
// Reveal gives the value away, so a search for Reveal finds every place that
// handles one.
package secret

import (
	"fmt"
	"io"
	"log/slog"
)

const mask = "***"

// String is a secret text. Two are compared by what they reveal: == does not compile.
type String struct {
	_ [0]func()
	// value is behind a pointer: of a struct that has a String in a hidden field, fmt
	// prints what is there, and asks nobody for a mask.
	value *string
}

// New makes a secret of the text.
func New(value string) String { return String{value: &value} }

// Reveal returns the text itself.
func (s String) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero says whether there is no text.
func (s String) IsZero() bool { return s.Reveal() == "" }

// Format prints the mask, whatever the verb: String alone would leave %d and %x.
func (s String) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, mask) }

func (s String) String() string               { return mask }
func (s String) LogValue() slog.Value         { return slog.StringValue(mask) }
func (s String) MarshalText() ([]byte, error) { return []byte(mask), nil }

// UnmarshalText takes the text as it is, so that settings and requests can be
// decoded straight into a secret.
func (s *String) UnmarshalText(text []byte) error {
	*s = New(string(text))
	return nil
}
