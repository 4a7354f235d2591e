package arch

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// TestFuzzTargets_are_told fails if the table of attacks does not name a fuzz target, or names one that does not exist.
func TestFuzzTargets_are_told(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(root, "test", "contract", "ATTACKS.md"))
	require.NoError(t, err)
	attacks := string(raw)
	told := regexp.MustCompile("`(Fuzz\\w+)`").FindAllStringSubmatch(attacks, -1)
	exists := map[string]bool{}
	eachFile(t, func(file, text string) {
		for _, match := range fuzzTarget.FindAllStringSubmatch(text, -1) {
			assert.Contains(t, attacks, "`"+match[1]+"`", "of %s", file)
			exists[match[1]] = true
		}
	})
	for _, match := range told {
		assert.True(t, exists[match[1]], "%s does not exist", match[1])
	}
}

// eachFile calls fn with each Go file of the module.
func eachFile(t *testing.T, fn func(file, text string)) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != root && isIgnored(entry.Name()):
			return fs.SkipDir
		case !strings.HasSuffix(file, ".go"):
			return nil
		}
		text, err := os.ReadFile(file)
		fn(file, string(text))
		return err
	}))
}
