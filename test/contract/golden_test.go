package contract

import (
	"encoding/json"
	"fmt"
	"maps"
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
	{"AUT-01 golden login", goldenLogin, oneStore},
	{"USR-01 golden simple info", goldenInfo, oneStore},
	{"USR-05 golden profile", goldenProfile, oneStore},
	{"EVT-01 golden event", goldenEvent, oneStore},
	{"EVT-13 golden list of events", goldenEvents, oneStore},
	{"EVT-19 golden comment", goldenComment, oneStore},
	{"SUB-01 golden subscriptions", goldenSubscriptions, oneStore},
	{"GEN-06 golden errors", goldenErrors, oneStore},
}

// forms are what a golden says in place of a value that is never the same.
var forms = map[string]*regexp.Regexp{
	"<id>":  regexp.MustCompile(`^[1-9][0-9]*$`),
	"<key>": regexp.MustCompile(keyForm),
	"<url>": regexp.MustCompile(`^http://127\.[0-9.]+:[0-9]+/media/[a-z]+/([a-z0-9]{2}/)?[^/]+$`),
}

// facts are values that a golden names and that a test knows.
type facts map[string]any

// golden holds the answer against the file.
func (a answer) golden(name string, known facts) {
	a.t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name+".json"))
	require.NoError(a.t, err)
	want := answer{t: a.t, body: raw}.json()
	require.Empty(a.t, differences(a.t, "", want, a.json(), known), "%s", a.body)
}

// differences tells where the answer is not what the golden says.
func differences(t *testing.T, at string, want, got any, known facts) []string {
	t.Helper()
	switch w := want.(type) {
	case object:
		g, isObject := got.(object)
		if !isObject {
			return []string{at + ": no object"}
		}
		return objectDifferences(t, at, w, g, known)
	case []any:
		g, isList := got.([]any)
		if !isList || len(g) != len(w) {
			return []string{fmt.Sprintf("%s: %d items wanted: %v", at, len(w), got)}
		}
		var all []string
		for i := range w {
			all = append(all, differences(t, fmt.Sprint(at, ".", i), w[i], g[i], known)...)
		}
		return all
	case string:
		return textDifferences(at, w, got, known)
	}
	if want != got {
		return []string{fmt.Sprintf("%s: %v is not %v", at, got, want)}
	}
	return nil
}

func objectDifferences(t *testing.T, at string, want, got object, known facts) []string {
	t.Helper()
	var all []string
	for name, value := range want {
		found, there := got[name]
		if !there {
			all = append(all, at+"."+name+": missing")
			continue
		}
		all = append(all, differences(t, at+"."+name, value, found, known)...)
	}
	added := addedFields(t, slices.Collect(maps.Keys(want)))
	for name := range got {
		if _, wanted := want[name]; !wanted && !slices.Contains(added, name) {
			all = append(all, at+"."+name+": one too many")
		}
	}
	return all
}

func textDifferences(at, want string, got any, known facts) []string {
	form, isForm := forms[want]
	fact, isFact := known[want]
	same := want == got
	switch {
	case isForm && want == "<id>":
		number, isNumber := got.(json.Number)
		same = isNumber && form.MatchString(number.String())
	case isForm:
		text, isText := got.(string)
		same = isText && form.MatchString(text)
	case isFact:
		_, isText := fact.(string)
		_, gotText := got.(string)
		same = isText == gotText && fmt.Sprint(fact) == fmt.Sprint(got)
	}
	if !same {
		return []string{fmt.Sprintf("%s: %v is not %s", at, got, want)}
	}
	return nil
}

func goldenLogin(t *testing.T, s *server) {
	ada := s.member(t)
	s.anyone().logsIn(t, ada.phone, password).is(200).golden("login", nil)
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

// li is a user with other properties than Ada.
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

func goldenErrors(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	for name, a := range map[string]answer{
		"credentials": s.anyone().wrongly(t, ada.phone).is(400),
		"fields":      s.anyone().post(t, login, object{"scope": []any{"root"}}).is(400),
		"no-token":    s.anyone().get(t, profile).is(401),
		"bad-token":   s.with("x").get(t, profile).is(401),
		"no-scope":    s.with(s.issue(t, ada, 0, "writing_bundle")).get(t, events).is(403),
		"not-owner":   bob.delete(t, eventPath(id)).is(403),
		"not-found":   bob.get(t, eventPath(99)).is(404),
		"method":      ada.put(t, profile).is(405),
	} {
		a.golden("error-"+name, nil)
	}
}
