package bootstrap

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

func newLogger(c Config, w io.Writer) *slog.Logger { return slog.New(newHandler(c, w)) }

func newHandler(c Config, w io.Writer) slog.Handler {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "json" {
		return slog.NewJSONHandler(w, options)
	}
	return slog.NewTextHandler(w, options)
}

// newServerLogger is newLogger for a server that logs a line a request: they are
// written together, as soon as there are many or the first is logPatience old. What
// is worse than information is written at once, with all before it. When the
// logger is no longer used, its buffer must be closed.
func newServerLogger(c Config, w io.Writer) (*slog.Logger, *logBuffer) {
	buffer := &logBuffer{w: w}
	buffer.due = time.AfterFunc(time.Hour, buffer.flush)
	buffer.due.Stop()
	return slog.New(promptHandler{newHandler(c, buffer), buffer}), buffer
}

const (
	logPatience = 100 * time.Millisecond
	logEnough   = 32 << 10 // bytes
)

// logBuffer keeps what is written to it for a moment, so that many lines cost one
// call of the system.
type logBuffer struct {
	mu      sync.Mutex
	w       io.Writer
	pending []byte
	due     *time.Timer
}

func (b *logBuffer) Write(line []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.pending) == 0 {
		b.due.Reset(logPatience)
	}
	b.pending = append(b.pending, line...)
	if len(b.pending) >= logEnough {
		b.write()
	}
	return len(line), nil
}

func (b *logBuffer) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.write()
}

// write has nobody to tell of a log that can't be written.
func (b *logBuffer) write() {
	b.due.Stop()
	if len(b.pending) > 0 {
		b.w.Write(b.pending)
		b.pending = b.pending[:0]
	}
}

// Close writes what is left. Lines that come later are written when they are due.
func (b *logBuffer) Close() { b.flush() }

// promptHandler writes what is worse than information at once.
type promptHandler struct {
	slog.Handler
	buffer *logBuffer
}

func (h promptHandler) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
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
