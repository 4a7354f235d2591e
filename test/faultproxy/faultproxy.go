// Package faultproxy is a proxy that tests put between a program and a server. It breaks the line between the two as networks do.
//
// Toxiproxy has most of these faults, but not HalfOpen: it closes the connections whose data it has dropped. It also reaches servers over
// TCP only, and does not tell how many connections are open.
package faultproxy

import (
	"io"
	"net"
	"sync"
	"testing"
)

// Fault is a way in which a line fails. It concerns open connections and new ones, unless it says otherwise.
type Fault int

const (
	sound Fault = iota
	// Reset resets every connection.
	Reset
	// HalfOpen loses all further data of the connections that are open when it begins, for ever. The client never hears of it; the server
	// does when the fault ends. New connections work.
	HalfOpen
	// BlackHole lets nothing pass, neither data nor the end of a connection. When it ends, everything arrives late.
	BlackHole
)

// Proxy forwards connections to a server.
type Proxy struct {
	network, server string
	listener        net.Listener
	running         sync.WaitGroup

	mu    sync.Mutex
	fault Fault
	over  chan struct{} // closed when the fault ends
	links map[*link]struct{}
	tap   func() io.WriteCloser
}

// Tap lets what the client sends on each further connection be written to what open returns as well, which is closed at the end of the
// connection.
func (p *Proxy) Tap(open func() io.WriteCloser) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tap = open
}

// Start starts a proxy on a free port of this machine, for the server at the address, as
// net.Dial takes it. The proxy ends with the test, and so do its connections.
func Start(t testing.TB, network, server string) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("a proxy before %s: %v", server, err)
	}
	p := &Proxy{network: network, server: server, listener: listener, over: make(chan struct{}), links: map[*link]struct{}{}}
	p.running.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// Address returns where the proxy listens, as HOST:PORT.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Links returns how many connections the client has open.
func (p *Proxy) Links() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	open := 0
	for l := range p.links {
		if !l.left {
			open++
		}
	}
	return open
}

// Break begins a fault. It ends the one before.
func (p *Proxy) Break(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.begin(f)
}

// begin ends the fault before. The caller holds the lock.
func (p *Proxy) begin(f Fault) {
	close(p.over)
	p.fault, p.over = f, make(chan struct{})
	for l := range p.links {
		switch {
		case f == Reset:
			l.reset()
		case f == HalfOpen:
			l.dead = true
		case l.dead && l.server != nil:
			hardClose(l.server) // as the keep-alive of the server finds out after a time
		}
	}
}

// Mend ends the fault.
func (p *Proxy) Mend() { p.Break(sound) }

func (p *Proxy) close() {
	p.listener.Close()
	p.Break(Reset)
	p.running.Wait()
}

// link is a connection of a client, with the one to the server that belongs to it.
type link struct {
	client, server net.Conn // server is nil while the link is not open yet
	dead           bool     // carries nothing any more
	left           bool     // the client has closed it
}

func (l *link) reset() {
	hardClose(l.client)
	if l.server != nil {
		hardClose(l.server)
	}
}

// hardClose closes the connection without a word where the protocol allows that: the other end gets a reset.
func hardClose(c net.Conn) {
	if tcp, is := c.(*net.TCPConn); is {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		l := &link{client: client}
		p.mu.Lock()
		p.links[l] = struct{}{}
		p.mu.Unlock()
		p.running.Go(func() { p.carry(l) })
	}
}

// carry opens the link to the server, and carries data until both sides have closed it.
func (p *Proxy) carry(l *link) {
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		l.reset()
		delete(p.links, l)
	}()
	if p.await(l) != passes {
		return
	}
	server, err := net.Dial(p.network, p.server)
	if err != nil {
		return
	}
	p.mu.Lock()
	l.server = server
	sent := io.Reader(l.client)
	if p.tap != nil {
		tap := p.tap()
		defer tap.Close()
		sent = io.TeeReader(l.client, tap)
	}
	p.mu.Unlock()
	var back sync.WaitGroup
	back.Go(func() { p.pump(l, l.client, l.server) })
	p.pump(l, l.server, sent)
	p.mu.Lock()
	l.left = true
	p.mu.Unlock()
	back.Wait()
}

// pump carries data in one direction, and then the end of the connection.
func (p *Proxy) pump(l *link, to net.Conn, from io.Reader) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			switch p.await(l) {
			case passes:
				if _, err := to.Write(buffer[:n]); err != nil {
					p.cut(l)
					return
				}
			case breaks:
				p.cut(l)
				return
			}
		}
		if err == nil {
			continue
		}
		switch p.await(l) {
		case passes:
			_ = to.(interface{ CloseWrite() error }).CloseWrite()
		case breaks:
			p.cut(l)
		}
		return
	}
}

func (p *Proxy) cut(l *link) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.reset()
}

// verdict is what becomes of what happens on a link: its opening, data, and its end.
type verdict int

const (
	passes verdict = iota
	isLost
	breaks // and the connection with it
)

// await waits as long as the fault holds back what happens on the link, and returns what becomes of it.
func (p *Proxy) await(l *link) verdict {
	for {
		p.mu.Lock()
		fault, over, dead := p.fault, p.over, l.dead
		p.mu.Unlock()
		switch {
		case dead:
			return isLost
		case fault == Reset:
			return breaks
		case fault == BlackHole:
			<-over // the next fault decides
		default:
			return passes
		}
	}
}
