package contract

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/news"
	"plaza/domain/user"
)

// goldenRows hold whole answers against what was written by hand from the
// interface, field for field and value for value. Fields of events that the document adds may have any value.
var goldenRows = []row{
	{"USR-01 golden simple info", goldenInfo, oneStore},
	{"USR-05 golden profile", goldenProfile, oneStore},
	{"EVT-01 EVT-11 golden event", goldenEvent, oneStore},
	{"GEN-01 EVT-10 EVT-13 golden list of events", goldenEvents, oneStore},
	{"EVT-19 golden comment", goldenComment, oneStore},
	{"SUB-01 SUB-03 golden subscriptions", goldenSubscriptions, oneStore},
}

// forms are what a golden says in place of a value that is never the same.
var forms = map[string]*regexp.Regexp{
	"<id>":  regexp.MustCompile(`^[1-9][0-9]*$`),
	"<key>": regexp.MustCompile(keyForm),
	"<url>": regexp.MustCompile(`^http://127\.[0-9.]+:[0-9]+/media/[a-z]+/([a-z0-9]{2}/)?[^/]+$`),
}

// facts are values that a golden names and that a test knows.
type facts map[string]any

// testdata returns what the file of JSON has.
func testdata[T any](t *testing.T, name string) (v T) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(raw, &v), name)
	return v
}

// golden holds the answer against the file.
func (a answer) golden(name string, known facts) {
	a.t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	require.NoError(a.t, err)
	want := answer{t: a.t, body: raw}.json()
	sameJSON(a.t, filled(a.t, want, a.json(), known), a.json(), name)
}

// filled is what a golden wants, with what is known and what has its form in place of names, and with the fields that the document adds.
func filled(t *testing.T, want, got any, known facts) any {
	t.Helper()
	switch w := want.(type) {
	case object:
		g, _ := got.(object)
		added := addedFields(t, w)
		for name, value := range w {
			w[name] = filled(t, value, g[name], known)
		}
		for _, name := range added {
			w[name] = g[name]
		}
	case []any:
		g, _ := got.([]any)
		for i := range min(len(w), len(g)) {
			w[i] = filled(t, w[i], g[i], known)
		}
	case string:
		if fact, isFact := known[w]; isFact {
			return fact
		}
		_, isText := got.(string)
		if form := forms[w]; form != nil && isText == (w != "<id>") && form.MatchString(fmt.Sprint(got)) {
			return got
		}
	}
	return want
}

// addedFields returns the fields that the document has of the event and the interface does not fix.
func addedFields(t *testing.T, event object) []string {
	t.Helper()
	doc, err := theDocument()
	require.NoError(t, err)
	if _, isEvent := event["event_time"]; !isEvent {
		return nil
	}
	name := "MomentEvent"
	if _, isWhole := event["the_moment"]; isWhole {
		name = "Event"
	}
	return slices.DeleteFunc(slices.Clone(doc.Components.Schemas[name].Value.Required), func(field string) bool {
		_, isFixed := event[field]
		return isFixed
	})
}

func goldenInfo(t *testing.T, s *server) {
	ada, li := s.member(t), s.li(t)
	ada.get(t, profile).is(200)
	s.anyone().looksUp(t, li.id, ada.id).golden("simple-info", facts{"<ada>": ada.id, "<li>": li.id})
}

func goldenProfile(t *testing.T, s *server) {
	ada := s.member(t)
	ada.get(t, profile).is(200).golden("profile", facts{"<ada>": ada.id, "<phone>": ada.phone})
}

// diary is a day with everything in it: an event of Ada's in a category and a
// place, commented and liked by Li, who wrote of the same day, and its news.
func (s *server) diary(t *testing.T) (ada person, id int, known facts) {
	t.Helper()
	s.shelve(t, 31, "Walks")
	ada, li := s.member(t), s.li(t)
	date, err := calendar.ParseDate("2026-11-18")
	require.NoError(t, err)
	s.stores(t, news.Item{
		SiteName: "Lakeside Daily", SiteLogo: "/logos/lakeside.png", URL: "https://news.example/lake", Title: "Fog on the lake",
		Released: date, HTML: "<p>Fog.</p>", Category: "Weather", City: "杭州市", District: "西湖区", Province: "浙江省",
	})
	of := object{"event_time": "2026-11-18"}
	li.publishes(t, "晨跑", of, object{"content": "五公里"})
	s.clock.advance(90 * time.Second)
	id = ada.publishes(t, "A morning in 杭州市西湖区", of, object{
		"content": "Mist until nine.\n", "html_content": "<p>Mist until <b>nine</b>.</p>", "category": 31, "view_permission": 0,
	})
	s.clock.advance(time.Minute + 500*time.Millisecond)
	li.comments(t, id, "我听见桨声")
	li.put(t, likePath(id)).is(204)
	s.clock.advance(time.Minute)
	ada.patch(t, eventPath(id), object{"content": "Mist until nine."}).is(200)
	return ada, id, facts{"<ada>": ada.id, "<li>": li.id}
}

func (s *server) li(t *testing.T) person {
	t.Helper()
	return s.known(t, user.Member{Firstname: "雷", Lastname: "李", Location: "杭州", Timezone: "Asia/Shanghai"})
}

func goldenEvent(t *testing.T, s *server) {
	ada, id, known := s.diary(t)
	ada.reads(t, id).golden("event", known)
}

func goldenEvents(t *testing.T, s *server) {
	ada, _, known := s.diary(t)
	ada.writes(t, object{"title": "A draft", "event_time": "2026-11-19", "view_permission": 200})
	ada.get(t, events).is(200).golden("events", known)
	ada.get(t, eventsOf(ada)).is(200).golden("events", known)
}

func goldenComment(t *testing.T, s *server) {
	ada, li := s.member(t), s.li(t)
	id := ada.publishes(t, "x")
	s.clock.advance(1500 * time.Millisecond)
	li.post(t, comments, object{"event": id, "content": "我听见桨声 "}).is(201).golden("comment", facts{"<li>": li.id})
}

func goldenSubscriptions(t *testing.T, s *server) {
	s.shelve(t, 31, "Walks")
	ada, li := s.member(t), s.li(t)
	ada.follows(t, li)
	s.clock.advance(time.Hour)
	ada.post(t, subscriptions, object{"followed_category": 31}).is(201)
	known := facts{"<ada>": ada.id, "<li>": li.id}
	ada.get(t, subscriptions).is(200).golden("subscriptions", known)
	ada.get(t, subscriptions+"?uid_only=1").is(200).golden("subscriptions-uids", known)
}
