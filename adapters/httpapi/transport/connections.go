package transport

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"
)

const (
	// maxRefused is how many connections may be refused at once. Further ones are closed
	// without an answer.
	maxRefused = 64
	// refusalTime is how long a refusal may take.
	refusalTime = time.Second
)

// networkShare is the part of all connections that one network of clients may have. A network is
// that of AUT-11: an IPv4 address, or a /64 of IPv6.
const networkShare = 10

// LimitConnections returns a listener that accepts at most that many connections at once, and at
// most a tenth of them, or 64, from one network, unless it is a trusted proxy. It answers a further
// one with 503 and closes it (GEN-14). It calls limited with the name of the limit for each of them.
func LimitConnections(l *net.TCPListener, most int, trusted []netip.Prefix, limited func(limit string)) net.Listener {
	open := newShares(most, max(most/networkShare, min(most, 64)))
	return &limitedListener{l, open, trusted, make(chan struct{}, maxRefused), limited}
}

// limitedListener has a place in open for each open connection, and an element in refused for
// each that is being refused.
type limitedListener struct {
	*net.TCPListener
	open    *shares // of networks
	trusted []netip.Prefix
	refused chan struct{}
	limited func(limit string)
}

func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.AcceptTCP()
		if err != nil {
			return nil, err
		}
		if leave := l.admit(conn); leave != nil {
			return &limitedConn{conn, sync.OnceFunc(leave)}, nil
		}
		l.limited("connections")
		l.refuse(conn)
	}
}

// admit counts the connection, and returns what ends that. It returns nil if there are too many.
func (l *limitedListener) admit(conn *net.TCPConn) (leave func()) {
	var network caller
	if peer, err := netip.ParseAddrPort(conn.RemoteAddr().String()); err == nil && !isAmong(l.trusted, peer.Addr().Unmap()) {
		network = networkOf(peer.Addr())
	}
	if !l.open.take(network) {
		return nil
	}
	return func() { l.open.free(network) }
}

// limitedConn makes room for another connection when it is closed. It keeps the methods of
// a TCP connection, which the server uses to send files.
type limitedConn struct {
	*net.TCPConn
	leave func()
}

func (c *limitedConn) Close() error {
	defer c.leave()
	return c.TCPConn.Close()
}

// refuse answers and closes the connection in the background, if few others are being
// refused.
func (l *limitedListener) refuse(conn *net.TCPConn) {
	select {
	case l.refused <- struct{}{}:
	default:
		conn.Close()
		return
	}
	go func() {
		defer func() { <-l.refused }()
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(refusalTime))
		if err := writeOverloaded(conn); err != nil {
			return // the client is gone
		}
		conn.CloseWrite()
		io.CopyN(io.Discard, conn, MaxBody) // a client that is still sending would lose the answer
	}()
}

// writeOverloaded writes the response to a connection beyond the limit.
func writeOverloaded(w io.Writer) error {
	reply := Refuse(errOverloaded)
	body, err := Encode(reply.Content)
	if err != nil {
		return err
	}
	res := http.Response{
		StatusCode: reply.Status, ProtoMajor: 1, ProtoMinor: 1, Header: reply.header, Close: true,
		ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)),
	}
	setCommonHeaders(res.Header)
	res.Header.Set("Content-Type", "application/json")
	res.Header.Set(requestIDHeader, RequestID(""))
	return res.Write(w)
}
