package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/feed"
)

// Fields of the interface's resources.
var (
	infoFields = []string{
		"uid", "avatar", "expertise", "firstname", "lastname", "username", "timezone",
		"timezone_utc_offset", "is_online", "location", "avatars",
	}
	// momentFields are those that the interface fixes of an event inside the_moment (EVT-14). The document may have more.
	momentFields = []string{
		"id", "event_time", "title", "content", "html_content", "category", "category_name", "plates",
		"view_permission", "create_time", "last_modified", "status", "user",
		"city", "district", "province", "comments",
	}
	eventFields = append([]string{"the_moment", "place_around", "comment_count", "like_count"}, momentFields...)
)

// hasFields asserts exactly which fields the object under the path has.
func (a answer) hasFields(path string, fields []string) {
	a.t.Helper()
	found, isObject := a.at(path).(object)
	require.True(a.t, isObject, "%s in %s is no object", path, a.body)
	assert.ElementsMatch(a.t, slices.Concat(fields, addedFields(a.t, fields)), slices.Collect(maps.Keys(found)), path)
}

// addedFields returns the fields that the document has of an event and the interface does not fix, if the fields are those of
// an event.
func addedFields(t *testing.T, fields []string) []string {
	t.Helper()
	doc, err := theDocument()
	require.NoError(t, err)
	for name, fixed := range map[string][]string{"Event": eventFields, "MomentEvent": momentFields} {
		if len(fields) == len(fixed) && containsAll(fields, fixed) {
			return slices.DeleteFunc(slices.Clone(doc.Components.Schemas[name].Value.Required), func(field string) bool {
				return slices.Contains(fixed, field)
			})
		}
	}
	return nil
}

// containsAll reports whether the list has all the words.
func containsAll(list, words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(list, word) })
}

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
