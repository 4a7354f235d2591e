package contract

import (
	"database/sql"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/user"
)

// presencePaths are what a person who opens an app reads.
var presencePaths = []string{profile, events, notifications, "/api/xfile/event/following/"}

// TestUSR03_a_reader_does_not_wait_for_a_writer holds the lock of the database as another program does. A round in which this
// machine stalled until the presence was given up shows nothing.
func TestUSR03_a_reader_does_not_wait_for_a_writer(t *testing.T) {
	s := store{name: "SQLite", fresh: onSQLite(t), servers: 1, isDurable: true}.start(t)
	direct := httptest.NewServer(s.unsettled) // settles nothing
	defer direct.Close()
	other, err := sql.Open("sqlite", strings.TrimPrefix(s.settings.DatabaseURL, "sqlite:")+"?_pragma=busy_timeout(60000)")
	require.NoError(t, err)
	defer other.Close()
	other.SetMaxOpenConns(1)
	// isSeen reads while the lock is held, and reports whether the last request's presence is stored once it is free.
	isSeen := func(p person) bool {
		s.clock.advance(2 * access.SeenEvery)
		_, err := other.Exec("BEGIN IMMEDIATE")
		require.NoError(t, err)
		for _, path := range presencePaths {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, direct.URL+path, nil)
			require.NoError(t, err)
			req.Header.Set("Authorization", "Token "+p.key)
			do(t, req).is(200)
		}
		_, err = other.Exec("ROLLBACK")
		require.NoError(t, err)
		s.app.Signin.Settle()
		members, err := s.app.Stores.Directory.Members(t.Context(), []user.ID{p.id})
		require.NoError(t, err)
		return members[0].Seen.Equal(s.clock.Now().Truncate(time.Microsecond))
	}
	ada := s.member(t)
	rounds := 0
	for !isSeen(ada) {
		if rounds++; rounds == 3 {
			assert.Fail(t, "readers have waited until the presence was given up")
			return
		}
	}
}
