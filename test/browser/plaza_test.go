package browser

import (
	"context"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/argon2id"
	"plaza/bootstrap"
)

// servePlaza serves Plaza with the demo data on a free port until the test ends. wrap wraps
// the handler.
func servePlaza(t *testing.T, origins bootstrap.Origins, wrap func(http.Handler) http.Handler) (url string) {
	t.Helper()
	config, err := bootstrap.Config{
		Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0", DatabaseURL: "memory:", DataDir: t.TempDir(), CORSOrigins: origins,
		TokenTTL: time.Hour, LogFormat: "text", WalletPoll: time.Minute, WalletTimeout: time.Second,
	}.Check()
	require.NoError(t, err)
	listeners, err := bootstrap.Listen(config)
	require.NoError(t, err)
	config.PublicURL = listeners.URL()
	app, err := bootstrap.NewApp(t.Context(), config.OfferDemo(), slog.New(slog.DiscardHandler), bootstrap.Parts{Hashing: &argon2id.Cheap})
	require.NoError(t, err)
	require.NoError(t, app.LoadDemo(t.Context()))
	app.Handler = wrap(app.Handler)
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
