//go:build soak

// Package browser tests Plaza in Chromium: pages of other origins call the interface, and people use the reference page, the
// page of the wallet sandbox and the pages for staff.
package browser

import (
	"cmp"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/argon2id"
	"plaza/adapters/sms/sandbox"
	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/test/telephones"
)

// messages get the codes of all servers.
var messages = telephones.New(sandbox.New(time.Now))

// serve serves Plaza, prepared as the function does, on a free port until the test ends.
func serve(t *testing.T, origins settings.Origins, prepare func(*bootstrap.App)) (url string) {
	t.Helper()
	return serveConfig(t, settings.Config{CORSOrigins: origins, WalletPoll: time.Minute}, prepare)
}

// serveConfig is like serve, with settings that it completes.
func serveConfig(t *testing.T, config settings.Config, prepare func(*bootstrap.App)) (url string) {
	t.Helper()
	config.Addr, config.AdminAddr, config.DatabaseURL, config.DataDir = "127.0.0.1:0", "127.0.0.1:0", "memory:", t.TempDir()
	config.TokenTTL, config.LogFormat, config.WalletTimeout = time.Hour, "text", time.Second
	config.SecondFactor = cmp.Or(config.SecondFactor, settings.SecondFactorOff)
	config, err := bootstrap.Check(config)
	require.NoError(t, err)
	listeners, err := bootstrap.Listen(config)
	require.NoError(t, err)
	config.PublicURL = listeners.URL()
	app, err := bootstrap.NewApp(t.Context(), config, slog.New(slog.DiscardHandler), bootstrap.Parts{
		Hashing: &argon2id.Cheap, Sender: messages, OffersDemo: true,
	})
	require.NoError(t, err)
	prepare(app)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- bootstrap.Serve(ctx, app, listeners) }()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-done)
		assert.NoError(t, app.Close())
	})
	return listeners.URL()
}
