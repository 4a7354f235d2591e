package bootstrap_test

import (
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// limitRow matches the row of the refusals by limits.
var limitRow = regexp.MustCompile("(?m)^\\| `plaza_limits_hit_total` .*$")

// limitName matches the name of a limit in the row, and in the code that refuses for the limit.
var limitName = regexp.MustCompile("`([a-z_]+)`|(?:AtLimit|limited)\\(\"([a-z_]+)\"\\)|Action = \"([a-z_]+)\"")

func limitNames(text string) (names []string) {
	for _, found := range limitName.FindAllStringSubmatch(text, -1) {
		names = append(names, found[1]+found[2]+found[3])
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestMetrics_name_the_limits_that_are_counted(t *testing.T) {
	_, row, _ := strings.Cut(limitRow.FindString(deployed(t, "../observability.md")), "refused requests.")
	var code strings.Builder
	for _, folder := range []string{"domain", "application", "adapters"} {
		files := os.DirFS("../" + folder)
		require.NoError(t, fs.WalkDir(files, ".", func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := fs.ReadFile(files, path)
			if strings.Contains(string(text), "AtLimit(") || strings.Contains(string(text), "limited(\"") {
				code.WriteString(strings.ReplaceAll(string(text), "`", ""))
			}
			return err
		}))
	}
	assert.Equal(t, limitNames(row), limitNames(code.String()))
}
