package bench

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/pprof"
	"testing"
	"time"

	"plaza/bootstrap"
)

var profilesFlag = flag.String("profiles", "", "`folder` for what BenchmarkProfile writes")

// BenchmarkProfile serves Plaza from within, with its log on, and writes a CPU
// profile of each scenario, and of the load generator beside it:
//
//	go test -tags nomsgpack ./test/bench -run '^$' -bench Profile -benchtime 1x -store postgres -scenarios E,F -profiles /tmp
func BenchmarkProfile(b *testing.B) {
	if *profilesFlag == "" {
		b.Skip("there is no -profiles to write to")
	}
	ctx, d := context.Background(), newDataset(*scaleFlag)
	if *storeFlag != "sqlite" {
		profileStore(ctx, b, postgresIn(ctx, b, forgetful...), d)
	}
	if *storeFlag != "postgres" {
		profileStore(ctx, b, sqliteIn(ctx, b), d)
	}
}

func profileStore(ctx context.Context, b *testing.B, s benchedStore, d *dataset) {
	if err := fill(ctx, s.full, d); err != nil {
		b.Fatal(err)
	}
	_, plaza := serveApp(b, s.full, slog.New(slog.NewJSONHandler(io.Discard, nil)))
	for _, sc := range scenarios {
		if !wanted(sc.name) {
			continue
		}
		if err := profile(ctx, filepath.Join(*profilesFlag, s.name+"-"+sc.name+".pprof"), plaza, requestsOf(sc, d, variety)); err != nil {
			b.Fatalf("%s: %v", sc.name, err)
		}
	}
}

func profile(ctx context.Context, path, plaza string, requests []request) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	load := asked().load
	load.requests = requests
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	m, err := load.measure(ctx, plaza)
	pprof.StopCPUProfile()
	fmt.Fprintf(os.Stderr, "%s: %.0f/s\n", path, m.rate)
	return err
}

// serveApp serves Plaza from within the test, where profiles and the race detector
// see it.
func serveApp(tb testing.TB, database string, log *slog.Logger) (app *bootstrap.App, at string) {
	tb.Helper()
	config := bootstrap.Config{
		Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0", DatabaseURL: database, DataDir: tb.TempDir(),
		PublicURL: publicURL, TokenTTL: tokenLife, ServerConfig: bootstrap.ServerConfig{DrainTimeout: time.Minute},
	}
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
