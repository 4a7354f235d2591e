package contract

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// patience is how long a server may take for any one request.
const patience = 5 * time.Second

// wire is a connection on which anything can be said, HTTP or not.
type wire struct {
	*net.TCPConn
	t  *testing.T
	in *bufio.Reader
}

func (s *server) dial(t *testing.T) wire {
	t.Helper()
	conn, err := net.DialTimeout("tcp", strings.TrimPrefix(s.url, "http://"), patience)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	return wire{conn.(*net.TCPConn), t, bufio.NewReader(conn)}
}

// say sends the text while answers are read: a server may have enough before it
// has heard everything, and hang up.
func (w wire) say(text string) wire {
	w.t.Helper()
	require.NoError(w.t, w.SetDeadline(time.Now().Add(patience)))
	go io.WriteString(w, text)
	return w
}

// sayAll sends the text, and then that there will be no more.
func (w wire) sayAll(text string) wire {
	w.t.Helper()
	require.NoError(w.t, w.SetDeadline(time.Now().Add(patience)))
	go func() {
		io.WriteString(w, text)
		w.CloseWrite()
	}()
	return w
}

// answer reads the answer to a request of the method.
func (w wire) answer(method string) answer {
	w.t.Helper()
	res, err := http.ReadResponse(w.in, &http.Request{Method: method})
	require.NoError(w.t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(w.t, err)
	return answer{t: w.t, status: res.StatusCode, header: res.Header, body: body, closes: res.Close}
}

// request is a request as it goes over the wire: the first line, the headers that
// every one needs, those given, and the body with its length.
func request(method, target string, headers []string, body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: plaza.example\r\n", method, target)
	for _, header := range headers {
		b.WriteString(header + "\r\n")
	}
	if body != "" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	return b.String() + "\r\n" + body
}
