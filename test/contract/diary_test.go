package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/feed"
)

// shows asserts the values of some fields of data.
func (a answer) shows(want object) answer {
	a.t.Helper()
	for field, value := range want {
		wanted, err := json.Marshal(value)
		require.NoError(a.t, err)
		got, err := json.Marshal(a.at("data." + field))
		require.NoError(a.t, err)
		assert.JSONEq(a.t, string(wanted), string(got), field)
	}
	return a
}

// column is one field of every element of the list under the path, as text.
func (a answer) column(path, field string) []string {
	a.t.Helper()
	all := []string{}
	for _, v := range a.each(path, field) {
		all = append(all, fmt.Sprint(v))
	}
	return all
}

// titles is the titles of a list of events.
func (a answer) titles() []string {
	a.t.Helper()
	return a.column("data", "title")
}

// atOnce does n things at the same time.
func atOnce(n int, do func(i int)) {
	var all sync.WaitGroup
	gate := make(chan struct{})
	for i := range n {
		all.Go(func() { <-gate; do(i) })
	}
	close(gate)
	all.Wait()
}

const events = "/api/xfile/event/"

func eventPath(id int) string { return fmt.Sprintf("%s%d/", events, id) }

// eventsOf is the list of the user's events.
func eventsOf(p person) string { return fmt.Sprintf("%s%d/view-list/", events, p.id) }

// writes makes an event and answers with it.
func (p person) writes(t *testing.T, body object) answer {
	t.Helper()
	return p.post(t, events, body).is(http.StatusCreated)
}

// publishes writes a published event with the title and the other given fields,
// and returns its number.
func (p person) publishes(t *testing.T, title string, more ...object) int {
	t.Helper()
	body := object{"title": title, "publish": true}
	for _, m := range more {
		maps.Copy(body, m)
	}
	return p.writes(t, body).int("data.id")
}

// reads gets an event that the person may see.
func (p person) reads(t *testing.T, id int) answer {
	t.Helper()
	return p.get(t, eventPath(id)).is(http.StatusOK)
}

const comments = "/api/activity/comment/"

// comments says something of an event and returns the comment's number.
func (p person) comments(t *testing.T, on int, content string) int {
	t.Helper()
	return p.post(t, comments, object{"event": on, "content": content}).is(http.StatusCreated).int("data.id")
}

// commentsOn is the list of what was said of an event.
func commentsOn(event int) string { return fmt.Sprintf("%s?event=%d", comments, event) }

func commentPath(id int) string { return fmt.Sprintf("%s%d/", comments, id) }

func likePath(event int) string { return fmt.Sprintf("/api/activity/like/%d/", event) }

// likesOf is the list of the likes of the events.
func likesOf(events ...int) string {
	return "/api/activity/like/?event=" + strings.Join(words(events...), ",")
}

const subscriptions = "/api/subscription/user-subscription/"

func subscriptionPath(id int) string { return fmt.Sprintf("%s%d/", subscriptions, id) }

// follows makes the person follow another and returns the subscription's number.
func (p person) follows(t *testing.T, whom person) int {
	t.Helper()
	return p.post(t, subscriptions, object{"followed_user": whom.id}).is(http.StatusCreated).int("data.id")
}

// befriend makes two people contacts.
func befriend(t *testing.T, a, b person) {
	t.Helper()
	a.follows(t, b)
	b.follows(t, a)
}

// shelve puts a category up.
func (s *server) shelve(t *testing.T, id feed.CategoryID, name string) {
	t.Helper()
	s.storesCategory(t, id, 0, name)
}

// minutesLater does one thing after the other, a minute passing before each.
func (s *server) minutesLater(all ...func()) {
	for _, do := range all {
		s.clock.advance(time.Minute)
		do()
	}
}
