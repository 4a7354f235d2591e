package bootstrap

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"plaza/bootstrap/settings"
	"plaza/domain/fault"
)

// NewLogger returns the logger of the settings.
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
	return slog.New(promptHandler{newHandler(c, buffer), buffer, c.LogFormat == "json"}), buffer
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
	buffer   *logBuffer
	makesOwn bool // lines of JSON of plain records, such as those of requests, at a quarter of what slog.JSONHandler costs
}

func (h promptHandler) Handle(ctx context.Context, r slog.Record) (err error) {
	var room [512]byte
	line, isPlain := room[:0], false
	if h.makesOwn {
		line, isPlain = appendLine(line, r)
	}
	if isPlain {
		_, err = h.buffer.Write(line)
	} else {
		err = h.Handler.Handle(ctx, r)
	}
	if r.Level > slog.LevelInfo {
		h.buffer.flush()
	}
	return err
}

func (h promptHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return promptHandler{h.Handler.WithAttrs(attrs), h.buffer, false}
}

func (h promptHandler) WithGroup(name string) slog.Handler {
	return promptHandler{h.Handler.WithGroup(name), h.buffer, false}
}

// appendLine appends the line of the record as slog.JSONHandler writes it. It reports false for a record that is not plain: a
// text must be escaped, or a value is neither a text nor a number.
func appendLine(line []byte, r slog.Record) (_ []byte, isPlain bool) {
	line = append(r.Time.AppendFormat(append(line, `{"time":"`...), time.RFC3339Nano), `","level":"`...)
	line = append(append(append(append(line, r.Level.String()...), `","msg":"`...), r.Message...), '"')
	isPlain = isUnescaped(r.Message) && !r.Time.IsZero()
	var add func(slog.Attr) bool
	add = func(a slog.Attr) bool {
		if a.Value.Kind() == slog.KindGroup && a.Key == "" {
			return !slices.ContainsFunc(a.Value.Group(), func(of slog.Attr) bool { return !add(of) })
		}
		line = append(append(append(line, `,"`...), a.Key...), `":`...)
		switch v := a.Value; v.Kind() {
		case slog.KindString:
			line = append(append(append(line, '"'), v.String()...), '"')
			isPlain = isPlain && isUnescaped(v.String())
		case slog.KindInt64:
			line = strconv.AppendInt(line, v.Int64(), 10)
		case slog.KindFloat64: // outside of these bounds JSON has an exponent
			line = strconv.AppendFloat(line, v.Float64(), 'f', -1, 64)
			isPlain = isPlain && (v.Float64() == 0 || v.Float64() >= 1e-6 && v.Float64() < 1e21)
		default:
			isPlain = false
		}
		isPlain = isPlain && isUnescaped(a.Key)
		return isPlain
	}
	r.Attrs(add)
	return append(line, "}\n"...), isPlain
}

// isUnescaped reports whether JSON has the text as it is.
func isUnescaped(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
