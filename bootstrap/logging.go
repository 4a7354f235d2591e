package bootstrap

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"plaza/bootstrap/settings"
	"plaza/domain/fault"
)

func NewLogger(c settings.Config, w io.Writer) *slog.Logger { return slog.New(newHandler(c, w)) }

func newHandler(c settings.Config, w io.Writer) slog.Handler {
	options := &slog.HandlerOptions{Level: c.LogLevel, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Value.Kind() == slog.KindAny {
			if err, is := a.Value.Any().(error); is {
				a.Value = slog.StringValue(fault.WithCause(err))
			}
		}
		return a
	}}
	if c.LogFormat == "json" {
		return slog.NewJSONHandler(w, options)
	}
	return slog.NewTextHandler(w, options)
}

// newServerLogger is NewLogger for a server, which logs a line per request. It writes lines
// together, once they exceed maxPending bytes or the first is maxAge old. It writes warnings
// and errors immediately, after all lines before them. The caller must close the buffer.
func newServerLogger(c settings.Config, w io.Writer) (*slog.Logger, *logBuffer) {
	buffer := &logBuffer{w: w}
	buffer.due = time.AfterFunc(time.Hour, buffer.flush)
	buffer.due.Stop()
	return slog.New(promptHandler{newHandler(c, buffer), buffer}), buffer
}

const (
	maxAge     = 100 * time.Millisecond
	maxPending = 32 << 10 // bytes
)

// logBuffer collects lines, so that many lines cost one system call.
type logBuffer struct {
	mu      sync.Mutex
	w       io.Writer
	pending []byte
	due     *time.Timer
	lost    atomic.Int64 // lines that could not be written
}

func (b *logBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.pending) == 0 {
		b.due.Reset(maxAge)
	}
	b.pending = append(b.pending, line...)
	if len(b.pending) >= maxPending {
		b.write()
	}
	return len(line), nil
}

func (b *logBuffer) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.write()
}

// write counts the lines that can't be written.
func (b *logBuffer) write() {
	b.due.Stop()
	if len(b.pending) > 0 {
		if n, err := b.w.Write(b.pending); err != nil {
			b.lost.Add(int64(bytes.Count(b.pending[n:], []byte("\n"))))
		}
		b.pending = b.pending[:0]
	}
}

// Close writes the pending lines. Later lines are still written when they are due.
func (b *logBuffer) Close() { b.flush() }

// promptHandler writes records above slog.LevelInfo immediately.
type promptHandler struct {
	slog.Handler
	buffer *logBuffer
}

func (h promptHandler) Handle(ctx context.Context, r slog.Record) (err error) {
	err = h.Handler.Handle(ctx, r)
	if r.Level > slog.LevelInfo {
		h.buffer.flush()
	}
	return err
}

func (h promptHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return promptHandler{h.Handler.WithAttrs(attrs), h.buffer}
}

func (h promptHandler) WithGroup(name string) slog.Handler {
	return promptHandler{h.Handler.WithGroup(name), h.buffer}
}
