package e2e

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type load struct {
	t    *testing.T
	key  string
	done atomic.Int64
	stop chan struct{}
	all  sync.WaitGroup
}

// loadPace is how long a client waits between two requests, so that what is tested beside the load gets on.
const loadPace = 10 * time.Millisecond

// on writes and reads at the server until the load ends.
func (l *load) on(c caller) {
	for i := range 3 {
		l.all.Go(func() {
			pace := time.NewTicker(loadPace)
			defer pace.Stop()
			for n := 0; ; n++ {
				select {
				case <-l.stop:
					return
				case <-pace.C:
				}
				status, raw, err := c.send(l.key, http.MethodPost, eventsPath, diaryEntry{Title: fmt.Sprint("Nº ", i, " ", n)})
				if assert.NoError(l.t, err) {
					assert.Equal(l.t, http.StatusCreated, status, "%s", raw)
				}
				status, raw, err = c.send(l.key, http.MethodGet, eventsPath+"?page_size=2", nil)
				if assert.NoError(l.t, err) {
					assert.Equal(l.t, http.StatusOK, status, "%s", raw)
				}
				l.done.Add(1)
			}
		})
	}
}

// more waits until more was done.
func (l *load) more() {
	l.t.Helper()
	before := l.done.Load()
	require.Eventually(l.t, func() bool { return l.done.Load() > before+50 }, patience, 10*time.Millisecond)
}

func TestTwo_servers_share_an_embedded_database(t *testing.T) {
	settings := []string{"--data-dir=" + t.TempDir(), unlimited}
	l := &load{t: t, key: people(t, 0, settings).writers[0].key, stop: make(chan struct{})}
	end := sync.OnceFunc(func() { close(l.stop); l.all.Wait() })
	defer end()
	for range 2 {
		l.on(newCaller(serve(t, settings...).url))
	}
	l.more()
	end()
	_, errOut, status := run(t, nil, append([]string{"check"}, settings...)...)
	assert.Zero(t, status, "%s", errOut)
}
