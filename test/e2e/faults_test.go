package e2e

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/faultproxy"
)

// latency makes requests wait for each other, so that the server opens as many connections
// as it keeps.
var latency = faultproxy.Latency(30 * time.Millisecond)

// faults are further ways in which the line to a peer fails.
var faults = []faultproxy.Fault{
	faultproxy.Reset, faultproxy.ResetAnswers, faultproxy.HalfOpen, faultproxy.SlowClose, faultproxy.BlackHole,
}

// severe are the faults with which no request that needs the peer can succeed.
var severe = []faultproxy.Fault{faultproxy.Reset, faultproxy.ResetAnswers, faultproxy.BlackHole}

// faultyPeer is a server that Plaza depends on, behind a line that fails.
type faultyPeer interface {
	// breaks does what a round needs while the line is sound, and breaks it.
	breaks(t *testing.T, f faultproxy.Fault)
	// suffer sends requests while the line fails, those that need the peer and those that
	// do not. It asserts that each is answered as it must be, and returns how many of those
	// that need the peer succeeded.
	suffer(t *testing.T, f faultproxy.Fault) (succeeded int64)
	// works reports whether a request that needs the peer succeeds.
	works(t *testing.T) bool
	// verify asserts that nothing acknowledged is lost, and nothing done twice.
	verify(t *testing.T)
	// sessions returns how many connections the peer has.
	sessions(t *testing.T) int
	// finish asserts what holds after all rounds.
	finish(t *testing.T)
}

// behindLine is a server and the line to its peer.
type behindLine struct {
	line *faultproxy.Proxy
	now  *running
	peer faultyPeer
}

// faulty are the peers whose line to the server is broken.
var faulty = map[string]func(t *testing.T) behindLine{
	"Postgres": behindPostgres, "wallet": behindWallet,
}

func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	_, err := plaza()
	require.NoError(t, err)
	for name, open := range faulty {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := open(t)
			b.survives(t, latency)
			before := b.opened(t)
			for _, fault := range faults {
				survived := t.Run(fault.String(), func(t *testing.T) {
					b.survives(t, fault)
					b.closes(t, before)
				})
				require.True(t, survived, "%s", b.now.saysBesides("level=INFO"))
			}
			b.peer.finish(t)
			b.line.Break(faultproxy.BlackHole) // which does not keep the server from stopping
			require.NoError(t, b.now.cmd.Process.Signal(syscall.SIGTERM))
			assert.Zero(t, b.now.ends(t), "%s", b.now.log)
			b.now.assertSilentOn(t, "DATA RACE", "panic", "level=ERROR")
		})
	}
}

// survives breaks the line and mends it, and asserts that the server then works as before.
func (b behindLine) survives(t *testing.T, f faultproxy.Fault) {
	t.Helper()
	b.peer.breaks(t, f)
	succeeded := b.peer.suffer(t, f)
	if slices.Contains(severe, f) {
		assert.Zero(t, succeeded, "succeeded without the peer")
	}
	b.line.Mend()
	until(t, func() bool { return b.peer.works(t) })
	b.peer.verify(t)
}

// opened is what a server has open.
type opened struct{ goroutines, links, sessions int }

var goroutines = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

func (b behindLine) opened(t *testing.T) opened {
	t.Helper()
	a := b.now.askAdmin("/metrics")
	found := goroutines.FindStringSubmatch(a.body)
	require.NotNil(t, found, a.body)
	n, err := strconv.Atoi(found[1])
	require.NoError(t, err)
	return opened{n, b.line.Links(), b.peer.sessions(t)}
}

// askAdmin reads from the address of health and metrics.
func (r *running) askAdmin(path string) said {
	return ask(&running{url: strings.TrimSuffix(r.admin, "/readyz")}, "", http.MethodGet, path, nil, nil)
}

// closes waits until the server has no more open than before.
func (b behindLine) closes(t *testing.T, before opened) {
	t.Helper()
	var now opened
	defer func() {
		if t.Failed() {
			t.Logf("%+v are open, before %+v", now, before)
		}
	}()
	until(t, func() bool {
		now = b.opened(t)
		return now.goroutines <= before.goroutines && now.links <= before.links && now.sessions <= before.sessions
	})
}

// atOnce calls the function so many times at once, waits, and returns how often it was true.
func atOnce(times int, do func(n int) bool) int64 {
	var all sync.WaitGroup
	var succeeded atomic.Int64
	for n := range times {
		all.Go(func() {
			if do(n) {
				succeeded.Add(1)
			}
		})
	}
	all.Wait()
	return succeeded.Load()
}

// refusals are the answers to a request that could not be done, by status.
var refusals = map[int]string{
	http.StatusBadGateway: "GATEWAY_ERROR", http.StatusServiceUnavailable: "SERVICE_UNAVAILABLE", http.StatusGatewayTimeout: "GATEWAY_TIMEOUT",
}

// succeeds reports whether the request succeeded. It asserts that it was refused in the
// envelope otherwise, with a time to come back at if the server is at fault.
func succeeds(t *testing.T, what string, a said, success int) bool {
	t.Helper()
	if a.status == success {
		return true
	}
	var refused struct {
		Error bool
		Code  string
		Data  struct{ Detail string }
	}
	assert.NoError(t, json.Unmarshal([]byte(a.body), &refused), "%s: status %d, %s", what, a.status, a.body)
	assert.True(t, refused.Error, "%s: %s", what, a.body)
	assert.NotEmpty(t, refused.Data.Detail, what)
	assert.Contains(t, refusals, a.status, "%s: %s", what, a.body)
	assert.Equal(t, refusals[a.status], refused.Code, what)
	if a.status == http.StatusServiceUnavailable {
		assert.NotEmpty(t, a.header.Get("Retry-After"), "%s: %s", what, a.body)
	}
	return false
}
