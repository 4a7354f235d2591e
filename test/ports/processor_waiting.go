package ports

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/test/pictures"
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

// crowd are calls of a processor in a bubble of testing/synctest.
type crowd struct {
	s     media.Processor
	gate  chan struct{}
	inner atomic.Int64
}

// come processes the picture in the background. The channel receives the result.
func (c *crowd) come(ctx context.Context, by string, raw []byte) <-chan error {
	ended := make(chan error, 1)
	go func() {
		_, err := c.s.Process(ctx, by, slow{bytes.NewReader(raw), c.gate, &c.inner})
		ended <- err
	}()
	synctest.Wait()
	return ended
}

// assertBusy asserts that the call has ended and was refused for now.
func assertBusy(t *testing.T, ended <-chan error) {
	t.Helper()
	select {
	case err := <-ended:
		f, isFault := fault.As(err)
		require.True(t, isFault, "%v", err)
		assert.Equal(t, fault.Unavailable, f.Kind)
		assert.Positive(t, f.RetryAfter)
	default:
		assert.Fail(t, "the call waits")
	}
}

// someone is another key each time.
func someone(n int) string { return fmt.Sprint("user ", n) }

// processorWaits runs the cases in which calls wait. small is a whole picture.
func processorWaits(t *testing.T, fresh func(t *testing.T) media.Processor) {
	small := encoded(t, noise(400, 400))["image/jpeg"]
	for _, p := range []struct {
		sentence string
		kept     func(t *testing.T, c *crowd, small []byte)
	}{
		{"few pictures are processed at once, and later calls wait until their context ends", processorFew},
		{"a call waits a bounded time", processorWaitEnds},
		{"a call whose deadline passes is refused for now", processorDeadline},
		{"the waiting calls are bounded, of one key and of all", processorWaitingBounded},
		{"a dozen pictures of a key are processed, and those of others go before the ones that wait", processorDozen},
	} {
		t.Run(p.sentence, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p.kept(t, &crowd{s: fresh(t), gate: make(chan struct{})}, small)
			})
		})
	}
}

func processorFew(t *testing.T, c *crowd, small []byte) {
	const callers = 40
	var served, left []<-chan error
	for n := range callers {
		served = append(served, c.come(t.Context(), someone(n), small))
	}
	making := c.inner.Load()
	assert.Positive(t, making)
	assert.Less(t, making, int64(callers), "few at once")
	ctx, leave := context.WithCancel(t.Context())
	for n := range callers {
		left = append(left, c.come(ctx, someone(n), small))
	}
	assert.Equal(t, making, c.inner.Load())
	leave()
	for _, ended := range left {
		assert.ErrorIs(t, <-ended, context.Canceled)
	}
	assert.Equal(t, making, c.inner.Load(), "those who have left did not come in")

	// What is refused by its header needs no place.
	processorClient{t, c.s}.refused(hollowPNG(60_000, 60_000), media.ErrTooManyPixels)
	processorClient{t, c.s}.refused([]byte("text"), media.ErrNotAccepted)

	close(c.gate)
	for _, ended := range served {
		assert.NoError(t, <-ended)
	}
}

// fill lets as many others come as are admitted at once, and one more, who waits.
func (c *crowd) fill(t *testing.T, raw []byte) (admitted []<-chan error) {
	for n := 1000; ; n++ {
		before := c.inner.Load()
		ended := c.come(t.Context(), someone(n), raw)
		if c.inner.Load() == before {
			return admitted
		}
		admitted = append(admitted, ended)
	}
}

func processorWaitEnds(t *testing.T, c *crowd, small []byte) {
	admitted := c.fill(t, small)
	waiting := c.come(t.Context(), "late", small)
	assert.Empty(t, waiting)
	<-time.After(time.Minute)
	assertBusy(t, waiting)
	close(c.gate)
	for _, ended := range admitted {
		assert.NoError(t, <-ended)
	}
	processorClient{t, c.s}.processed(small)
}

func processorDeadline(t *testing.T, c *crowd, small []byte) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	inWork := c.come(ctx, "in work", small)
	c.fill(t, small)
	waiting := c.come(ctx, "late", small)
	<-time.After(time.Second)
	synctest.Wait()
	assertBusy(t, waiting)
	close(c.gate)
	synctest.Wait()
	assertBusy(t, inWork)
}

func processorWaitingBounded(t *testing.T, c *crowd, small []byte) {
	c.fill(t, small)
	assert.Less(t, c.callsUntilRefused(t, 200, func(int) string { return "many" }, small), 200)
	assert.Less(t, c.callsUntilRefused(t, 250, someone, small), 250)
	close(c.gate)
}

// processorDozen works on pictures of the lane in which the fewest are processed at once.
func processorDozen(t *testing.T, c *crowd, _ []byte) {
	large := pictures.WebPFile(webPOf(noise(400, 400)))
	var calls []*crowd
	var ended []<-chan error
	come := func(by string) *crowd {
		call := &crowd{s: c.s, gate: make(chan struct{})}
		calls, ended = append(calls, call), append(ended, call.come(t.Context(), by, large))
		return call
	}
	for range 12 {
		come("many")
	}
	one := come("one")
	assert.Zero(t, one.inner.Load())
	close(calls[0].gate)
	synctest.Wait()
	assert.NotZero(t, one.inner.Load(), "its turn is the next one")
	for _, call := range calls[1:] {
		close(call.gate)
	}
	for _, e := range ended {
		assert.NoError(t, <-e)
	}
}

// callsUntilRefused returns how many calls come before one of them is refused, at most that many.
func (c *crowd) callsUntilRefused(t *testing.T, most int, by func(n int) string, raw []byte) int {
	var waiting []<-chan error
	for n := range most {
		waiting = append(waiting, c.come(t.Context(), by(n), raw))
		for _, ended := range waiting {
			if len(ended) > 0 {
				assertBusy(t, ended)
				return n
			}
		}
	}
	return most
}
