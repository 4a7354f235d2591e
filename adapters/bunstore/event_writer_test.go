package bunstore_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/event"
	"plaza/domain/user"
)

// eventWriter writes events and remembers those that were acknowledged.
type eventWriter struct {
	t      *testing.T
	store  *bunstore.Store
	author user.ID
	mu     sync.Mutex
	kept   map[event.ID]string
}

func newEventWriter(t *testing.T, s *bunstore.Store) *eventWriter {
	t.Helper()
	return &eventWriter{t: t, store: s, author: member(t, s), kept: map[event.ID]string{}}
}

// write stores another event.
func (w *eventWriter) write(n int) error {
	title := fmt.Sprint("Nº ", n)
	e := listedEvent(w.t, w.author, title)
	if err := e.Apply(event.Change{Content: new(strings.Repeat(title+" ", 500))}, time.Now()); err != nil {
		return err
	}
	added, err := w.store.Events.Add(w.t.Context(), e)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.kept[added.ID()] = added.Text().Content
	return nil
}

// assertKept asserts that every acknowledged event is stored.
func (w *eventWriter) assertKept(s *bunstore.Store) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	require.NotEmpty(w.t, w.kept)
	for id, content := range w.kept {
		found, err := s.Events.Get(w.t.Context(), id)
		require.NoError(w.t, err)
		require.Equal(w.t, content, found.Text().Content)
	}
}

// fill writes with four goroutines until each has been refused several times, and
// returns the refusals.
func (w *eventWriter) fill() (refusals []error) {
	const writers, most = 4, 3
	var all [writers][]error
	var done sync.WaitGroup
	for i := range writers {
		done.Go(func() {
			for n := 0; len(all[i]) < most; n++ {
				if err := w.write(n*writers + i); err != nil {
					all[i] = append(all[i], err)
				}
			}
		})
	}
	done.Wait()
	for _, some := range all {
		refusals = append(refusals, some...)
	}
	return refusals
}
