package bunstore_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/publication"
)

// churn publishes and unpublishes until it is told to stop. It limits its rate, because
// SQLite locks are not fair.
func (s *servers) churn(t *testing.T, number int, stop <-chan struct{}) {
	pace := time.NewTicker(time.Millisecond)
	defer pace.Stop()
	for turn := 0; ; turn++ {
		select {
		case <-stop:
			return
		case <-pace.C:
			assert.NoError(t, s.publish(t.Context(), int64(100+number), func(c *publication.Content) { c.Published = turn%2 == 0 }))
		}
	}
}

// checkWhileWriting lets both servers check and repair concurrently with writers, and
// returns all findings.
func (s *servers) checkWhileWriting(t *testing.T) (found []bunstore.Finding) {
	t.Helper()
	stop := make(chan struct{})
	var writing, checking sync.WaitGroup
	for i := range 3 {
		writing.Go(func() { s.churn(t, i, stop) })
	}
	var mu sync.Mutex
	for _, server := range []*bunstore.Store{s.reader, s.writer} {
		checking.Go(func() {
			assert.NoError(t, server.Check(t.Context(), true, func(f bunstore.Finding) {
				mu.Lock()
				defer mu.Unlock()
				found = append(found, f)
			}))
		})
	}
	checking.Wait()
	close(stop)
	writing.Wait()
	return found
}

func TestChecks_at_once_mend_a_thing_once_and_find_nothing_in_what_is_being_written(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s, db := bothServers(t, at), rawSQL(t, at)
		storeTwoOfEach(t, s)
		require.Empty(t, s.checkWhileWriting(t))
		for _, spoil := range []string{
			"UPDATE feed_totals SET count = count + 1 WHERE kind = 'node'", "DELETE FROM feed_totals",
			"UPDATE feed_counters SET count = count + 1 WHERE kind = 'node'", "DELETE FROM feed_counters",
		} {
			execute(t, db, spoil)
			times := map[string]int{}
			for _, f := range s.checkWhileWriting(t) {
				times[fmt.Sprint(f.What)]++
			}
			assert.NotEmpty(t, times, spoil)
			for what, n := range times {
				assert.Equal(t, 1, n, "%s: %s", spoil, what)
			}
			require.Empty(t, checked(t, s.writer, false), spoil)
		}
	})
}
