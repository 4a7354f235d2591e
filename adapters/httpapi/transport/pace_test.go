package transport

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/user"
)

// pipes is a listener of connections in memory, whose deadlines follow the clock of a synctest bubble.
type pipes chan net.Conn

func (p pipes) Accept() (net.Conn, error) {
	if c, open := <-p; open {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

// paced serves one connection with the middleware. The handler reads the body, works for
// that long and answers with the body's length, or with the fault.
func paced(t *testing.T, work time.Duration) net.Conn {
	t.Helper()
	listener := make(pipes, 1)
	read := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := io.Copy(io.Discard, r.Body)
		if err != nil {
			Fail(w, r, readFault(w, r, err, ErrCutOff))
			return
		}
		select {
		case <-time.After(work):
			fmt.Fprint(w, n)
		case <-r.Context().Done():
			Fail(w, r, r.Context().Err())
		}
	})
	server := &http.Server{
		Handler:           NewMiddleware(WithCORS(LimitRequests(read, 0), []string{"*"}), Config{Log: slog.New(slog.DiscardHandler)}),
		ReadHeaderTimeout: time.Second, WriteTimeout: time.Minute,
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	client, there := net.Pipe()
	listener <- there
	t.Cleanup(func() {
		client.Close()
		close(listener)
		assert.ErrorIs(t, <-done, net.ErrClosed)
		server.Close()
		<-time.After(time.Second) // the server lingers before it closes a connection
	})
	return client
}

// deliver sends the head and then each piece, every pause. It returns the response and when it came.
func deliver(
	t *testing.T, conn net.Conn, head string, pieces int, piece []byte, pause time.Duration,
) (*http.Response, string, time.Duration) {
	t.Helper()
	began := time.Now()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		io.WriteString(conn, head)
		for range pieces {
			<-time.After(pause)
			if _, err := conn.Write(piece); err != nil {
				return
			}
		}
	}()
	res, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: http.MethodPost})
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.True(t, err == nil || errors.Is(err, io.ErrUnexpectedEOF))
	took := time.Since(began)
	conn.Close()
	<-gone
	return res, string(body), took
}

func head(framing string) string {
	return "POST /api/xfile/event/ HTTP/1.1\r\nHost: plaza.example\r\n" + framing + "\r\n\r\n"
}

func TestGEN_14_a_JSON_body_has_twenty_seconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		res, body, took := deliver(t, paced(t, 0), head("Content-Length: 1000"), 100, []byte("x"), time.Second)
		assert.Equal(t, http.StatusRequestTimeout, res.StatusCode)
		assert.Contains(t, body, "REQUEST_TIMEOUT")
		assert.Equal(t, deadline, took)
	})
	synctest.Test(t, func(t *testing.T) {
		res, body, took := deliver(t, paced(t, 0), head("Content-Length: 19"), 19, []byte("x"), time.Second)
		assert.Equal(t, http.StatusOK, res.StatusCode)
		assert.Equal(t, "19", body)
		assert.Equal(t, 19*time.Second, took)
		assert.False(t, res.Close)
	})
}

func TestGEN_14_a_preflight_has_twenty_seconds_for_a_body(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		preflight := "OPTIONS / HTTP/1.1\r\nHost: plaza.example\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: GET\r\n"
		res, _, took := deliver(t, paced(t, 0), preflight+"Content-Length: 1\r\n\r\n", 0, nil, 0)
		assert.Equal(t, http.StatusNoContent, res.StatusCode)
		assert.Equal(t, deadline, took)
	})
}

func TestGEN_14_an_upload_may_take_two_minutes_if_it_does_not_stall(t *testing.T) {
	const picture = 10 << 20
	length := fmt.Sprint("Content-Length: ", picture)
	for name, c := range map[string]struct {
		pieces int
		piece  int
		pause  time.Duration
		status int
		took   time.Duration
	}{
		"1 Mbit/s":                      {picture / (128 << 10), 128 << 10, 1049 * time.Millisecond, http.StatusOK, 80 * 1049 * time.Millisecond},
		"stalls later":                  {1, 1 << 20, 3 * time.Second, http.StatusRequestTimeout, 3*time.Second + pieceDeadline},
		"pieces in time, but too slow":  {1000, 32 << 10, 5 * time.Second, http.StatusRequestTimeout, uploadDeadline},
		"a piece in a little under ten": {1000, uploadPiece, 9 * time.Second, http.StatusRequestTimeout, uploadDeadline},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				res, _, took := deliver(t, paced(t, 0), head(length), c.pieces, make([]byte, c.piece), c.pause)
				assert.Equal(t, c.status, res.StatusCode)
				assert.Equal(t, c.took, took)
			})
		})
	}
}

