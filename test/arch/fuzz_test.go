package arch

import (
	"fmt"
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

// TestFuzzTargets_are_told fails if test/README.md does not name a fuzz target, or tells
// another number of them.
func TestFuzzTargets_are_told(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(root, "test", "README.md"))
	require.NoError(t, err)
	readme, targets := string(raw), 0
	require.NoError(t, filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != root && isIgnored(entry.Name()):
			return fs.SkipDir
		case !strings.HasSuffix(file, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(file)
		for _, match := range fuzzTarget.FindAllStringSubmatch(string(text), -1) {
			targets++
			assert.Contains(t, readme, "`"+match[1]+"`", "of %s", file)
		}
		return err
	}))
	assert.Contains(t, readme, fmt.Sprintf("the %d fuzz targets for a minute, %[1]d minutes in all", targets))
}
