package bootstrap

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// demoDir returns a data directory with the demo data. Tests get copies of one, because loading takes longer than
// most tests.
func demoDir(t *testing.T) string {
	t.Helper()
	files, err := demoFiles()
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, files))
	return dir
}

var demoFiles = sync.OnceValues(func() (fstest.MapFS, error) {
	dir, err := os.MkdirTemp("", "plaza-demo-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var said strings.Builder
	if status := Main([]string{"demo", "--data-dir", dir}, &said, &said); status != ok {
		return nil, errors.New(said.String())
	}
	files := fstest.MapFS{}
	err = fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := fs.ReadFile(os.DirFS(dir), path)
		files[path] = &fstest.MapFile{Data: content, Mode: 0o600}
		return err
	})
	return files, err
})
