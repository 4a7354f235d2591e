package bootstrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"plaza/adapters/httpapi/transport"
	"plaza/bootstrap/settings"
)

// Server is a server as the command serve runs it.
type Server struct {
	Config       settings.Config // unchecked
	Demo         bool            // load the demo data first
	IntoExisting bool            // load it also into a database that has other accounts
	Log          io.Writer       // where the log is written
	// Greet is called when requests are about to be served, with the settings in force.
	Greet func(*Listeners, settings.Config)
}

// Run serves until the context ends: the first signal stops the server gracefully. It calls stop then, so that
// a second signal ends the program immediately.
func (s Server) Run(ctx context.Context, stop context.CancelFunc) (err error) {
	config, err := Check(s.Config)
	if err != nil {
		return err
	}
	if err := checkTemporary(); err != nil {
		return err
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
	config.Choose(s.Demo)
	merchant, err := useSandboxKey(&config)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE) // the reader of the log may end before the server
	log, lines := newServerLogger(config, s.Log)
	defer lines.Close()
	defer func() { log.Info("stopped") }()
	traces, err := openTraces(ctx, log)
	if err != nil {
		return err
	}
	defer traces.close() // after the App
	config.WarnOfUnknown(log)
	if chosen, is := sandboxes[config.Wallet]; is && config.WalletNotifyURL == "" {
		config.WalletNotifyURL = listeners.URL() + chosen.NotifyPath // the sandbox runs on this machine
	}
	sender, err := NewSender(config, traces)
	if err != nil {
		return err
	}
	box, err := openSandboxes(config, merchant, sender, s.Demo, log)
	if err != nil {
		return err
	}
	if box != nil {
		box.enter(&config)
		stop := box.runBeside(ctx)
		defer func() { err = errors.Join(err, stop()) }() // after the App, which calls it
	}
	admin := startAdmin(listeners.admin, config.ServerConfig, log)
	defer func() { err = errors.Join(err, admin.close()) }()
	log.InfoContext(ctx, "starting", "admin", listeners.admin.Addr().String(), "version", ThisBuild().String())
	app, err := NewApp(ctx, config, log, Parts{Sender: sender, OffersDemo: s.Demo, traces: traces, lines: lines})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, app.Close()) }()
	if err := app.tryPictures(ctx); err != nil {
		return err
	}
	if s.Demo {
		if err := app.LoadDemo(ctx, s.IntoExisting); err != nil {
			return fmt.Errorf("load demo data: %w", err)
		}
	}
	app.warnOfRisks(ctx, listeners, hasPublicURL, s.Demo)
	limitMemory(log)
	debug.FreeOSMemory() // what only the start has needed
	admin.serves(app)    // before the greeting, which says where to ask
	if s.Greet != nil {
		s.Greet(listeners, config)
	}
	serving, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	context.AfterFunc(ctx, func() {
		stop() // restores the default handling of signals first: the next signal ends the program
		end()
	})
	return app.serve(serving, listeners, admin)
}

// maxHeader bounds the head of a request, in bytes.
const maxHeader = 32 << 10

// Listeners are the listeners of both addresses. They are opened first, so that wrong
// addresses fail early.
type Listeners struct {
	public *net.TCPListener
	admin  net.Listener
}

// Listen listens on both addresses.
func Listen(c settings.Config) (*Listeners, error) {
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

// AdminURL returns the URL of health, metrics, profiles and the back office, as seen from this machine.
func (l *Listeners) AdminURL() string { return localURL(l.admin) }

func localURL(l net.Listener) string { return "http://" + settings.FromHere(l.Addr().String()) }

// newServer returns a server with the time limits. The handler limits how long a body may take.
func newServer(h http.Handler, c settings.ServerConfig, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler: h, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: c.ReadTimeout, WriteTimeout: c.WriteTimeout, IdleTimeout: c.IdleTimeout, MaxHeaderBytes: maxHeader,
		DisableGeneralOptionsHandler: true, // the handler answers OPTIONS *, too
	}
}

// Serve serves both addresses until the context ends and requests in progress have finished.
func Serve(ctx context.Context, app *App, l *Listeners) error {
	admin := startAdmin(l.admin, app.Config.ServerConfig, app.Log)
	admin.serves(app)
	return errors.Join(app.serve(ctx, l, admin), admin.close())
}

