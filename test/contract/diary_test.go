package contract

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"plaza/domain/feed"
)

// with is the object with what the others have, too.
func with(of object, more ...object) object {
	all := maps.Clone(of)
	for _, m := range more {
		maps.Copy(all, m)
	}
	return all
}

// shows asserts the values of some fields of data.
func (a answer) shows(want object) answer {
	a.t.Helper()
	for field, value := range want {
		sameJSON(a.t, value, a.at("data."+field), field)
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

func eventsOf(p person) string { return fmt.Sprintf("%s%d/view-list/", events, p.id) }

func (p person) writes(t *testing.T, body object) answer {
	t.Helper()
	return p.post(t, events, body).is(http.StatusCreated)
}

// publishes writes a published event with the title and the other given fields, and returns its number.
func (p person) publishes(t *testing.T, title string, more ...object) int {
	t.Helper()
	return p.writes(t, with(object{"title": title, "publish": true}, more...)).int("data.id")
}

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

func commentsOn(event int) string { return fmt.Sprintf("%s?event=%d", comments, event) }

func commentPath(id int) string { return fmt.Sprintf("%s%d/", comments, id) }

func likePath(event int) string { return fmt.Sprintf("/api/activity/like/%d/", event) }

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

func befriend(t *testing.T, a, b person) {
	t.Helper()
	a.follows(t, b)
	b.follows(t, a)
}

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
