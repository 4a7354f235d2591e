//go:build !race

package e2e

import (
	"fmt"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/demand"
	"plaza/domain/geo"
	"plaza/domain/user"
	"plaza/test/content"
	"plaza/test/postgres"
)

// wanted stores a demand of the user, without a category.
func wanted(t *testing.T, database string, by int64) {
	t.Helper()
	app := openApp(t, []string{"--database-url=" + database, "--data-dir=" + t.TempDir()})
	defer func() { require.NoError(t, app.Close()) }()
	now := time.Now()
	require.NoError(t, content.Import(t.Context(),
		content.Stores{Accounts: app.Stores.Accounts, Directory: app.Stores.Directory, Imports: app.Stores.Imports},
		demand.Demand{
			ID: 1, Title: "A walk around the lake", Author: user.ID(by), Place: &geo.Point{Lat: 30.25, Lng: 120.15},
			Closed: now, Start: now, End: now, Published: true, Created: now, Updated: now,
		}))
}

// TestRoundTrips_of_requests counts what requests ask of Postgres, as its protocol shows it:
// each trip is what the server sends before it waits. Limits are on.
func TestRoundTrips_of_requests(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	database := postgres.Empty(t)
	accounts := ordinaryAccounts(t, []string{"--database-url=" + database, "--data-dir=" + t.TempDir()})
	wanted(t, database, accounts[1])
	line := newCable(t, database)
	t.Cleanup(line.close)
	r := serve(t, "--database-url="+line.URL, "--data-dir="+t.TempDir(), "--database-connections=2")
	t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		r.ends(t) // before the line is closed, which waits for its connections
	})
	c := newCaller(r.url)
	t.Cleanup(c.client.CloseIdleConnections)

	login := func(n int) string {
		return session{t, c, ""}.send(http.MethodPost, "/api/auth/login/", map[string]any{"username": ordinaryPhone(n), "password": ordinaryPassword}).Data.Key
	}
	me, other := session{t, c, login(0)}, session{t, c, login(1)}
	mine := me.send(http.MethodPost, eventsPath, diaryEntry{Title: "A day of mine", Publish: true}).Data.ID
	theirs := other.send(http.MethodPost, eventsPath, diaryEntry{Title: "A day of theirs", Publish: true}).Data.ID
	comment := func(event int64) {
		me.send(http.MethodPost, commentsPath, map[string]any{"event": event, "content": "So it was."})
	}

	for _, request := range []struct {
		name  string
		trips int64
		send  func(n int)
	}{
		{"login", 5, func(int) { login(0) }},
		{"demands near", 2, func(int) { me.get("/api/feed/items/uncategory/?type=demand&lat=30.25&lng=120.15") }},
		{"demands of a category", 3, func(int) { me.get("/api/feed/items/uncategory/?type=demand") }},
		{"comment on one's own event", 4, func(int) { comment(mine) }},
		{"comment on another's event", 4, func(int) { comment(theirs) }},
		{"like, and take it back", 6, func(int) {
			me.send(http.MethodPut, path(likesPath, theirs), nil)
			me.send(http.MethodDelete, path(likesPath, theirs), nil)
		}},
		{"new event", 3, func(n int) {
			me.send(http.MethodPost, eventsPath, diaryEntry{Title: fmt.Sprint("Day ", n), Publish: true})
		}},
		{"edit", 4, func(n int) {
			me.send(http.MethodPatch, path(eventsPath, mine), diaryEntry{Title: fmt.Sprint("The day ", n), Publish: true})
		}},
		{"one's own event", 3, func(int) { me.get(path(eventsPath, mine)) }},
		{"another's event", 3, func(int) { me.get(path(eventsPath, theirs)) }},
		{"one's own events", 3, func(int) { me.get(eventsPath) }},
		{"another's events", 4, func(int) { me.get(fmt.Sprintf("%s%d/view-list/", eventsPath, accounts[1])) }},
		{"unchanged feed page", 2, func(int) { me.get("/api/feed/items/1/") }},
		{"unchanged tree of categories", 1, func(int) { session{t, c, ""}.get("/api/feed/categories/") }},
	} {
		least := int64(math.MaxInt64) // other requests also sweep, record presence, or prepare a statement
		for n := range 20 {
			before := line.trips.Load()
			request.send(n)
			least = min(least, line.trips.Load()-before)
		}
		assert.Equal(t, request.trips, least, request.name)
	}
}
