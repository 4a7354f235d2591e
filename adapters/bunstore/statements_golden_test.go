package bunstore

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite testdata/statements_*.sql")

// heading is the first line of a golden file.
const heading = "-- Every statement of constant text, as it is sent. TestStatements writes this file with -update.\n"

func TestStatements_are_those_of_the_golden_files(t *testing.T) {
	for name, d := range map[string]dialect{"postgres": postgres{}, "sqlite": sqlite{}} {
		t.Run(name, func(t *testing.T) {
			is := map[string]string{}
			for _, registry := range []any{newStatements(d), newStepStatements(d)} {
				parts := map[string][]string{}
				partsOf(t, reflect.ValueOf(registry), "", parts)
				require.NotEmpty(t, parts)
				for name, parts := range parts {
					is[name] = readable(strings.Join(parts, " /* order */ "))
				}
			}
			golden := filepath.Join("testdata", "statements_"+name+".sql")
			if *update {
				text := heading
				for _, name := range slices.Sorted(maps.Keys(is)) {
					text += "\n-- " + name + "\n" + is[name] + "\n"
				}
				require.NoError(t, os.WriteFile(golden, []byte(text), 0o644))
			}
			text, err := os.ReadFile(golden)
			require.NoError(t, err)
			should := map[string]string{}
			for _, block := range strings.Split(strings.TrimPrefix(string(text), heading), "\n\n") {
				name, statement, _ := strings.Cut(strings.Trim(block, "-\n "), "\n")
				should[name] = statement
			}
			assert.Equal(t, slices.Sorted(maps.Keys(should)), slices.Sorted(maps.Keys(is)), "the statements: run the test with -update")
			for name := range is {
				assert.Equal(t, should[name], is[name], "%s: run the test with -update and review the difference", name)
			}
		})
	}
}

var (
	spaces = regexp.MustCompile(`\s+`)
	// clause matches the beginning of a clause, and the operators that contain FROM.
	clause = regexp.MustCompile(`\b(?:epoch|DISTINCT) FROM | (?:FROM|WHERE|SET|VALUES|(?:CROSS |LEFT )?JOIN|UNION ALL|GROUP BY|ORDER BY|LIMIT|ON CONFLICT|RETURNING|SELECT) `)
)

// readable returns the statement with a line for each clause, indented by its depth.
func readable(statement string) string {
	if statement == "" {
		return "none;"
	}
	statement = spaces.ReplaceAllString(strings.TrimSpace(statement), " ")
	lines := strings.Split(clause.ReplaceAllStringFunc(statement, func(found string) string {
		if begins, is := strings.CutPrefix(found, " "); is {
			return "\n" + begins
		}
		return found
	}), "\n")
	depth := 0
	for i, line := range lines {
		lines[i] = strings.Repeat("\t", max(depth, 0)) + line
		depth += strings.Count(line, "(") - strings.Count(line, ")")
	}
	return strings.Join(lines, "\n") + ";"
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

// assertGolden asserts that the golden file has the text, or writes it with -update.
func assertGolden(t *testing.T, file, text string) {
	t.Helper()
	golden := filepath.Join("testdata", file)
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(text), 0o644))
	}
	should, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(should), text, "run the test with -update and review the difference")
}
