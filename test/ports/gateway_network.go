package ports

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// line lies between gateways and their wallet, and breaks as it is told.
type line struct {
	address string
	side    http.Handler
	over    chan struct{} // closed when the test ends

	mu      sync.Mutex
	trouble failure
	asked   int
}

// failure answers a request. Answer has the wallet do what it is asked, and returns what it says to that.
type failure func(l *line, w http.ResponseWriter, r *http.Request, answer func() *httptest.ResponseRecorder)

func newLine(t *testing.T, side http.Handler) *line {
	t.Helper()
	l := &line{side: side, over: make(chan struct{}), trouble: well}
	server := httptest.NewServer(l)
	l.address = server.URL
	t.Cleanup(func() {
		close(l.over)
		server.CloseClientConnections()
		server.Close()
	})
	return l
}

// breaks has the line do that to every request from now on.
func (l *line) breaks(how failure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.trouble = how
}

// count is how many requests have come in.
func (l *line) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked
}

func (l *line) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	l.asked++
	how := l.trouble
	l.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	how(l, w, r, func() *httptest.ResponseRecorder {
		// A client that hangs up has not withdrawn its request.
		asked := r.Clone(context.WithoutCancel(r.Context()))
		asked.Body = io.NopCloser(bytes.NewReader(body))
		said := httptest.NewRecorder()
		l.side.ServeHTTP(said, asked)
		return said
	})
}

// wait lasts until the gateway or the test is gone.
func (l *line) wait(r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-l.over:
	}
}

// passOn passes on what was said, with another body.
func passOn(w http.ResponseWriter, said *httptest.ResponseRecorder, body []byte) {
	maps.Copy(w.Header(), said.Header())
	w.Header().Del("Content-Length")
	w.WriteHeader(said.Code)
	_, _ = w.Write(body) // who is gone hears nothing
}

func well(_ *line, w http.ResponseWriter, _ *http.Request, answer func() *httptest.ResponseRecorder) {
	said := answer()
	passOn(w, said, said.Body.Bytes())
}

// mute does nothing of what is asked, and does not answer.
func mute(l *line, _ http.ResponseWriter, r *http.Request, _ func() *httptest.ResponseRecorder) {
	l.wait(r)
}

// late does what is asked, and does not answer either.
func late(l *line, _ http.ResponseWriter, r *http.Request, answer func() *httptest.ResponseRecorder) {
	answer()
	l.wait(r)
}

// stalls in the middle of the answer.
func stalls(l *line, w http.ResponseWriter, r *http.Request, answer func() *httptest.ResponseRecorder) {
	begin(w, answer())
	l.wait(r)
}

// begin sends what makes no answer: half of its text. One without a text is not begun.
func begin(w http.ResponseWriter, said *httptest.ResponseRecorder) {
	if said.Body.Len() > 0 {
		passOn(w, said, said.Body.Bytes()[:said.Body.Len()/2])
		_ = http.NewResponseController(w).Flush()
	}
}

// hangsUp when it is done.
func hangsUp(_ *line, w http.ResponseWriter, _ *http.Request, answer func() *httptest.ResponseRecorder) {
	answer()
	end(w, "")
}

// cutsOff the answer.
func cutsOff(_ *line, w http.ResponseWriter, _ *http.Request, answer func() *httptest.ResponseRecorder) {
	begin(w, answer())
	panic(http.ErrAbortHandler)
}

// says something else when it is done. Where the status is all that the wallet says, it is the status that is wrong.
func says(code int, text string) failure {
	return func(_ *line, w http.ResponseWriter, _ *http.Request, answer func() *httptest.ResponseRecorder) {
		status := code
		if said := answer(); said.Body.Len() == 0 {
			status = http.StatusBadGateway
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// fails says the right thing under the wrong status.
func fails(_ *line, w http.ResponseWriter, _ *http.Request, answer func() *httptest.ResponseRecorder) {
	said := answer()
	said.Code = http.StatusBadGateway
	passOn(w, said, said.Body.Bytes())
}

// halves the answer, as if that were all.
func halves(l *line, w http.ResponseWriter, r *http.Request, answer func() *httptest.ResponseRecorder) {
	said := answer()
	half := string(said.Body.Bytes()[:said.Body.Len()/2])
	says(said.Code, half)(l, w, r, func() *httptest.ResponseRecorder { return said })
}

// echoes what was asked.
func echoes(l *line, w http.ResponseWriter, r *http.Request, answer func() *httptest.ResponseRecorder) {
	asked, _ := io.ReadAll(r.Body) // it is in memory
	says(http.StatusOK, string(asked))(l, w, r, answer)
}

// leads to another place, and to a secret.
func leads(to string) failure {
	return func(_ *line, w http.ResponseWriter, r *http.Request, answer func() *httptest.ResponseRecorder) {
		answer()
		http.Redirect(w, r, "/?"+to, http.StatusTemporaryRedirect)
	}
}

// babbles in no language that the gateway knows.
func babbles(text string) failure {
	return func(_ *line, w http.ResponseWriter, _ *http.Request, answer func() *httptest.ResponseRecorder) {
		answer()
		end(w, text)
	}
}

// replies with an answer that was given before.
func replies(said *httptest.ResponseRecorder, body []byte) failure {
	return func(_ *line, w http.ResponseWriter, _ *http.Request, _ func() *httptest.ResponseRecorder) {
		passOn(w, said, body)
	}
}

// end says something that is no HTTP, and breaks the connection.
func end(w http.ResponseWriter, text string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	_, _ = io.WriteString(conn, text)
	if tcp, is := conn.(*net.TCPConn); is && text == "" {
		_ = tcp.SetLinger(0) // a reset
	}
	_ = conn.Close()
}
