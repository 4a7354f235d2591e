package ports

import (
	"bytes"
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"plaza/domain/media"
)

// slow is an upload whose second half can't be read before the gate opens.
type slow struct {
	*bytes.Reader
	gate  <-chan struct{}
	inner *atomic.Int64 // how many are at the gate
}

func (s slow) ReadAt(p []byte, at int64) (int, error) {
	if at+int64(len(p)) > s.Size()/2 {
		s.inner.Add(1)
		<-s.gate
	}
	return s.Reader.ReadAt(p, at)
}

func processorWaits(t *testing.T, fresh func(t *testing.T) media.Processor) {
	const callers = 40
	raw := encoded(t, noise(400, 400))["image/jpeg"]
	synctest.Test(t, func(t *testing.T) {
		s, gate, inner := fresh(t), make(chan struct{}), new(atomic.Int64)
		come := func(ctx context.Context, ends chan<- error) {
			_, err := s.Process(ctx, "user 1", slow{bytes.NewReader(raw), gate, inner})
			ends <- err
		}
		served, patience := make(chan error, callers), make(chan error, callers)
		for range callers {
			go come(t.Context(), served)
		}
		synctest.Wait()
		making := inner.Load()
		assert.Positive(t, making)
		assert.Less(t, making, int64(callers), "few at once")
		assert.Empty(t, served)

		// Later calls wait.
		ctx, leave := context.WithCancel(t.Context())
		for range callers {
			go come(ctx, patience)
		}
		synctest.Wait()
		assert.Equal(t, making, inner.Load())
		assert.Empty(t, patience)
		leave()
		for range callers {
			assert.ErrorIs(t, <-patience, context.Canceled)
		}
		assert.Equal(t, making, inner.Load(), "those who have left did not come in")

		// What is refused by its header needs no place.
		processorClient{t, s}.refused(hollowPNG(60_000, 60_000), media.ErrTooManyPixels)
		processorClient{t, s}.refused([]byte("text"), media.ErrNotAccepted)

		close(gate)
		for range callers {
			assert.NoError(t, <-served)
		}
	})
}
