package bootstrap

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
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
	config, err := Check(serveSettings(dir))
	if err != nil {
		return nil, err
	}
	config.Wallet = settings.NoWallet
	app, err := NewApp(context.Background(), config, slog.New(slog.DiscardHandler), Parts{})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(app.LoadDemo(context.Background(), false), app.Close()); err != nil {
		return nil, err
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
