//go:build !race

package bunstore

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unexpected returns the fields of the hot reads that are not among the texts: each
// needs an expected plan.
func unexpected(t *testing.T, hot statements, texts []string) []string {
	t.Helper()
	parts := map[string][]string{}
	partsOf(t, reflect.ValueOf(hot), "", parts)
	require.NotEmpty(t, parts)
	var missing []string
	for name, parts := range parts {
		if !slices.ContainsFunc(texts, func(text string) bool { return madeOf(text, parts) }) {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return missing
}

// madeOf reports whether the text is the statement, or contains all its parts in order.
func madeOf(text string, parts []string) bool {
	if len(parts) == 1 {
		return text == parts[0]
	}
	for _, part := range parts {
		_, rest, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = rest
	}
	return true
}
