package faultproxy

import (
	"errors"
	"io"
	"net"
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience bounds how long anything here may take.
const patience = 30 * time.Second

// echo is a server that sends back what it reads, and counts what comes.
type echo struct {
	bytes, ended, reset atomic.Int64
	address             string
}

func newEcho(t *testing.T) *echo {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	e := &echo{address: listener.Addr().String()}
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go e.serve(c)
		}
	}()
	return e
}

func (e *echo) serve(c net.Conn) {
	defer c.Close()
	buffer := make([]byte, 100)
	for {
		n, err := c.Read(buffer)
		e.bytes.Add(int64(n))
		if _, failed := c.Write(buffer[:n]); err != nil || failed != nil {
			if errors.Is(err, syscall.ECONNRESET) {
				e.reset.Add(1)
			}
			e.ended.Add(1)
			return
		}
	}
}

func dial(t *testing.T, p *Proxy) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", p.Address())
	require.NoError(t, err)
	t.Cleanup(func() { c.Close() })
	require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
	return c
}

// says sends the words, and reports an error unless they come back.
func says(c net.Conn, words string) error {
	if _, err := io.WriteString(c, words); err != nil {
		return err
	}
	return hears(c, words)
}

func hears(c net.Conn, words string) error {
	back := make([]byte, len(words))
	if _, err := io.ReadFull(c, back); err != nil {
		return err
	}
	if string(back) != words {
		return errors.New("other words come back: " + string(back))
	}
	return nil
}

// saysAnew does so over a connection of its own, which may fail, too.
func saysAnew(p *Proxy, words string) error {
	c, err := net.Dial("tcp", p.Address())
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	return says(c, words)
}

// isSilent asserts that nothing comes for a moment.
func isSilent(t *testing.T, c net.Conn) {
	t.Helper()
	require.NoError(t, c.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	_, err := c.Read(make([]byte, 1))
	assert.ErrorIs(t, err, os.ErrDeadlineExceeded, "it is neither data nor an end")
	require.NoError(t, c.SetDeadline(time.Now().Add(patience)))
}

func eventually(t *testing.T, isSo func() bool) {
	t.Helper()
	require.Eventually(t, isSo, patience, time.Millisecond)
}

func start(t *testing.T) (*echo, *Proxy) {
	e := newEcho(t)
	return e, Start(t, "tcp", e.address)
}

func TestLatency(t *testing.T) {
	_, p := start(t)
	c := dial(t, p)
	p.Break(Latency(time.Millisecond))
	require.NoError(t, says(c, "hello"))
	p.Break(Latency(time.Hour))
	_, err := io.WriteString(c, "hello")
	require.NoError(t, err)
	isSilent(t, c)
	p.Mend()
	assert.NoError(t, hears(c, "hello"), "the end of the fault ends the delay")
	p.Break(Latency(time.Hour))
	_, err = io.WriteString(c, "hello")
	require.NoError(t, err)
	p.Break(Reset)
	assert.ErrorIs(t, hears(c, "hello"), syscall.ECONNRESET, "what was delayed meets the next fault")
}

func TestReset(t *testing.T) {
	e, p := start(t)
	c := dial(t, p)
	require.NoError(t, says(c, "hello"))
	p.Break(Reset)
	assert.ErrorIs(t, hears(c, "x"), syscall.ECONNRESET)
	eventually(t, func() bool { return e.reset.Load() == 1 })
	assert.Error(t, saysAnew(p, "hello"))
	assert.EqualValues(t, 5, e.bytes.Load(), "nothing more arrives")
	p.Mend()
	assert.NoError(t, says(dial(t, p), "hello"))
	eventually(t, func() bool { return p.Links() == 1 })
}

func TestHalfOpen(t *testing.T) {
	e, p := start(t)
	old := dial(t, p)
	require.NoError(t, says(old, "old"))
	p.Break(HalfOpen)
	assert.NoError(t, says(dial(t, p), "new"))
	_, err := io.WriteString(old, "lost")
	require.NoError(t, err)
	isSilent(t, old)
	p.Mend()
	eventually(t, func() bool { return e.reset.Load() == 1 })
	isSilent(t, old)
	assert.EqualValues(t, 6, e.bytes.Load())
	require.NoError(t, old.Close())
	eventually(t, func() bool { return p.Links() == 1 })
}

func TestBlackHole(t *testing.T) {
	e, p := start(t)
	old, left := dial(t, p), dial(t, p)
	require.NoError(t, says(old, "old"))
	require.NoError(t, says(left, "old"))
	p.Break(BlackHole)
	young := dial(t, p)
	for _, c := range []net.Conn{old, left, young} {
		_, err := io.WriteString(c, "late")
		require.NoError(t, err)
	}
	isSilent(t, old)
	isSilent(t, young)
	require.NoError(t, left.Close())
	assert.EqualValues(t, 6, e.bytes.Load())
	p.Mend()
	assert.NoError(t, hears(old, "late"))
	assert.NoError(t, hears(young, "late"))
	eventually(t, func() bool { return e.bytes.Load() == 18 && e.ended.Load() == 1 && p.Links() == 2 })
}
