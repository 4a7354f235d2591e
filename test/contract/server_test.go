package contract

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/argon2id"
	"plaza/adapters/sms/sandbox"
	"plaza/application/signin"
	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/test/process"
	"plaza/test/telephones"
)

// server is a running Plaza with a clock that stands until it is moved. On some stores it is several processes behind one address.
type server struct {
	url       string
	on        store
	app       *bootstrap.App   // the first of apps, for what any of them does alike
	unsettled http.Handler     // of app, which settles nothing
	apps      []*bootstrap.App // their requests alternate
	clock     *clock
	log       *logBuffer // of all of them
	// messages get the codes, unless the test has a sender of its own or none.
	messages *telephones.Telephones
	stop     func() // ends it, once the requests in flight are done

	settings settings.Config
	front    string // URL of the balancer; empty: none
	balance  func() // starts the balancer, once
	hasRun   bool   // behind it
	parts    bootstrap.Parts
	members  atomic.Int64 // accounts opened so far
}

// epoch is when every server of the tests starts: Friday, 20 November 2026.
var epoch = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func (on store) start(t *testing.T) *server {
	t.Helper()
	return on.startWith(t, func(*settings.Config) {})
}

func (on store) startWith(t *testing.T, change func(*settings.Config)) *server {
	t.Helper()
	return on.startAs(t, change, bootstrap.Parts{})
}

// startAs is startWith, with parts of the program replaced; the clock and the hashing are always the tests'.
func (on store) startAs(t *testing.T, change func(*settings.Config), parts bootstrap.Parts) *server {
	t.Helper()
	s := &server{on: on, clock: &clock{now: epoch}, log: &logBuffer{}}
	s.settings = settings.Config{
		Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0", DatabaseURL: on.fresh(t), DataDir: t.TempDir(), DatabaseWait: time.Minute,
		TokenTTL: 720 * time.Hour, LogLevel: slog.LevelDebug, LogFormat: "text", WalletPoll: 30 * time.Second, WalletTimeout: 5 * time.Second,
		DatabasePooler: on.isPooled, BackOffice: settings.BackOfficePublic, SecondFactor: settings.SecondFactorOff,
	}
	if on.balance != nil {
		url, start := on.balance(t, &s.settings)
		s.front, s.balance = url, sync.OnceFunc(start)
	}
	change(&s.settings)
	parts.Now, parts.Hashing = s.clock.Now, &argon2id.Cheap
	if parts.Sender == nil && s.settings.SMS == "" {
		s.messages = telephones.New(sandbox.New(s.clock.Now))
		parts.Sender = s.messages
	}
	s.parts = parts
	t.Cleanup(func() {
		if s.stop != nil {
			s.stop()
		}
		if t.Failed() {
			t.Logf("what the server says of it:\n%s", s.log.problems())
		}
	})
	s.run(t)
	return s
}

// run serves what is stored, on a port that is free now.
func (s *server) run(t *testing.T) {
	t.Helper()
	config, err := bootstrap.Check(s.settings)
	require.NoError(t, err)
	listeners, err := bootstrap.Listen(config)
	require.NoError(t, err)
	s.url = cmp.Or(s.front, listeners.URL())
	if config.PublicURL == "" {
		config.PublicURL = s.url
	}
	log := slog.New(slog.NewTextHandler(s.log, &slog.HandlerOptions{Level: config.LogLevel}))
	apps := make([]*bootstrap.App, s.on.servers)
	for i := range apps {
		apps[i], err = bootstrap.NewApp(t.Context(), config, log, s.parts)
		require.NoError(t, err)
	}
	s.app, s.apps = apps[0], apps
	s.clock.settle = func() {
		for _, app := range apps {
			app.Signin.Settle()
		}
	}
	s.unsettled, s.app.Handler = s.app.Handler, inTurn(apps)

	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- bootstrap.Serve(ctx, s.app, listeners) }()
	if s.front != "" {
		// The balancer must not see it start: it would pass over it for a while.
		require.Eventually(t, func() bool { return answers(listeners.AdminURL()+"/readyz", http.StatusOK) }, time.Minute, 10*time.Millisecond)
		s.balance()
		if s.hasRun {
			s.awaitBalancer(t)
		}
		s.hasRun = true
	}
	s.stop = sync.OnceFunc(func() {
		dialer.CloseIdleConnections() // the server waits five seconds for those that have sent nothing yet
		stop()
		assert.NoError(t, <-done)
		for _, app := range apps {
			assert.NoError(t, app.Close())
		}
	})
}

// direct returns a server without a balancer, for what a balancer does itself: it tells addresses of clients, and keeps their connections.
func (s *server) direct(t *testing.T) *server {
	t.Helper()
	if s.front == "" {
		return s
	}
	on := s.on
	on.balance = nil
	return on.start(t)
}

// awaitBalancer returns when the balancer leads to a server that was away, and goes on doing so: a
// check that began meanwhile may still fail afterwards.
func (s *server) awaitBalancer(t *testing.T) {
	t.Helper()
	answered := 0
	require.Eventually(t, func() bool {
		answered++
		if !answers(s.front+"/no/such/path/", http.StatusNotFound) {
			answered = 0
		}
		return answered == 5
	}, time.Minute, 300*time.Millisecond)
}

func answers(url string, status int) bool {
	res, err := http.Get(url)
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode == status
}

// clock tells a time that only moves when it is told to, behind what the servers store beside their answers.
type clock struct {
	settle func()
	mu     sync.Mutex
	now    time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.settle()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

type logBuffer struct{ process.Output }

func (b *logBuffer) problems() string {
	var bad strings.Builder
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "level=ERROR") || strings.Contains(line, "level=WARN") {
			bad.WriteString(line)
		}
	}
	return bad.String()
}

// password is everybody's in the tests.
const password = "kettle-and-cups"

// person is a user with an account and a key.
type person struct {
	id    user.ID
	phone string
	key   string
	*client
}

// member opens an account, +86-13900000001 and so on, and gives it a key with all of its scopes.
func (s *server) member(t *testing.T, change ...func(*signin.Registration)) person {
	t.Helper()
	r := signin.Registration{
		Password: secret.New(password),
		Member:   user.Member{Firstname: "Ada", Lastname: "Berg", Expertise: "Bookbinding", Location: "Uppsala", Timezone: "Europe/Stockholm"},
	}
	r.Username = fmt.Sprintf("+86-139%08d", s.members.Add(1))
	for _, c := range change {
		c(&r)
	}
	id, err := s.app.Signin.Register(t.Context(), r)
	require.NoError(t, err)
	key, err := s.app.Signin.Issue(t.Context(), id, nil, 0)
	require.NoError(t, err)
	return person{id: id, phone: r.Username, key: key.Reveal(), client: s.with(key.Reveal())}
}