func TestGEN_14_a_slow_answer_does_not_end_with_the_deadline_of_the_body(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		conn := paced(t, 30*time.Second)
		// The second request finds no deadline of the first. The last bytes of the first end a piece.
		for _, length := range []int{MaxBody + uploadPiece*3/2, MaxBody + 1} {
			body := strings.Repeat("x", length)
			go io.WriteString(conn, head(fmt.Sprint("Content-Length: ", len(body)))+body)
			res, err := http.ReadResponse(bufio.NewReader(conn), nil)
			require.NoError(t, err)
			answer, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			assert.Equal(t, fmt.Sprint(len(body)), string(answer))
		}
		conn.Close()
	})
}

func TestGEN_14_requests_beyond_the_bound_are_refused_at_once(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		work := func(w http.ResponseWriter, r *http.Request) {
			_, err := io.Copy(io.Discard, r.Body)
			assert.NoError(t, err)
			<-time.After(time.Second)
		}
		server := NewMiddleware(WithCORS(LimitRequests(http.HandlerFunc(work), 2), []string{"*"}),
			Config{Log: slog.New(slog.DiscardHandler)})
		send := func(body io.Reader) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, "/", body)
			r.Header.Set("Origin", "https://app.example")
			server.ServeHTTP(w, r)
			return w
		}
		var all sync.WaitGroup
		bodies := make([]*io.PipeWriter, 3)
		for i := range bodies { // more than the bound, but their bodies have not arrived
			var body *io.PipeReader
			body, bodies[i] = io.Pipe()
			all.Go(func() { assert.Equal(t, http.StatusOK, send(body).Code) })
			synctest.Wait()
		}
		for range 2 {
			all.Go(func() { assert.Equal(t, http.StatusOK, send(strings.NewReader("x")).Code) })
		}
		synctest.Wait()
		began := time.Now()
		refused := send(strings.NewReader("x"))
		assert.Zero(t, time.Since(began))
		assert.Equal(t, http.StatusServiceUnavailable, refused.Code)
		assert.Equal(t, "1", refused.Header().Get("Retry-After"))
		assert.Equal(t, "*", refused.Header().Get("Access-Control-Allow-Origin"))
		for _, body := range bodies {
			body.Close()
		}
		synctest.Wait()
		<-time.After(1100 * time.Millisecond)
		assert.Equal(t, http.StatusServiceUnavailable, send(nil).Code, "requests whose body has arrived go first")
		all.Wait()
		assert.Equal(t, 3*time.Second, time.Since(began))
		assert.Equal(t, http.StatusOK, send(nil).Code)
	})
}

func TestGEN_14_a_body_that_waits_for_a_place_was_not_slow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := NewMiddleware(LimitRequests(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if _, err := io.Copy(io.Discard, r.Body); err != nil {
				Fail(w, r, readFault(w, r, err, ErrCutOff))
				return
			}
			<-time.After(2 * deadline)
		}), 1), Config{Log: slog.New(slog.DiscardHandler)})
		body, arrives := io.Pipe()
		w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/", body)
		r.ContentLength = MaxBody
		go server.ServeHTTP(w, r)
		synctest.Wait()
		go server.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
		synctest.Wait()
		arrives.Close()
		<-time.After(2 * deadline)
		assert.Equal(t, http.StatusServiceUnavailable, w.Code)
		assert.Equal(t, "1", w.Header().Get("Retry-After"))
	})
}

// large is a response that a client has to read.
var large = bytes.Repeat([]byte("x"), 300<<10)

// answering serves a large response, to POST of what was created, as the account if there is one, with one slot for requests.
func answering(as user.ID) http.Handler {
	return NewMiddleware(LimitRequests(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		RequestLogOf(r.Context()).User = as
		Reply{Status: map[string]int{"GET": 200, "POST": 201}[r.Method]}.write(w, identity, "text/plain", large)
	}), 1), Config{Log: slog.New(slog.DiscardHandler)})
}

// asks connects as that address and sends a request, as sends does with another method.
func asks(t *testing.T, server chan<- net.Conn, address string) net.Conn {
	t.Helper()
	return sends(t, server, "GET", address)
}

