package bootstrap

import (
	"net"
	"net/http"
	"os"
	"sync"
	"time"
)

// notifyManager tells the service manager the state of the server, as sd_notify(3) does. Without a manager that asks for it,
// it does nothing.
func notifyManager(state string) error {
	at := os.Getenv("NOTIFY_SOCKET") // an @ stands for an abstract address
	if at == "" {
		return nil
	}
	conn, err := net.DialTimeout("unixgram", at, time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return err
	}
	_, err = conn.Write([]byte(state))
	return err
}

// closeSilent makes a shutdown of the server close connections on which nothing was ever sent. It would wait five seconds
// for them, although it answers no request that begins meanwhile.
func closeSilent(server *http.Server) {
	var mu sync.Mutex
	silent, isStopping := map[net.Conn]bool{}, false
	server.ConnState = func(c net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		switch {
		case state != http.StateNew:
			delete(silent, c)
		case isStopping:
			c.Close()
		default:
			silent[c] = true
		}
	}
	server.RegisterOnShutdown(func() {
		mu.Lock()
		defer mu.Unlock()
		isStopping = true
		for c := range silent {
			c.Close()
		}
	})
}
