package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"plaza/adapters/backoffice"
	"plaza/bootstrap/settings"
)

// admin serves the admin address: health, metrics, profiles and the back office. It serves before there is an App,
// so that a start that waits for its database, or migrates it, is not taken for a dead one.
type admin struct {
	server     *http.Server
	app        atomic.Pointer[http.ServeMux] // what needs an App; nil while the server starts
	isStopping atomic.Bool
	failed     chan error // gets the error that ended the server
	profiling  context.Context
	end        context.CancelFunc // of profiling
}

// need is what a server needs to get requests.
type need struct {
	lacking string // what /readyz says without it
	check   func(context.Context) error
}

// startAdmin serves the admin address until close is called.
func startAdmin(l net.Listener, c settings.ServerConfig, log *slog.Logger) *admin {
	ctx, end := context.WithCancel(context.Background())
	a := &admin{failed: make(chan error, 1), profiling: ctx, end: end}
	a.server = newServer(byKnownHosts(settings.SplitNames(c.AdminHosts), a.handler()), c, log)
	a.server.ReadTimeout = c.ReadTimeout // it reads short forms at most
	closeSilent(a.server)
	go func() { a.failed <- serve(a.server, l) }()
	return a
}

// adminCloseTimeout is how long answers on the admin address may take when the server ends.
const adminCloseTimeout = time.Second

// close is drain for as long as answers may take. Further calls do nothing.
func (a *admin) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), adminCloseTimeout)
	defer cancel()
	if a.drain(ctx) != nil {
		return a.server.Close()
	}
	return nil
}

// drain closes the address, ends profiles that are being taken, and waits for other requests in progress.
func (a *admin) drain(ctx context.Context) error {
	a.end()
	return a.server.Shutdown(ctx)
}

// wait waits for the context, or returns the error that ended the server before.
func (a *admin) wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-a.failed:
		return err
	}
}

// serves lets /startupz and /readyz succeed. Connections to the public address wait until they are served.
func (a *admin) serves(app *App) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /startupz", healthy)
	mux.HandleFunc("GET /readyz", a.readiness(app.Log,
		need{"the database does not answer, or refuses new connections", app.ping},
		need{"no temporary file can be made: see TMPDIR", func(context.Context) error { return checkTemporary() }},
		need{"pictures can't be stored: the log says why", app.mayStorePictures},
	))
	mux.Handle("GET /metrics", app.Metrics.Handler(app.Log))
	if app.Config.BackOffice == settings.BackOfficeAdmin {
		mux.Handle(backoffice.Root, app.backOffice)
	}
	a.app.Store(mux)
}

// handler serves /livez, /startupz, /readyz, /metrics, the back office and, to callers on this machine, /debug/pprof/.
func (a *admin) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", healthy)
	mux.HandleFunc("/", a.started)
	// Neither cmdline, which may have secrets, nor symbol, which profiles of Go programs do not need.
	mux.HandleFunc("GET /debug/pprof/", a.local(pprof.Index))
	mux.HandleFunc("GET /debug/pprof/profile", a.local(pprof.Profile))
	mux.HandleFunc("GET /debug/pprof/trace", a.local(pprof.Trace))
	return mux
}

func healthy(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") }

// byKnownHosts refuses requests for other hosts than IP addresses, localhost and the names. A page of the internet whose
// name leads to this address (DNS rebinding) could read what is for operators. A request of a program may have no host.
func byKnownHosts(names []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := (&url.URL{Host: r.Host}).Hostname()
		_, err := netip.ParseAddr(host)
		isNamed := slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, host) })
		if err != nil && host != "" && !strings.EqualFold(host, "localhost") && !isNamed {
			http.Error(w, "this address is called by an IP address, localhost or a name in PLAZA_ADMIN_HOSTS", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// started answers with 503 until there is an App.
func (a *admin) started(w http.ResponseWriter, r *http.Request) {
	app := a.app.Load()
	if app == nil {
		http.Error(w, "starting: the database is opened and its schema brought up to date", http.StatusServiceUnavailable)
		return
	}
	app.ServeHTTP(w, r)
}

// readiness tells whether the server should get requests. It logs why not, or that it should again, once each time.
func (a *admin) readiness(log *slog.Logger, needs ...need) http.HandlerFunc {
	var red atomic.Pointer[need] // the one that was not met when the server was asked last; nil: all were
	return func(w http.ResponseWriter, r *http.Request) {
		if a.isStopping.Load() {
			http.Error(w, "stopping", http.StatusServiceUnavailable)
			return
		}
		var unmet *need
		var err error
		for i := 0; i < len(needs) && unmet == nil; i++ {
			if err = needs[i].check(r.Context()); err != nil {
				unmet = &needs[i]
			}
		}
		if r.Context().Err() == nil { // otherwise the caller has gone, which may be the error
			switch before := red.Swap(unmet); {
			case unmet != nil && before != unmet:
				log.WarnContext(r.Context(), "not ready: "+unmet.lacking, "error", err)
			case unmet == nil && before != nil:
				log.InfoContext(r.Context(), "ready again", "was", before.lacking)
			}
		}
		if unmet != nil {
			http.Error(w, unmet.lacking, http.StatusServiceUnavailable)
			return
		}
		healthy(w, r)
	}
}

// local serves callers on this machine only: a profile shows what the server does, and takes
// processor time. The admin address may be open to the machine that collects the metrics.
func (a *admin) local(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !isLocal(r) {
			http.Error(w, "profiles are only for callers on the machine of the server", http.StatusForbidden)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer context.AfterFunc(a.profiling, cancel)()
		next(w, r.WithContext(ctx))
	}
}

// isLocal reports whether the request came from this machine: from the loopback address, or
// from the address that it was sent to.
func isLocal(r *http.Request) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	own, isTCP := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return err == nil && (peer.Addr().Unmap().IsLoopback() ||
		isTCP && peer.Addr().Unmap() == own.AddrPort().Addr().Unmap())
}

// serve serves until the server is shut down.
func serve(server *http.Server, ln net.Listener) error {
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
