package contract

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/news"
)

var eventListRows = []row{
	{"EVT-08 what the relation the status and the permission let one see", visibility, everyStore},
	{"EVT-12 the ten most recently commented the latest comment first", recentlyCommented, everyStore},
	{"EVT-13 another ordering is refused", unknownOrdering, oneStore},
	{"EVT-14 the moment is what the caller may see of the day", momentOfTheDay, everyStore},
	{"EVT-15 the news of the day the own city first", newsOfTheDay, everyStore},
	{"EVT-23 the timeline is what the followed wrote and the caller may see", timelineSeen, everyStore},
}

func visibility(t *testing.T, s *server) {
	author, contact, follower, followed := s.member(t), s.member(t), s.member(t), s.member(t)
	befriend(t, author, contact)
	follower.follows(t, author)
	author.follows(t, followed)
	var own []string
	for _, publish := range []bool{false, true} {
		for _, permission := range event.Permissions() {
			own = append(own, fmt.Sprint(publish, " ", permission))
			author.writes(t, object{"title": own[len(own)-1], "publish": publish, "view_permission": permission})
		}
	}
	for _, viewer := range []struct {
		person
		sees []string
	}{{author, own}, {contact, []string{"true 0", "true 100"}}, {follower, []string{"true 0"}}, {followed, []string{"true 0"}}} {
		list := viewer.get(t, eventsOf(author)).is(200)
		assert.ElementsMatch(t, viewer.sees, list.titles())
		assert.Equal(t, len(viewer.sees), list.int("pagination.total_count"))
	}
}

const recent = events + "new-comment-event/"

func recentlyCommented(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	var want []string
	ada.publishes(t, "never commented")
	theirs := bob.publishes(t, "somebody else's")
	ada.comments(t, theirs, "Nice")
	for i := range 12 {
		title := fmt.Sprint("event ", i)
		id := ada.publishes(t, title, object{"event_time": fmt.Sprintf("2026-10-%02d", 30-i)})
		s.minutesLater(func() { bob.comments(t, id, "Oh") })
		want = append([]string{title}, want...)
	}
	again := ada.get(t, recent).is(200).int("data.9.id")
	s.minutesLater(func() { ada.comments(t, again, "Thank you") })
	list := ada.get(t, recent).is(200)
	assert.Equal(t, slices.Concat(want[9:10], want[:9]), list.titles())
	assert.False(t, list.has("pagination"))
	assert.Equal(t, []string{"somebody else's"}, bob.get(t, recent).is(200).titles())
}

func unknownOrdering(t *testing.T, s *server) {
	ada := s.member(t)
	for _, ordering := range []string{"title", "--event_time", "event_time,id", "-", "EVENT_TIME"} {
		ada.get(t, eventsOf(ada)+"?ordering="+ordering).invalid("ordering")
		ada.get(t, events+"?ordering="+ordering).invalid("ordering")
	}
	ada.get(t, eventsOf(ada)+"?ordering=id&page=0&page_size=x").invalid("ordering", "page", "page_size")
	ada.writes(t, object{"title": "old", "event_time": "2026-11-01"})
	ada.writes(t, object{"title": "new", "event_time": "2026-11-02"})
	assert.Equal(t, []string{"new", "old"}, ada.get(t, events).is(200).titles())
	assert.Equal(t, []string{"old", "new"}, ada.get(t, events+"?ordering=event_time,-create_time").is(200).titles())
}

func momentOfTheDay(t *testing.T, s *server) {
	ada, bob, cleo := s.member(t), s.member(t), s.member(t)
	befriend(t, ada, bob)
	day := func(permission int) object { return object{"event_time": "2026-11-18", "view_permission": permission} }
	centre := ada.publishes(t, "centre", day(0))
	s.minutesLater(
		func() { bob.publishes(t, "bob's", day(0)) },
		func() { bob.publishes(t, "bob's for contacts", day(100)) },
		func() { bob.publishes(t, "bob's own", day(200)) },
		func() { bob.writes(t, object{"title": "bob's draft", "event_time": "2026-11-18"}) },
		func() { bob.publishes(t, "bob's of another day", object{"event_time": "2026-11-19"}) },
		func() { cleo.publishes(t, "cleo's", day(0)) },
		func() { ada.publishes(t, "ada's own", day(200)) },
	)
	for _, sees := range []struct {
		who  person
		want []string
	}{
		{ada, []string{"ada's own", "cleo's", "bob's for contacts", "bob's"}},
		{bob, []string{"cleo's", "bob's own", "bob's for contacts", "bob's"}},
		{cleo, []string{"cleo's", "bob's"}},
	} {
		assert.Equal(t, sees.want, sees.who.reads(t, centre).column("data.the_moment", "title"))
		list := sees.who.get(t, eventsOf(ada)+"?ordering=create_time").is(200)
		assert.Equal(t, sees.want[:min(3, len(sees.want))], list.column("data.0.the_moment", "title"))
	}
	s.minutesLater(func() { ada.patch(t, eventPath(centre), object{"event_time": "2026-11-19"}).is(200) })
	assert.Equal(t, []string{"bob's of another day"}, ada.reads(t, centre).column("data.the_moment", "title"))
}

func (s *server) print(t *testing.T, day, city string, numbers ...int) {
	t.Helper()
	date, err := calendar.ParseDate(day)
	require.NoError(t, err)
	var items []any
	for _, n := range numbers {
		items = append(items, news.Item{
			SiteName: "The Lake", SiteLogo: "/media/lake.png", URL: fmt.Sprint("https://lake.example/", n),
			Title: strconv.Itoa(n), Released: date, HTML: "<p>news</p>", Category: "local", City: city,
		})
	}
	s.stores(t, items...)
}

func newsOfTheDay(t *testing.T, s *server) {
	ada := s.member(t)
	s.print(t, "2026-11-20", "南京市", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)
	s.print(t, "2026-11-19", "杭州市", 12)
	s.print(t, "2026-11-20", "杭州市", 13, 14)
	id := ada.publishes(t, "在杭州市")
	news := func(a answer, of string) []string { return a.column(of+".place_around", "title") }
	inHangzhou := []string{"13", "14", "1", "2", "3", "4", "5", "6", "7", "8"}
	assert.Equal(t, inHangzhou, news(ada.reads(t, id), "data"))
	for _, list := range []string{events, eventsOf(ada)} {
		assert.Equal(t, inHangzhou[:3], news(ada.get(t, list).is(200), "data.0"), list)
	}
	elsewhere := ada.patch(t, eventPath(id), object{"title": "at home"}).is(200)
	assert.Equal(t, []string{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}, news(elsewhere, "data"))
	assert.Equal(t, []string{"12"}, news(ada.patch(t, eventPath(id), object{"event_time": "2026-11-19"}), "data"))
	assert.Empty(t, news(ada.patch(t, eventPath(id), object{"event_time": "2026-11-18"}).is(200), "data"))
}

const timeline = "/api/xfile/event/following/"

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
