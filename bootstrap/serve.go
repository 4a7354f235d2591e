package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"plaza/adapters/httpapi"
)

type serveCommand struct {
	Demo bool `help:"Load the demo data first."`
	Config
}

// Run serves until the context ends: the first signal stops the server gracefully, a second
// one ends the program immediately.
func (c serveCommand) Run(ctx context.Context, stop context.CancelFunc, s streams) (err error) {
	config, err := c.Check()
	if err != nil {
		return fmt.Errorf("%w:\n%w", errUsage, err)
	}
	listeners, err := Listen(config)
	if err != nil {
		return err
	}
	defer listeners.Close()
	hasPublicURL := config.PublicURL != ""
	if !hasPublicURL {
		config.PublicURL = listeners.URL()
	}
	config.choose(c.Demo)
	if err := config.useSandboxKey(); err != nil {
		return err
	}
	log, lines := newServerLogger(config, s.err)
	defer lines.Close()
	config.warnOfUnknown(log)
	if config.Wallet == sandboxWallet && config.WalletNotifyURL == "" {
		config.WalletNotifyURL = listeners.URL() + notifyPath // the sandbox runs on this machine
	}
	if config.startsSandbox() {
		box, err := openSandbox(config.MerchantConfig, "", sandboxJournal(config), 1, log)
		if err != nil {
			return err
		}
		config.WalletURL = box.URL()
		stop := box.runBeside(ctx)
		defer func() { err = errors.Join(err, stop()) }() // after the App, which calls it
	}
	if c.Demo {
		config = config.OfferDemo()
	}
	app, err := NewApp(ctx, config, log, Parts{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, app.Close()) }()
	if c.Demo {
		if err := app.LoadDemo(ctx); err != nil {
			return fmt.Errorf("load demo data: %w", err)
		}
	}
	if config.Limits == limitsOff {
		log.WarnContext(ctx, "limits on writes of accounts and on requests without a token are off: PLAZA_LIMITS=off is for load tests")
	}
	if isReachable(listeners.public.Addr()) {
		app.warnOfExposure(ctx, hasPublicURL, c.Demo)
	}
	limitMemory(log)
	greet(s.out, listeners, config, c.Demo)
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	context.AfterFunc(ctx, func() {
		stop() // restores the default handling of signals first: the next signal ends the program
		end()
	})
	return Serve(serving, app, listeners)
}

// choose replaces auto by the translator and the wallet that it stands for.
func (c *Config) choose(withDemo bool) {
	if c.Translator == autoTranslator {
		c.Translator = map[bool]string{true: pseudoTranslator, false: noTranslator}[withDemo]
	}
	if c.Wallet == autoWallet {
		c.Wallet = map[bool]string{true: sandboxWallet, false: noWallet}[withDemo]
	}
}

// Limits of the servers. The handler limits how long a body may take.
const (
	headerTimeout = 10 * time.Second
	writeTimeout  = 60 * time.Second
	idleTimeout   = 2 * time.Minute
	drainTimeout  = 30 * time.Second
	maxHeader     = 32 << 10 // bytes
)

// Listeners are the listeners of both addresses. They are opened first, so that wrong
// addresses fail early.
type Listeners struct {
	public *net.TCPListener
	admin  net.Listener
}

// Listen listens on both addresses.
func Listen(c Config) (*Listeners, error) {
	public, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return nil, fmt.Errorf("PLAZA_ADDR: %w; choose another address with --addr", err)
	}
	admin, err := net.Listen("tcp", c.AdminAddr)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("PLAZA_ADMIN_ADDR: %w; choose another address with --admin-addr", err), public.Close())
	}
	return &Listeners{public.(*net.TCPListener), admin}, nil
}

// Close closes both listeners. Further calls do nothing.
func (l *Listeners) Close() {
	l.public.Close()
	l.admin.Close()
}

// URL returns the URL of the REST interface, as seen from this machine.
func (l *Listeners) URL() string { return localURL(l.public) }

// AdminURL returns the URL of /livez, /readyz and /metrics, as seen from this machine.
func (l *Listeners) AdminURL() string { return localURL(l.admin) }

func localURL(l net.Listener) string {
	addr := l.Addr().(*net.TCPAddr)
	if addr.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", addr.Port)
	}
	return "http://" + addr.String()
}

func newServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: headerTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeader,
		DisableGeneralOptionsHandler: true, // the handler answers OPTIONS *, too
	}
}

// Serve serves until the context ends, then lets requests in flight finish.
func Serve(ctx context.Context, app *App, l *Listeners) error {
	var ready atomic.Bool
	public, admin := newServer(app.Handler, app.Log), newServer(app.admin(&ready), app.Log)
	admin.ReadTimeout = headerTimeout // it reads no bodies
	group, ctx := errgroup.WithContext(ctx)
	limited := httpapi.LimitConnections(l.public, app.Config.MaxConnections, app.Metrics.LimitHit)
	group.Go(func() error { return serve(public, limited) })
	group.Go(func() error { return serve(admin, l.admin) })
	for _, j := range app.jobs() {
		group.Go(func() error {
			app.repeat(ctx, j)
			return nil
		})
	}
	group.Go(func() error {
		<-ctx.Done()
		ready.Store(false)
		app.Log.Info("stopping; requests in flight may finish")
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
		defer cancel()
		return errors.Join(public.Shutdown(drain), admin.Shutdown(drain))
	})
	ready.Store(true)
	app.Log.Info("serving", "addr", l.public.Addr(), "admin", l.admin.Addr(), "version", thisBuild().String())
	return group.Wait()
}

func serve(server *http.Server, ln net.Listener) error {
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// pingTimeout is how long the database may take to answer until /readyz fails.
const pingTimeout = 2 * time.Second

// ping returns an error if the store is unreachable.
func (a *App) ping(ctx context.Context) error {
	if a.Database() == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	return a.Database().Ping(ctx)
}

// admin serves /livez, /readyz and /metrics.
func (a *App) admin(ready *atomic.Bool) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "ok")
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if !ready.Load() {
			http.Error(w, "stopping", http.StatusServiceUnavailable)
			return
		}
		if err := a.ping(r.Context()); err != nil {
			http.Error(w, "the database does not answer", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.Handle("GET /metrics", a.Metrics.Handler(a.Log))
	return mux
}
