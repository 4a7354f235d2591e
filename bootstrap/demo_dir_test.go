package bootstrap

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
)

// DemoFolder is the data directory that demoDir copies; empty while it was not needed. TestMain removes it.
var DemoFolder string

// demoDir returns a data directory with the demo data. Tests get copies of one, because loading takes longer than
// most tests.
func demoDir(t *testing.T) string {
	t.Helper()
	require.NoError(t, loadDemo())
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(DemoFolder)))
	return dir
}

var loadDemo = sync.OnceValue(func() (err error) {
	if DemoFolder, err = os.MkdirTemp("", "plaza-demo-"); err != nil {
		return err
	}
	config, err := Check(serveSettings(DemoFolder))
	if err != nil {
		return err
	}
	config.Wallet = settings.NoWallet
	app, err := NewApp(context.Background(), config, slog.New(slog.DiscardHandler), Parts{})
	if err != nil {
		return err
	}
	return errors.Join(app.LoadDemo(context.Background(), false), app.Close())
})
