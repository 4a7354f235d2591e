package contract

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/event"
)

const timeline = "/api/xfile/event/following/"

var timelineRows = []row{
	{"EVT-23 the timeline is what the followed wrote and the caller may see", timelineSeen, everyStore},
	{"EVT-23 pages neither repeat nor skip what is written and deleted meanwhile", timelinePages, everyStore},
	{"EVT-23 a draft stands where it was first published", timelineDrafts, everyStore},
	{"EVT-23 events of one instant are on one page each", timelineTies, everyStore},
	{"EVT-23 a cursor that is no answer's is refused", timelineCursors, everyStore},
}

// timelineSeen has everything that a list has of an event, and no totals.
func timelineSeen(t *testing.T, s *server) {
	reader, followed, contact, stranger := s.member(t), s.member(t), s.member(t), s.member(t)
	assert.Empty(t, reader.get(t, timeline).is(200).list("data"), "of one who follows no one")
	reader.follows(t, followed)
	befriend(t, reader, contact)
	stranger.follows(t, reader)
	for name, author := range map[string]person{"reader": reader, "followed": followed, "contact": contact, "stranger": stranger} {
		for _, permission := range event.Permissions() {
			for _, publish := range []bool{true, false} {
				title := fmt.Sprint(name, " ", permission, " ", publish)
				author.writes(t, object{"title": title, "publish": publish, "view_permission": permission})
			}
		}
	}
	list := reader.get(t, timeline).is(200)
	assert.ElementsMatch(t, []string{"followed 0 true", "contact 0 true", "contact 100 true"}, list.titles())
	assert.Equal(t, object{"next": nil}, list.at("cursor"))
	first := list.at("data.0")
	path := eventsOf(followed)
	if list.titles()[0] != "followed 0 true" {
		path = eventsOf(contact)
	}
	assert.Contains(t, reader.get(t, path).is(200).list("data"), first, "each as in lists")

	own := contact.get(t, subscriptions).is(200)
	contact.delete(t, fmt.Sprintf("%s%d/", subscriptions, own.int("data.0.id"))).is(204)
	assert.ElementsMatch(t, []string{"followed 0 true", "contact 0 true"}, reader.get(t, timeline).is(200).titles(), "no contact any more")
}

func timelinePages(t *testing.T, s *server) {
	reader, ada, bob := s.member(t), s.member(t), s.member(t)
	reader.follows(t, ada)
	reader.follows(t, bob)
	ids := map[string]int{}
	write := func(author person, title string) {
		s.minutesLater(func() { ids[title] = author.publishes(t, title) })
	}
	for i := range 3 {
		write(ada, fmt.Sprint("a", i))
		write(bob, fmt.Sprint("b", i))
	}
	page := func(cursor any) answer {
		path := timeline + "?page_size=2"
		if cursor != nil {
			path += "&cursor=" + url.QueryEscape(cursor.(string))
		}
		return reader.get(t, path).is(200)
	}
	one := page(nil)
	assert.Equal(t, []string{"b2", "a2"}, one.titles())
	write(ada, "new")
	ada.delete(t, eventPath(ids["a2"])).is(204) // the one that the cursor names
	bob.delete(t, eventPath(ids["b1"])).is(204)
	two := page(one.at("cursor.next"))
	assert.Equal(t, []string{"a1", "b0"}, two.titles())
	three := page(two.at("cursor.next"))
	assert.Equal(t, []string{"a0"}, three.titles())
	assert.Nil(t, three.at("cursor.next"))
	assert.Equal(t, []string{"new", "b2"}, page(nil).titles())
}

func timelineDrafts(t *testing.T, s *server) {
	reader, ada, bob := s.member(t), s.member(t), s.member(t)
	reader.follows(t, ada)
	reader.follows(t, bob)
	draft := ada.writes(t, object{"title": "draft"})
	publish := func(yes bool) {
		ada.patch(t, eventPath(draft.int("data.id")), object{"publish": yes}).is(200).shows(object{"create_time": draft.at("data.create_time")})
	}
	isOrdered := func(want ...string) {
		t.Helper()
		var paged []string
		for next, more := "", true; more; {
			a := reader.get(t, timeline+"?page_size=1&cursor="+url.QueryEscape(next)).is(200)
			paged = append(paged, a.titles()...)
			next, more = a.at("cursor.next").(string)
		}
		assert.Equal(t, want, paged)
		assert.Equal(t, want, reader.get(t, timeline).is(200).titles())
	}
	s.minutesLater(
		func() { bob.publishes(t, "before") },
		func() { publish(true) },
		func() { isOrdered("draft", "before") },
		func() { bob.publishes(t, "after") },
		func() { publish(true) },
		func() { publish(false) },
		func() { isOrdered("after", "before") },
		func() { publish(true) },
		func() { isOrdered("after", "draft", "before") },
	)
}

func timelineTies(t *testing.T, s *server) {
	reader, ada, bob := s.member(t), s.member(t), s.member(t)
	reader.follows(t, ada)
	befriend(t, reader, bob)
	var wanted []string
	for i := range 4 { // at one instant
		for _, author := range []person{ada, bob} {
			title := fmt.Sprint(author.id, " ", i)
			author.publishes(t, title, object{"view_permission": event.Public})
			wanted = append([]string{title}, wanted...)
		}
		title := fmt.Sprint("contact ", i)
		bob.publishes(t, title, object{"view_permission": event.Contact})
		wanted = append([]string{title}, wanted...)
	}
	for _, size := range []int{1, 5, 100} {
		var all []string
		path := fmt.Sprint(timeline, "?page_size=", size)
		for next := path; next != ""; {
			a := reader.get(t, next).is(200)
			assert.LessOrEqual(t, len(a.titles()), size)
			all = append(all, a.titles()...)
			cursor, more := a.at("cursor.next").(string)
			if next = ""; more {
				next = path + "&cursor=" + url.QueryEscape(cursor)
			}
		}
		assert.Equal(t, wanted, all, "pages of %d", size)
	}
}

func timelineCursors(t *testing.T, s *server) {
	reader := s.member(t)
	for _, sent := range []string{"x", "0", "dAAAAAAAAAAAAAAAAAAAAA", "%00"} {
		assert.Contains(t, reader.get(t, timeline+"?cursor="+sent).is(400).at("data"), "cursor", sent)
	}
	assert.Contains(t, reader.get(t, timeline+"?page_size=0").is(400).at("data"), "page_size")
	reader.get(t, timeline+"?cursor=").is(200)
	reader.get(t, timeline+"?cursor=dH__________f_________8").is(200) // the greatest
}
