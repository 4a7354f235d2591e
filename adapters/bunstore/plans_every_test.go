package bunstore

import (
	"fmt"
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

// partsOf finds the statements in a registry, each of which may consist of several
// parts.
func partsOf(t *testing.T, v reflect.Value, name string, found map[string][]string) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		found[name] = append(found[name], v.String())
	case reflect.Array:
		for i := range v.Len() {
			partsOf(t, v.Index(i), name, found)
		}
	case reflect.Slice:
		for i := range v.Len() {
			partsOf(t, v.Index(i), fmt.Sprintf("%s[%d]", name, i), found)
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			partsOf(t, v.MapIndex(key), fmt.Sprintf("%s[%v]", name, key), found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			partsOf(t, v.Field(i), strings.TrimPrefix(name+"."+v.Type().Field(i).Name, "."), found)
		}
	case reflect.Interface:
	default:
		require.Fail(t, "statements must be found wherever a registry keeps them", "%s is a %s", name, v.Type())
	}
}
