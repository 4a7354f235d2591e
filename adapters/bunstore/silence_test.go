package bunstore_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/test/postgres"
)

// silentProxy is a proxy to the server that can stop forwarding.
type silentProxy struct {
	dir     string
	mu      sync.Mutex
	silence sync.RWMutex
	conns   []net.Conn
}

func before(t *testing.T, server *postgres.Server) *silentProxy {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "plaza-mute-") // a socket's path is limited to about 100 bytes
	require.NoError(t, err)
	m := &silentProxy{dir: dir}
	parts := regexp.MustCompile(`host=([^&]+)`).FindStringSubmatch(server.URL("postgres"))
	require.NotNil(t, parts)
	target := strings.ReplaceAll(parts[1], "%2F", "/") + "/.s.PGSQL.5432"
	ln, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	require.NoError(t, err)
	go m.accept(ln, target)
	t.Cleanup(func() {
		ln.Close()
		m.mu.Lock()
		defer m.mu.Unlock()
		for _, conn := range m.conns {
			conn.Close()
		}
		os.RemoveAll(dir)
	})
	return m
}

func (m *silentProxy) accept(ln net.Listener, target string) {
	for {
		near, err := ln.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("unix", target)
		if err != nil {
			near.Close()
			continue
		}
		m.mu.Lock()
		m.conns = append(m.conns, near, far)
		m.mu.Unlock()
		go m.pass(far, near)
		go m.pass(near, far)
	}
}

func (m *silentProxy) pass(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		m.silence.RLock() // held for writing, it blocks all traffic
		_, failed := to.Write(buffer[:n])
		m.silence.RUnlock()
		if err != nil || failed != nil {
			return
		}
	}
}

func (m *silentProxy) url() string {
	return "postgres://postgres@/postgres?host=" + m.dir + "&port=5432"
}

func TestA_database_that_says_nothing_costs_no_more_than_the_limit(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	server := postgres.Start(t)
	between := before(t, server)
	const limit = time.Second
	s, err := bunstore.Open(t.Context(), bunstore.Options{URL: between.url(), Limit: limit})
	require.NoError(t, err)
	defer s.Close()
	_, err = s.Migrate(t.Context())
	require.NoError(t, err)

	between.silence.Lock()
	for name, call := range map[string]func(context.Context) error{
		"reading": func(ctx context.Context) error { _, err := s.Accounts().List(ctx, 0, 1); return err },
		"writing": func(ctx context.Context) error { return s.Tokens().Revoke(ctx, 1) },
		"a ping":  s.Ping,
	} {
		ctx, cancel := context.WithTimeout(t.Context(), limit+soon)
		assert.ErrorIs(t, call(ctx), bunstore.ErrAway, name)
		assert.NoError(t, ctx.Err(), name)
		cancel()
	}
	between.silence.Unlock()
	require.Eventually(t, func() bool { return s.Ping(t.Context()) == nil }, eventually, 10*time.Millisecond)
	_, err = s.Accounts().List(t.Context(), 0, 1)
	assert.NoError(t, err)
}
