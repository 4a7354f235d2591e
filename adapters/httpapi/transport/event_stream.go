package transport

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// EventStream is a response of server-sent events. The function sends them until it returns; its context ends with the connection. The
// request leaves the limits on requests first: its slot, its deadline, and what is counted as being worked on.
type EventStream func(context.Context, *Events)

// Events are the events of a response. After the first error nothing more is sent. A client that does not take an event in time
// loses its connection.
type Events struct {
	w    io.Writer
	conn *http.ResponseController
	Err  error
}

// ServeHTTP sends the events. Proxies pass each on at once (X-Accel-Buffering is nginx's).
func (s EventStream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	log := RequestLogOf(r.Context())
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(nil) // the router holds the status back until something is written
	log.sending.slot.leave()
	log.ended()
	s(log, &Events{w: w, conn: http.NewResponseController(&log.sending)})
}

func (e *Events) Send(name string, id fmt.Stringer, data any) {
	raw, err := Encode(data)
	e.Err = cmp.Or(e.Err, err)
	e.write("id: %s\nevent: %s\ndata: %s\n\n", id, name, raw)
}

// Comment sends a line that clients ignore. It shows proxies and both ends that the connection is there.
func (e *Events) Comment() { e.write(":\n\n") }

// Retry tells the client how long to wait before it connects again.
func (e *Events) Retry(after time.Duration) { e.write("retry: %d\n\n", after.Milliseconds()) }

func (e *Events) write(format string, args ...any) {
	if e.Err == nil {
		e.Err = e.conn.SetWriteDeadline(time.Now().Add(sendDeadline))
	}
	if e.Err == nil {
		_, err := fmt.Fprintf(e.w, format, args...)
		e.Err = cmp.Or(err, e.conn.Flush())
	}
}
