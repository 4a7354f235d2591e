package bootstrap

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
	"plaza/domain/media"
)

func TestServe_tells_its_manager_when_it_is_ready_and_when_it_stops(t *testing.T) {
	at := filepath.Join(t.TempDir(), "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: at, Net: "unixgram"})
	require.NoError(t, err)
	defer manager.Close()
	hears := func() string {
		t.Helper()
		require.NoError(t, manager.SetReadDeadline(time.Now().Add(patience)))
		told := make([]byte, 100)
		n, err := manager.Read(told)
		require.NoError(t, err)
		return string(told[:n])
	}
	t.Setenv("NOTIFY_SOCKET", at)
	c := serveSettings(t.TempDir())
	c.DatabaseURL = settings.InMemory
	s := startServing(t, Server{Config: c})
	assert.Equal(t, "READY=1", hears())
	status, _ := asked(t, s.admin+"/readyz")
	assert.Equal(t, http.StatusOK, status)
	s.stop()
	assert.Equal(t, "STOPPING=1", hears())
	assert.NotContains(t, s.log.String(), "level=WARN")

	t.Setenv("NOTIFY_SOCKET", at+".none")
	s = startServing(t, Server{Config: c})
	s.stop()
	assert.Contains(t, s.log.String(), "the service manager can't be told")
}

// pipes is a listener of connections in memory.
type pipes struct {
	accepted chan net.Conn
	once     sync.Once
}

func (p *pipes) Accept() (net.Conn, error) {
	if c, is := <-p.accepted; is {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (p *pipes) Close() error   { p.once.Do(func() { close(p.accepted) }); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func TestA_server_that_stops_waits_for_no_connection_without_a_byte(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		arrived, leave := make(chan bool), make(chan bool)
		server := newServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			arrived <- true
			<-leave
		}), settings.ServerConfig{}, slog.New(slog.DiscardHandler))
		closeSilent(server)
		l := &pipes{accepted: make(chan net.Conn)}
		go server.Serve(l)
		connect := func() net.Conn {
			client, served := net.Pipe()
			l.accepted <- served
			return client
		}
		silent, busy := connect(), connect()
		_, err := busy.Write([]byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
		require.NoError(t, err)
		<-arrived
		stopped := make(chan time.Duration)
		go func() {
			began := time.Now()
			assert.NoError(t, server.Shutdown(t.Context()))
			stopped <- time.Since(began)
		}()
		_, err = silent.Read(make([]byte, 1))
		assert.Error(t, err, "closed while another one is served")
		leave <- true
		answer := make([]byte, len("HTTP/1.1 200"))
		_, err = busy.Read(answer)
		require.NoError(t, err)
		assert.Equal(t, "HTTP/1.1 200", string(answer))
		busy.Close()
		assert.Less(t, <-stopped, 5*time.Second, "in the time of the bubble, which only waiting moves")
	})
}

func TestMemory_is_gone_when_the_server_has_stopped(t *testing.T) {
	c, err := Check(settings.Config{
		DatabaseURL: settings.InMemory, DataDir: "unused", Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0", TokenTTL: time.Hour, LogFormat: "text",
		Translator: settings.NoTranslator, WalletPoll: time.Second, WalletTimeout: time.Second,
		MediaURL: settings.MediaURL{Dir: filepath.Join(t.TempDir(), "of another database")},
	})
	require.NoError(t, err)
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	isLeft := func() bool {
		left, err := os.ReadDir(folder)
		require.NoError(t, err)
		return len(left) > 0
	}
	app, err := NewApp(t.Context(), c, slog.New(slog.DiscardHandler), Parts{})
	require.NoError(t, err)
	_, err = media.Upload{Type: "image/png", Bytes: []byte("pixels")}.Put(t.Context(), app.Stores.Media, media.Viewers)
	require.NoError(t, err)
	assert.True(t, isLeft())
	assert.NoDirExists(t, c.MediaURL.Dir)
	require.NoError(t, app.Close())
	assert.False(t, isLeft())

	ended, end := context.WithCancel(t.Context())
	end()
	_, err = NewApp(ended, c, slog.New(slog.DiscardHandler), Parts{})
	require.ErrorIs(t, err, context.Canceled)
	assert.False(t, isLeft(), "after a start that failed")
}
