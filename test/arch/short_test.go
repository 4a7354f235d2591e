package arch

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestShort_skips fails if -short changes what a test does, but for skipping it: `make test-all` runs what `make test` has
// skipped, and nothing else once more.
func TestShort_skips(t *testing.T) {
	const short = "testing" + ".Short()"
	skips := regexp.MustCompile(`if ` + regexp.QuoteMeta(short) + `[^\n]*\{\n\s*[a-z]\.Skip\(`)
	found := 0
	eachFile(t, func(file, text string) {
		found += strings.Count(text, short)
		assert.Len(t, skips.FindAllString(text, -1), strings.Count(text, short), file)
	})
	assert.NotZero(t, found)
}
