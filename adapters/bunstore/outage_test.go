package bunstore_test

import (
	"context"
	"log/slog"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/moderation"
	"plaza/domain/personaldata"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/search"
	"plaza/domain/user"
	"plaza/test/postgres"
)

const (
	// eventually limits waiting, however busy the machine is.
	eventually = 30 * time.Second
	// secretPassword is a password that must never be shown.
	secretPassword = "kettle-and-cups"
)

// logBook collects the log of a store.
type logBook struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logBook) logger() *slog.Logger { return slog.New(slog.NewTextHandler(l, nil)) }

func (l *logBook) tries() int { return strings.Count(l.String(), "trying again") }

// withPassword returns the URL with a password, which a server with trust
// authentication ignores.
func withPassword(url, password string) string {
	return strings.Replace(url, "postgres@", "postgres:"+password+"@", 1)
}

func TestOpen_waits_for_a_database_that_comes(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	server := postgres.Start(t)
	server.Stop()
	book := &logBook{}
	opened := make(chan error, 1)
	var s *bunstore.Store
	go func() {
		var err error
		s, err = bunstore.Open(t.Context(), bunstore.Options{
			URL: withPassword(server.URL("postgres"), secretPassword), Patience: time.Minute, Log: book.logger(),
		})
		opened <- err
	}()
	require.Eventually(t, func() bool { return book.tries() >= 2 }, eventually, time.Millisecond, "people must see that it tries")
	server.Start()
	require.NoError(t, <-opened)
	assert.NoError(t, s.Ping(t.Context()))
	assert.NoError(t, s.Close())
	assert.NotContains(t, book.String(), secretPassword)
}

func TestOpen_gives_up(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	nowhere, book := "postgres://postgres:"+secretPassword+"@/plaza?host="+t.TempDir(), &logBook{}
	_, err := bunstore.Open(t.Context(), bunstore.Options{URL: nowhere, Patience: 2 * time.Second, Log: book.logger()})
	require.ErrorContains(t, err, "the database can't be reached")
	require.ErrorIs(t, err, engine.ErrAway)
	assert.GreaterOrEqual(t, book.tries(), 3)
	assert.NotContains(t, err.Error()+book.String(), secretPassword)
}

func TestOpen_stops_waiting_when_it_is_told_to(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err := bunstore.Open(ctx, bunstore.Options{URL: "postgres:///plaza?host=" + t.TempDir(), Patience: time.Hour})
	assert.ErrorIs(t, err, context.Canceled)
}

// demandPasswords makes the server require passwords of all roles except one superuser,
// which sets them.
func demandPasswords(t *testing.T, server *postgres.Server) {
	t.Helper()
	db := rawSQL(t, server.URL("postgres"))
	path := column[string](t, db, "SHOW hba_file")[0]
	require.NoError(t, os.WriteFile(path, []byte("local all postgres trust\nlocal all all scram-sha-256\n"), 0o600))
	execute(t, db, "CREATE ROLE plaza LOGIN PASSWORD 'the right one'")
	execute(t, db, "SELECT pg_reload_conf()")
}