func sends(t *testing.T, server chan<- net.Conn, method, address string, headers ...string) net.Conn {
	t.Helper()
	client, there := net.Pipe()
	server <- from{there, address}
	t.Cleanup(func() { client.Close() })
	_, err := fmt.Fprint(client, method, " / HTTP/1.1\r\nHost: plaza.example\r\n", strings.Join(headers, ""), "\r\n")
	require.NoError(t, err)
	return client
}

// from is a connection of a peer with an address.
type from struct {
	net.Conn
	address string
}

func (f from) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.ParseIP(f.address), Port: 1}
}

// served runs the handler in a bubble until the test ends.
func served(t *testing.T, h http.Handler) chan<- net.Conn {
	t.Helper()
	listener := make(pipes, 1)
	server := &http.Server{Handler: h, WriteTimeout: time.Hour}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	t.Cleanup(func() {
		close(listener)
		assert.ErrorIs(t, <-done, net.ErrClosed)
		server.Close()
		<-time.After(time.Second)
	})
	return listener
}

func TestGEN_14_who_does_not_read_keeps_nobody_waiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := served(t, answering(0))
		for range maxSendingOf {
			asks(t, server, "203.0.113.1")
			synctest.Wait()
		}
		got, err := http.ReadResponse(bufio.NewReader(asks(t, server, "203.0.113.2")), nil)
		require.NoError(t, err)
		body, err := io.ReadAll(got.Body)
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, got.StatusCode)
		assert.Equal(t, large, body)

		refused, err := http.ReadResponse(bufio.NewReader(asks(t, server, "203.0.113.1")), nil)
		require.NoError(t, err)
		assert.Equal(t, http.StatusServiceUnavailable, refused.StatusCode)
		assert.Equal(t, "application/json", refused.Header.Get("Content-Type"))
		assert.NotEmpty(t, refused.Header.Get("Retry-After"))

		created, err := http.ReadResponse(bufio.NewReader(sends(t, server, "POST", "203.0.113.1")), nil)
		require.NoError(t, err)
		assert.Equal(t, http.StatusCreated, created.StatusCode, "what took effect is not to be tried again")
	})
}

func TestGEN_14_who_sends_no_body_or_reads_nothing_keeps_nobody_waiting(t *testing.T) {
	for _, size := range []int{sentAtOnce, 4000} {
		synctest.Test(t, func(t *testing.T) {
			some := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write(large[:size]) })
			server := served(t, NewMiddleware(LimitRequests(some, 1), Config{Log: slog.New(slog.DiscardHandler)}))
			sends(t, server, "GET", "203.0.113.1", "Content-Length: 1\r\n")
			asks(t, server, "203.0.113.1")
			synctest.Wait()
			got, err := http.ReadResponse(bufio.NewReader(asks(t, server, "203.0.113.2")), nil)
			require.NoError(t, err)
			assert.Equal(t, http.StatusOK, got.StatusCode, size)
		})
	}
}

func TestGEN_14_who_reads_too_slowly_is_cut_off(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		client := asks(t, served(t, answering(0)), "203.0.113.1")
		for taken := 0; ; { // a piece in time each, and then too late
			n, err := io.ReadFull(client, make([]byte, sendPiece))
			if err != nil {
				assert.Less(t, taken+n, len(large))
				assert.Greater(t, taken, 4*sendPiece)
				break
			}
			if taken += n; taken > 5*sendPiece {
				time.Sleep(2 * time.Second)
			}
			time.Sleep(sendDeadline - time.Second)
		}
		assert.Less(t, time.Since(began), 90*time.Second)
	})
}

func TestGEN_14_responses_on_their_way_are_counted_by_account(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := served(t, answering(7))
		for n := range maxSendingOf {
			asks(t, server, fmt.Sprintf("203.0.113.%d", n))
			synctest.Wait()
		}
		refused, err := http.ReadResponse(bufio.NewReader(asks(t, server, "198.51.100.1")), nil)
		require.NoError(t, err)
		assert.Equal(t, http.StatusServiceUnavailable, refused.StatusCode)
	})
}

func TestGEN_14_a_caller_has_a_share_of_the_files_of_lists(t *testing.T) {
	limits := NewListLimits()
	for range listFilesOf {
		_, err := limits.fileOf("account 1")
		require.NoError(t, err)
	}
	_, err := limits.fileOf("account 1")
	assert.ErrorIs(t, err, errListsBusy)
	free, err := limits.fileOf("account 2")
	require.NoError(t, err)
	free()
	assert.Equal(t, map[caller]int{"account 1": listFilesOf}, limits.files.had)
}
