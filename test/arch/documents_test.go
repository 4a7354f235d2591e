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

var (
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	scheme = regexp.MustCompile(`^[a-z]+:`)
)

// brokenLinks returns the relative links of the Markdown text that lead to no file, seen from its folder.
func brokenLinks(folder, text string) (broken []string) {
	for _, match := range link.FindAllStringSubmatch(text, -1) {
		target, _, _ := strings.Cut(match[1], "#")
		if target == "" || scheme.MatchString(target) {
			continue
		}
		if _, err := os.Stat(filepath.Join(folder, filepath.FromSlash(target))); err != nil {
			broken = append(broken, match[1])
		}
	}
	return broken
}

func TestDocumentLinks(t *testing.T) {
	documents := 0
	require.NoError(t, filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != root && isIgnored(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || filepath.Ext(file) != ".md":
			return nil
		}
		documents++
		text, err := os.ReadFile(file)
		assert.Empty(t, brokenLinks(filepath.Dir(file), string(text)), file)
		return err
	}))
	assert.Greater(t, documents, 5)
}

func TestBrokenLinks(t *testing.T) {
	const text = "[a](arch_test.go) [b](../README.md#tests) [c](#here) [d](https://example.org/x) [e](gone.md) [f](../gone/x.go#y)"
	assert.Equal(t, []string{"gone.md", "../gone/x.go#y"}, brokenLinks(".", text))
}