func TestOpen_does_not_wait_for_what_waiting_cannot_mend(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	server := postgres.Start(t)
	demandPasswords(t, server)
	as := func(password string) string {
		return strings.Replace(server.URL("postgres"), "postgres@", "plaza:"+password+"@", 1)
	}
	require.Eventually(t, func() bool { // the server reloads its file with a delay
		return rawSQL(t, as("wrong")).PingContext(t.Context()) != nil
	}, eventually, 10*time.Millisecond)
	right, err := bunstore.Open(t.Context(), bunstore.Options{URL: as("the%20right%20one")})
	require.NoError(t, err)
	require.NoError(t, right.Close())

	for what, c := range map[string]struct{ url, says string }{
		"a wrong password":    {as(secretPassword), "password authentication failed"},
		"an unknown database": {withPassword(server.URL("nowhere"), secretPassword), `database "nowhere" does not exist`},
		"an unknown user":     {strings.Replace(server.URL("postgres"), "postgres@", "nobody:"+secretPassword+"@", 1), "authentication failed"},
		"an invalid URL":      {"postgres://plaza:" + secretPassword + "@host:port/", "invalid database URL"},
		"a parameter that is none": {
			withPassword(server.URL("postgres"), secretPassword) + "&no_such_setting=1", "no_such_setting"},
	} {
		book := &logBook{}
		_, err := bunstore.Open(t.Context(), bunstore.Options{URL: c.url, Patience: time.Hour, Log: book.logger()})
		require.Error(t, err, what)
		assert.ErrorContains(t, err, c.says, what)
		assert.NotContains(t, err.Error(), secretPassword, what)
		assert.Empty(t, book.String(), what)
	}
}

// portCalls returns all methods of all ports, with arguments.
func portCalls(s *bunstore.Store) map[string]func(context.Context) error {
	calls := map[string]func(context.Context) error{"Store.Ping": s.Ping}
	stores := reflect.ValueOf(s.WithQuotas(quota.Limits{Pictures: 1 << 30})) // without a quota Room asks nothing
	for field, port := range stores.Fields() {
		if port.Kind() != reflect.Interface {
			continue
		}
		for i := range port.NumMethod() {
			method := port.Method(i)
			calls[field.Name+"."+port.Type().Method(i).Name] = func(ctx context.Context) error {
				args := []reflect.Value{reflect.ValueOf(ctx)}
				for n := 1; n < method.Type().NumIn(); n++ {
					args = append(args, something(method.Type().In(n)))
				}
				call := method.Call
				if method.Type().IsVariadic() {
					call = method.CallSlice
				}
				results := call(args)
				return errorOf(results[len(results)-1].Interface())
			}
		}
	}
	return calls
}

// errorOf returns the error of a call from its last result: an error, or an iterator
// that ends with one.
func errorOf(result any) (err error) {
	if walk := reflect.ValueOf(result); walk.Kind() == reflect.Func {
		for _, last := range walk.Seq2() {
			err, _ = last.Interface().(error)
		}
		return err
	}
	err, _ = result.(error)
	return err
}

// something returns a value that no port treats as empty.
func something(of reflect.Type) reflect.Value {
	for _, known := range []any{
		time.Now(), feed.Node, access.Sighting{At: time.Now()}, // so that the token's last use is long ago
		someEvent(), event.Entry{Event: someEvent()}, event.RelatedQuery{CommentsFor: []event.ID{1}, Comments: 1},
		[]imported.Ref{{Kind: imported.Bundle, ID: "1"}}, personaldata.Comments, someThing, moderation.Report{Thing: someThing},
		search.Query{Words: []string{"tea"}, Kinds: feed.ItemKinds()},
		ratelimit.Limits{ratelimit.Like: {Count: 1, Period: time.Hour}}.Charge(10, ratelimit.Like, time.Now()), // a free one sends nothing
	} {
		if v := reflect.ValueOf(known); v.Type() == of {
			return v
		}
	}
	value := reflect.New(of).Elem()
	switch of.Kind() {
	case reflect.Slice:
		return reflect.Append(value, something(of.Elem()))
	case reflect.Map:
		value.Set(reflect.MakeMap(of))
		value.SetMapIndex(reflect.New(of.Key()).Elem(), reflect.New(of.Elem()).Elem())
	case reflect.Pointer:
		value.Set(reflect.New(of.Elem()))
	case reflect.Int:
		value.SetInt(10)
	case reflect.Func:
		return reflect.MakeFunc(of, func([]reflect.Value) []reflect.Value { return []reflect.Value{reflect.Zero(of.Out(0))} })
	}
	return value
}

var someThing = moderation.Thing{Kind: moderation.Event, ID: 10}

