// Package secret holds values that must never be printed: passwords, keys of other
// systems, keys of tokens.
//
// A String prints, logs and encodes as ***. Only Reveal returns the value, so a search
// for Reveal finds every use of a secret value.
package secret

import (
	"fmt"
	"io"
	"log/slog"
)

const mask = "***"

// String is a secret text. == does not compile: compare the results of Reveal.
type String struct {
	_ [0]func()
	// value is a pointer because fmt prints unexported fields of a struct without calling
	// their methods; it then prints an address instead of the text.
	value *string
}

// New returns the text as a secret.
func New(value string) String { return String{value: &value} }

// Reveal returns the text itself.
func (s String) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// IsZero reports whether the text is empty.
func (s String) IsZero() bool { return s.Reveal() == "" }

// Format prints the mask for every verb. A String method alone would not cover %d and %x.
func (s String) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, mask) }

func (s String) String() string               { return mask }
func (s String) LogValue() slog.Value         { return slog.StringValue(mask) }
func (s String) MarshalText() ([]byte, error) { return []byte(mask), nil }

// UnmarshalText sets the secret to the text, so that settings and requests can be
// decoded directly into a secret.
func (s *String) UnmarshalText(text []byte) error {
	*s = New(string(text))
	return nil
}
