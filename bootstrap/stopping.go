package bootstrap

import (
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// tellManager tells the service manager the state of the server, as sd_notify(3) does. Without a manager that asks for it, it
// does nothing. A manager that learns nothing ends the server.
func (a *App) tellManager(state string) {
	at := os.Getenv("NOTIFY_SOCKET") // an @ stands for an abstract address
	if at == "" {
		return
	}
	conn, err := net.DialTimeout("unixgram", at, time.Second)
	if err == nil {
		_ = conn.SetDeadline(time.Now().Add(time.Second)) // fails as the write does
		_, err = conn.Write([]byte(state))
		_ = conn.Close()
	}
	if err != nil {
		a.Log.Error("the service manager can't be told the state of the server", "state", state, "error", err)
	}
}

// closeSilent makes a shutdown of the server close connections on which nothing was ever sent. It would wait five seconds
// for them, although it answers no request that begins meanwhile.
func closeSilent(server *http.Server) {
	var silent sync.Map
	var isStopping atomic.Bool
	server.ConnState = func(c net.Conn, state http.ConnState) {
		if state != http.StateNew {
			silent.Delete(c)
			return
		}
		silent.Store(c, nil)
		if isStopping.Load() {
			c.Close()
		}
	}
	server.RegisterOnShutdown(func() {
		isStopping.Store(true)
		for c := range silent.Range {
			c.(net.Conn).Close()
		}
	})
}