// serve serves the public address until the context ends. Then /readyz fails, after the drain
// delay the address is closed, and requests in progress may finish.
func (a *App) serve(ctx context.Context, l *Listeners, admin *admin) error {
	c := a.Config.ServerConfig
	public := newServer(closingConnections(a.Handler, &admin.isStopping), c, a.Log)
	closeSilent(public)
	public.RegisterOnShutdown(a.Streams.Stop)
	group, failed := errgroup.WithContext(context.WithoutCancel(ctx))
	working, stopWorking := context.WithCancel(failed)
	defer stopWorking()
	limited := transport.LimitConnections(l.public, a.Config.MaxConnections, a.Config.TrustedProxies, a.Metrics.LimitHit)
	group.Go(func() error { return serve(public, limited) })
	group.Go(func() error { return admin.wait(working) })
	group.Go(func() error { return a.retryPictures(working) })
	for _, j := range a.jobs() {
		group.Go(func() error {
			a.repeat(working, j)
			return nil
		})
	}
	group.Go(func() error {
		select {
		case <-ctx.Done():
		case <-failed.Done():
		}
		admin.isStopping.Store(true)
		a.tellManager("STOPPING=1")
		a.awaitDrainDelay(failed)
		a.Log.Info("stopping; requests in flight may finish")
		stopWorking()
		drain, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.DrainTimeout)
		defer cancel()
		if err := cmp.Or(public.Shutdown(drain), admin.drain(drain)); err != nil {
			return errors.Join(fmt.Errorf("requests were in progress after PLAZA_DRAIN_TIMEOUT, %v: %w", c.DrainTimeout, err), public.Close())
		}
		return nil
	})
	if err := a.mayStorePictures(ctx); err != nil {
		a.Log.Error("pictures can't be stored", "error", err)
	}
	a.Log.Info("serving", "addr", l.public.Addr().String(), "admin", l.admin.Addr().String(), "version", ThisBuild().String(),
		"database", a.Config.DisplayDatabase())
	a.tellManager("READY=1")
	return group.Wait()
}

// awaitDrainDelay waits for the drain delay, or until a server has failed.
func (a *App) awaitDrainDelay(failed context.Context) {
	delay := a.Config.DrainDelay
	if delay == 0 {
		return
	}
	a.Log.Info("not ready any more; requests are served until the drain delay is over", "drain_delay", delay.String())
	select {
	case <-time.After(delay):
	case <-failed.Done():
	}
}

// closingConnections answers as next does, and ends each connection with its next response while the
// server is stopping. So clients that keep connections alive have left before the address is closed.
func closingConnections(next http.Handler, isStopping *atomic.Bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isStopping.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// PingTimeout is how long the database may take to answer until /readyz fails.
const PingTimeout = 2 * time.Second

// ping returns an error if the store is unreachable.
func (a *App) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, PingTimeout)
	defer cancel()
	return a.Database().Ping(ctx)
}

// tellManager tells the service manager the state of the server, as sd_notify(3) does. Without a manager that asks for it, it
// does nothing. A manager that learns nothing ends the server.
func (a *App) tellManager(state string) {
	at := os.Getenv("NOTIFY_SOCKET") // an @ stands for an abstract address
	if at == "" {
		return
	}
	conn, err := net.DialTimeout("unixgram", at, time.Second)
	if err == nil {
		_ = conn.SetDeadline(time.Now().Add(time.Second)) // fails as the write does
		_, err = conn.Write([]byte(state))
		_ = conn.Close()
	}
	if err != nil {
		a.Log.Error("the service manager can't be told the state of the server", "state", state, "error", err)
	}
}

// closeSilent makes a shutdown of the server close connections on which nothing was ever sent. It would wait five seconds
// for them, although it answers no request that begins meanwhile.
func closeSilent(server *http.Server) {
	var silent sync.Map
	var isStopping atomic.Bool
	server.ConnState = func(c net.Conn, state http.ConnState) {
		if state != http.StateNew {
			silent.Delete(c)
			return
		}
		silent.Store(c, nil)
		if isStopping.Load() {
			c.Close()
		}
	}
	server.RegisterOnShutdown(func() {
		isStopping.Store(true)
		for c := range silent.Range {
			c.(net.Conn).Close()
		}
	})
}
