package contract

import (
	"database/sql"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/user"
)

// durableRows show what outlives the processes, where there is something to keep it in.
var durableRows = []row{
	{"AUT-09 keys outlive the servers", keysOutlive, everyServer},
	{"PLA-04 plates outlive the servers at their signed addresses", platesOutlive, everyServer},
	{"PUB-06 translations outlive the servers", translationsOutlive, everyServer},
	{"USR-07 an export that breaks is seen as broken, and does not count", brokenExports, everyStore}, // pictures are on the disk
}

// again ends the servers and starts others on what they stored.
func (s *server) again(t *testing.T) {
	t.Helper()
	s.stop()
	s.run(t)
}

// path is the path of an address of these servers, on any port.
func (s *server) path(t *testing.T, address string) string {
	t.Helper()
	path, isOurs := strings.CutPrefix(address, s.url)
	require.True(t, isOurs, address)
	return path
}

func keysOutlive(t *testing.T, s *server) {
	ada := s.member(t)
	used, idle, out := s.with(s.anyone().gets(t, ada)), s.with(s.anyone().gets(t, ada)), s.with(s.anyone().gets(t, ada))
	out.post(t, logout, nil).is(204)
	s.clock.advance(29 * day)
	used.get(t, profile).is(200)
	s.again(t)
	s.clock.advance(29 * day)
	used.get(t, profile).is(200)
	idle.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
	out.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
	s.with(s.anyone().gets(t, ada)).get(t, profile).is(200)
}

func platesOutlive(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x", object{"view_permission": 200})
	path := s.path(t, ada.attaches(t, id).text("data.photo"))
	before := s.anyone().get(t, path).is(200)
	s.again(t)
	assert.Equal(t, before.body, s.anyone().get(t, path).is(200).body)
	assert.Equal(t, path, s.path(t, ada.reads(t, id).text("data.plates.0.photo")), "signed with the same key")
	s.anyone().get(t, path+"0").fails(404, "RESOURCE_NOT_FOUND")
	s.clock.advance(2 * time.Hour)
	s.anyone().get(t, path).fails(404, "RESOURCE_NOT_FOUND")
}

// presencePaths are what a person who opens an app reads.
var presencePaths = []string{profile, events, notifications, "/api/xfile/event/following/"}

// TestUSR03_a_reader_does_not_wait_for_a_writer holds the lock of the database as another program does. A round in which this
// machine stalled until the presence was given up shows nothing.
func TestUSR03_a_reader_does_not_wait_for_a_writer(t *testing.T) {
	s := store{name: "SQLite", fresh: onSQLite(t), servers: 1}.start(t)
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
			(&server{url: direct.URL}).with(p.key).get(t, path).is(200)
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
