package bootstrap

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/bootstrap/settings"
)

// shelf is a writer that counts how often it was written to.
type shelf struct {
	mu    sync.Mutex
	text  bytes.Buffer
	calls int
}

func (s *shelf) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	return s.text.Write(p)
}

// pass advances the time of the synctest bubble.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// has says how many lines were written, by how many calls.
func (s *shelf) has() (lines, calls int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.Count(s.text.Bytes(), []byte("\n")), s.calls
}

func TestLines_of_a_server_s_log_are_written_together(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out shelf
		log, buffer := newServerLogger(settings.Config{LogFormat: "json"}, &out)
		defer buffer.Close()
		has := func(lines, calls int, why string) {
			t.Helper()
			l, c := out.has()
			assert.Equal(t, []int{lines, calls}, []int{l, c}, why)
		}
		for range 3 {
			log.Info("request")
		}
		has(0, 0, "nothing is written yet")
		pass(maxAge)
		has(3, 1, "written together")

		log.Info("request")
		log.With("request_id", "1").Warn("refused")
		has(5, 2, "what is worse is written at once, with what came before it")

		log.Info(strings.Repeat("x", maxPending))
		has(6, 3, "many lines do not wait")

		log.Info("stopping")
		buffer.Close()
		has(7, 4, "Close writes the pending lines")
		pass(2 * maxAge)
		has(7, 4, "nothing is written twice")
	})
}

func TestA_log_is_whole_whoever_writes_at_once(t *testing.T) {
	var out shelf
	log, buffer := newServerLogger(settings.Config{LogFormat: "text"}, &out)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 500 {
				log.Info("request")
			}
			log.Error("broken")
		})
	}
	all.Wait()
	buffer.Close()
	lines, _ := out.has()
	assert.Equal(t, 8*501, lines)
}
