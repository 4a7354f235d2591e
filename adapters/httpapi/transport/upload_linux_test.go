package transport

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openFiles returns how many files of the folder the process has open, also nameless ones.
func openFiles(t *testing.T, folder string) (count int) {
	t.Helper()
	open, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(t, err)
	for _, link := range open {
		if name, err := os.Readlink(link); err == nil && strings.HasPrefix(name, folder) {
			count++
		}
	}
	return count
}

func TestPLA_03_a_call_has_one_file_and_leaves_none_open(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	long := string(noise(maxHeld + 1))
	text := `"` + base64.StdEncoding.EncodeToString([]byte(long)) + `"`
	picture, others := `"img":`+text, `"other":`+text+`,"nested":{"img":`+text+`}`
	calls := []*Call{uploading(form(t, part{"other", "x.png", long}, part{"img", "x.png", long}, part{"img", "y.png", long}))}
	for _, body := range []string{
		`{` + others + `,` + picture + `}`, `{` + picture + `,` + picture + `}`, `{` + picture + `,"img":null}`, `{` + picture + `,"img":"%"}`, `{` + picture,
	} {
		calls = append(calls, uploading("application/json", strings.NewReader(body)))
	}
	for _, c := range calls {
		_, err := ReadUpload[pictureBody](c)
		if err == nil {
			assert.Equal(t, 1, openFiles(t, folder), "the picture's")
		}
		c.End()
		assert.Zero(t, openFiles(t, folder), "%v", err)
	}
}
