package transport

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// EventStream is a response of server-sent events. The function sends them until it returns; its context ends with the connection. The
// request leaves the limits on requests first: its slot, its deadline, and what is counted as being worked on.
type EventStream func(context.Context, *Events)

// Events are the events of a response.
type Events struct {
	w    io.Writer
	conn *http.ResponseController
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
	log.sending.slot.leave()
	log.ended()
	s(log, &Events{w, http.NewResponseController(&log.sending)})
}

// Send sends the event with its id and its data as JSON. A client that does not take it in time loses its connection.
func (e *Events) Send(name, id string, data any) error {
	raw, err := Encode(data)
	if err != nil {
		return err
	}
	return e.write(fmt.Sprintf("id: %s\nevent: %s\ndata: %s\n\n", id, name, raw))
}

// Comment sends a line that clients ignore. It shows proxies and both ends that the connection is there.
func (e *Events) Comment() error { return e.write(":\n\n") }

// Retry tells the client how long to wait before it connects again.
func (e *Events) Retry(after time.Duration) error {
	return e.write(fmt.Sprintf("retry: %d\n\n", after.Milliseconds()))
}

func (e *Events) write(text string) error {
	if err := e.conn.SetWriteDeadline(time.Now().Add(sendDeadline)); err != nil {
		return err
	}
	if _, err := io.WriteString(e.w, text); err != nil {
		return err
	}
	return e.conn.Flush()
}
