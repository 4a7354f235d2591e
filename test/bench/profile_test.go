package bench

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"plaza/bootstrap"
)

var profilesFlag = flag.String("profiles", "", "`folder` for CPU profiles: of each scenario, by BenchmarkProfile, or of those that miss their goal")

// BenchmarkProfile writes a CPU profile of the program in each scenario:
//
//	go test -tags nomsgpack ./test/bench -run '^$' -bench Profile -benchtime 1x -store postgres -scenarios E,F -profiles /tmp
func BenchmarkProfile(b *testing.B) {
	if *profilesFlag == "" {
		b.Skip("there is no -profiles to write to")
	}
	ctx, d := context.Background(), newDataset(*scaleFlag)
	binary := program(ctx, b)
	if *storeFlag != "sqlite" {
		profileStore(ctx, b, binary, postgresIn(ctx, b, forgetful...), d)
	}
	if *storeFlag != "postgres" {
		profileStore(ctx, b, binary, sqliteIn(ctx, b), d)
	}
}

func profileStore(ctx context.Context, b *testing.B, binary string, s benchedStore, d *dataset) {
	s.fill(ctx, b, d)
	plaza := launchPlaza(b, binary, s.full)
	for _, sc := range scenarios {
		if !wanted(sc.name) {
			continue
		}
		p, err := profileOf(ctx, plaza, s.name, sc, d)
		if err != nil {
			b.Fatalf("%s: %v", sc.name, err)
		}
		fmt.Fprintf(os.Stderr, "%s\n%s", p.path, p.top)
	}
}

// profile is where the program spends its time in a scenario, or its memory.
type profile struct {
	path string // empty: it was not kept
	top  string // the functions that take most, with those that they call
}

// profileSeconds is how long a profile is taken.
const profileSeconds = 2

// profileOf has the program take a profile of itself while it does the work.
func profileOf(ctx context.Context, plaza running, store string, sc scenario, d *dataset) (p profile, err error) {
	requests, err := sc.ready(plaza.at, requestsOf(sc, d, sc.kinds()))
	if err != nil {
		return p, err
	}
	l := load{connections: *connectionsFlag, time: patience}
	asking, stop := context.WithCancel(ctx)
	defer stop()
	asked := make(chan error, 1)
	go func() {
		_, err := sc.contender("Plaza", plaza.at, d, requests).measure(asking, l)
		asked <- err
	}()
	p, err = profiled(ctx, plaza.admin, fmt.Sprintf("profile?seconds=%d", profileSeconds), store+"-"+sc.name)
	stop()
	if failed := <-asked; !errors.Is(failed, context.Canceled) {
		err = errors.Join(err, failed)
	}
	return p, err
}

// profiled takes the kind of profile. It keeps the file if -profiles names a folder.
func profiled(ctx context.Context, admin, kind, name string) (p profile, err error) {
	folder := *profilesFlag
	if folder == "" {
		if folder, err = os.MkdirTemp("", "plaza-profile-"); err != nil {
			return p, err
		}
		defer os.RemoveAll(folder)
	}
	path := filepath.Join(folder, name+".pprof")
	if err := takeProfile(ctx, "http://"+admin+"/debug/pprof/"+kind, path); err != nil {
		return p, err
	}
	if *profilesFlag != "" {
		p.path = path
	}
	p.top, err = topOf(ctx, path)
	return p, err
}

func takeProfile(ctx context.Context, url, path string) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: patience}
	defer client.CloseIdleConnections()
	answer, err := client.Do(q)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("the profile: status %d", answer.StatusCode)
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, answer.Body)
	return cmp.Or(err, file.Close())
}

// topOf lists the functions that take most, with those that they call: of the program, of its
// libraries, and of the garbage collector, without those that every request passes.
func topOf(ctx context.Context, path string) (string, error) {
	const named = `^plaza/|pgx|bun|sqlite|encoding/|compress/|crypto/|log/slog|gcBgMarkWorker|Syscall|futex`
	const around = `middleware|limitRequests|newRouter|closingConnections|\(\*api\)\.(answer|admitted)`
	said, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-top", "-cum", "-nodecount=20", "-show="+named, "-hide="+around, path).Output()
	if err != nil {
		return "", fmt.Errorf("go tool pprof: %w", err)
	}
	_, table, _ := strings.Cut(string(said), "flat  flat%")
	return "flat  flat%" + table, nil
}

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
func appConfig(tb testing.TB, database string) bootstrap.Config {
	return bootstrap.Config{
		Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0", DatabaseURL: database, DataDir: tb.TempDir(),
		PublicURL: publicURL, TokenTTL: tokenLife, Translator: "pseudo", ServerConfig: bootstrap.ServerConfig{DrainTimeout: time.Minute},
	}
}