// someEvent returns an event as if it was read; it is not stored.
func someEvent() *event.Event {
	now := time.Now()
	e, err := event.Restore(event.State{ID: 10, Author: 10, Date: calendar.DateOf(now), Created: now, Modified: now})
	if err != nil {
		panic(err)
	}
	return e
}

// refuseAll asserts that every call fails with the fault.
func refuseAll(t *testing.T, s *bunstore.Store) {
	t.Helper()
	calls := portCalls(s)
	require.Greater(t, len(calls), 40)
	for name, call := range calls {
		err := call(t.Context())
		assert.ErrorIs(t, err, engine.ErrAway, name)
		assert.True(t, fault.Is(err, fault.Unavailable), name)
	}
}

// serveAll asserts that no call finds the database unavailable.
func serveAll(t *testing.T, s *bunstore.Store) {
	t.Helper()
	for name, call := range portCalls(s) {
		assert.NotErrorIs(t, call(t.Context()), engine.ErrAway, name)
	}
}

// member opens an account and returns its user.
func member(t *testing.T, s *bunstore.Store) user.ID {
	t.Helper()
	phone, err := user.ParsePhone("+86-13800000001")
	require.NoError(t, err)
	now := time.Now()
	id, err := s.Accounts.Open(t.Context(), access.Account{Phone: phone, Hash: "hash", Scopes: access.DefaultScopes()},
		user.Member{Firstname: "丽", Timezone: "Asia/Shanghai", Joined: now})
	require.NoError(t, err)
	return id
}

// listedEvent returns an event that the feed lists; it is not stored yet.
func listedEvent(t *testing.T, author user.ID, title string) *event.Event {
	t.Helper()
	e, err := event.New(author, event.Change{Title: &title, Publish: new(true), Permission: new(event.Public)},
		calendar.DateOf(time.Now()), time.Now())
	require.NoError(t, err)
	return e
}

func TestA_database_that_goes_away_and_comes_back(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	server := postgres.Start(t)
	s := open(t, server.URL("postgres"))
	author := member(t, s)
	written, err := s.Events.Add(t.Context(), listedEvent(t, author, "Before"))
	require.NoError(t, err)
	for how, stop := range map[string]func(){"stopped": server.Stop, "killed": server.Kill} {
		t.Run(how, func(t *testing.T) {
			serveAll(t, s)
			stop()
			refuseAll(t, s)
			server.Start()
			require.Eventually(t, func() bool { return s.Ping(t.Context()) == nil }, eventually, 10*time.Millisecond)
			serveAll(t, s)
			found, err := s.Events.Get(t.Context(), written.ID())
			require.NoError(t, err)
			assert.Equal(t, "Before", found.Text().Title)
			_, err = s.Events.Add(t.Context(), listedEvent(t, author, "After"))
			require.NoError(t, err)
			assertConsistent(t, s)
		})
	}
}

// assertConsistent asserts that a check finds nothing.
func assertConsistent(t *testing.T, s *bunstore.Store) {
	t.Helper()
	require.NoError(t, s.Check(t.Context(), false, func(f bunstore.Finding) { assert.Fail(t, f.What) }))
}

// connectMany makes the store's pool open many connections: concurrent readers all wait
// for one lock.
func connectMany(t *testing.T, s *bunstore.Store, url string) {
	t.Helper()
	const many = 8
	db := rawSQL(t, url)
	tx, err := db.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = tx.ExecContext(t.Context(), "LOCK TABLE users")
	require.NoError(t, err)
	var reading sync.WaitGroup
	for range many {
		reading.Go(func() {
			_, err := s.Accounts.List(t.Context(), 0, 1)
			assert.NoError(t, err)
		})
	}
	require.Eventually(t, func() bool { return column[int](t, db, bunstore.Waiting)[0] == many }, eventually, time.Millisecond)
	require.NoError(t, tx.Rollback())
	reading.Wait()
}
