package bench

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
)

// serveApp serves Plaza from within the test, where profiles and the race detector
// see it.
func serveApp(tb testing.TB, database string, log *slog.Logger) (app *bootstrap.App, at string) {
	tb.Helper()
	config := appConfig(tb, database)
	ctx, stop := context.WithCancel(context.Background())
	app, err := bootstrap.NewApp(ctx, config, log, bootstrap.Parts{})
	if err != nil {
		stop()
		tb.Fatal(err)
	}
	listeners, err := bootstrap.Listen(config)
	if err != nil {
		stop()
		tb.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- bootstrap.Serve(ctx, app, listeners) }()
	tb.Cleanup(func() {
		stop()
		for _, err := range []error{<-ended, app.Close()} {
			if err != nil {
				tb.Error(err)
			}
		}
	})
	return app, listeners.URL()[len("http://"):]
}

// appConfig has all but the wallet.
func appConfig(tb testing.TB, database string) settings.Config {
	tb.Helper()
	config, err := bootstrap.Check(settings.Config{
		Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0", DatabaseURL: database, DataDir: tb.TempDir(),
		PublicURL: publicURL, TokenTTL: tokenLife, Translator: "pseudo", ServerConfig: settings.ServerConfig{DrainTimeout: time.Minute},
		Migrate: "true", DatabaseWait: time.Minute, WalletPoll: time.Minute, WalletTimeout: time.Second, LogFormat: "text",
	})
	if err != nil {
		tb.Fatal(err)
	}
	return config
}
