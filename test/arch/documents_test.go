package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	link     = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	scheme   = regexp.MustCompile(`^[a-z]+:`)
	heading  = regexp.MustCompile(`(?m)^#+ (.+)$`)
	unlinked = regexp.MustCompile(`[^a-z0-9 _-]`) // what an anchor leaves out of its heading
)

// brokenLinks returns the relative links of the Markdown text that lead to no file, or to no heading of a
// Markdown file, seen from the text's folder.
func brokenLinks(folder, text string) (broken []string) {
	for _, match := range link.FindAllStringSubmatch(text, -1) {
		if scheme.MatchString(match[1]) {
			continue
		}
		target, anchor, _ := strings.Cut(match[1], "#")
		content := text
		if target != "" {
			file := filepath.Join(folder, filepath.FromSlash(target))
			if _, err := os.Stat(file); err != nil {
				broken = append(broken, match[1])
				continue
			}
			linked, _ := os.ReadFile(file) // a folder has no headings
			content = string(linked)
		}
		if anchor != "" && !slices.Contains(anchors(content), anchor) {
			broken = append(broken, match[1])
		}
	}
	return broken
}

// anchors returns the anchors of the text's headings.
func anchors(text string) (all []string) {
	for _, match := range heading.FindAllStringSubmatch(text, -1) {
		plain := unlinked.ReplaceAllString(strings.ToLower(match[1]), "")
		all = append(all, strings.ReplaceAll(plain, " ", "-"))
	}
	return all
}

func TestDocumentLinks(t *testing.T) {
	documents := 0
	require.NoError(t, eachFile(".md", func(file, text string) error {
		documents++
		assert.Empty(t, brokenLinks(filepath.Dir(file), text), file)
		return nil
	}))
	assert.Greater(t, documents, 5)
}
