package contract

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/news"
)

var eventListRows = []row{
	{"EVT-08 what the relation the status and the permission let one see", visibility, everyStore},
	{"EVT-10 the own list has drafts and is paged", ownList, everyStore},
	{"EVT-11 one event is read by its number", oneEvent, oneStore},
	{"EVT-12 the ten most recently commented the latest comment first", recentlyCommented, everyStore},
	{"EVT-13 another ordering is refused", unknownOrdering, oneStore},
	{"EVT-13 a user who is not there is not found", unknownAuthor, oneStore},
	{"EVT-14 the moment is what the caller may see of the day", momentOfTheDay, everyStore},
	{"EVT-15 the news of the day the own city first", newsOfTheDay, everyStore},
}

func visibility(t *testing.T, s *server) {
	author, contact, follower, followed, stranger := s.member(t), s.member(t), s.member(t), s.member(t), s.member(t)
	befriend(t, author, contact)
	follower.follows(t, author)
	author.follows(t, followed)
	ids := map[string]int{}
	for status, publish := range map[string]bool{"draft": false, "normal": true} {
		for permission, value := range map[string]int{"public": 0, "contact": 100, "private": 200} {
			title := status + " " + permission
			ids[title] = author.writes(t, object{"title": title, "publish": publish, "view_permission": value}).int("data.id")
		}
	}
	public := []string{"normal public"}
	for _, viewer := range []struct {
		name string
		person
		sees []string
	}{
		{"author", author, []string{
			"draft public", "draft contact", "draft private", "normal public", "normal contact", "normal private",
		}},
		{"contact", contact, []string{"normal public", "normal contact"}},
		{"follower", follower, public},
		{"followed", followed, public},
		{"stranger", stranger, public},
	} {
		t.Run(viewer.name, func(t *testing.T) {
			for title, id := range ids {
				want := 404
				if slices.Contains(viewer.sees, title) {
					want = 200
				}
				assert.Equal(t, want, viewer.get(t, eventPath(id)).status, title)
			}
			list := viewer.get(t, eventsOf(author)).is(200)
			assert.ElementsMatch(t, viewer.sees, list.titles())
			assert.Equal(t, len(viewer.sees), list.int("pagination.total_count"))
			assert.ElementsMatch(t, viewer.sees, paged(t, viewer.client, eventsOf(author)+"?page_size=1"))
		})
	}
}

// paged is the titles of all pages of a list whose address already asks for
// something.
func paged(t *testing.T, c *client, path string) []string {
	t.Helper()
	var all []string
	for page := 1; ; page++ {
		a := c.get(t, fmt.Sprintf("%s&page=%d", path, page)).is(200)
		all = append(all, a.titles()...)
		if a.at("pagination.next") == nil {
			return all
		}
	}
}

func ownList(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	bob.publishes(t, "somebody else's")
	ada.writes(t, object{"title": "draft", "event_time": "2026-11-01"})
	ada.publishes(t, "private", object{"event_time": "2026-11-02", "view_permission": 200})
	ada.publishes(t, "public", object{"event_time": "2026-11-03"})
	list := ada.get(t, events).is(200)
	assert.Equal(t, []string{"public", "private", "draft"}, list.titles())
	for _, path := range []string{"data.0", "data.1", "data.2"} {
		list.hasFields(path, eventFields)
		list.hasFields(path+".user", authorFields)
	}
	assert.Equal(t, []string{"draft", "private", "public"}, ada.get(t, events+"?ordering=event_time").is(200).titles())
	last := ada.get(t, events+"?page_size=2&page=2").is(200)
	assert.Equal(t, []string{"draft"}, last.titles())
	wanted := object{"page_size": 2, "total_count": 3, "total_pages": 2, "current_page": 2, "next": nil, "previous": 1}
	for field, value := range wanted {
		assert.Equal(t, fmt.Sprint(value), fmt.Sprint(last.at("pagination."+field)), field)
	}
	assert.Empty(t, s.member(t).get(t, events).is(200).list("data"))
}

func oneEvent(t *testing.T, s *server) {
	ada, eve := s.member(t), s.member(t)
	id := ada.publishes(t, "x", object{"content": "y"})
	got := eve.reads(t, id).shows(object{"id": id, "title": "x", "content": "y"})
	got.hasFields("data", eventFields)
	for _, path := range []string{"99999/", "0/", "-1/", "abc/", "1.0/", "99999999999999999999/"} {
		eve.get(t, events+path).fails(404, "RESOURCE_NOT_FOUND")
	}
}

const recent = events + "new-comment-event/"

func recentlyCommented(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	assert.Empty(t, ada.get(t, recent).is(200).list("data"))
	var want []string
	ada.publishes(t, "never commented")
	for i := range 12 {
		title := fmt.Sprint("event ", i)
		id := ada.publishes(t, title, object{"event_time": fmt.Sprintf("2026-10-%02d", 30-i)})
		s.minutesLater(func() { bob.comments(t, id, "Oh") })
		want = append([]string{title}, want...)
	}
	theirs := bob.publishes(t, "somebody else's")
	again := ada.get(t, recent).is(200).int("data.9.id")
	s.minutesLater(
		func() { ada.comments(t, theirs, "Nice") },
		func() { ada.comments(t, again, "Thank you") },
	)
	want = slices.Concat(want[9:10], want[:9])

	list := ada.get(t, recent).is(200)
	assert.Equal(t, want, list.titles())
	assert.False(t, list.has("pagination"))
	list.hasFields("data.0", eventFields)
	assert.Equal(t, []string{"Thank you", "Oh"}, list.column("data.0.comments", "content"))
	assert.Equal(t, []string{"somebody else's"}, bob.get(t, recent).is(200).titles())
}

func unknownOrdering(t *testing.T, s *server) {
	ada := s.member(t)
	for _, ordering := range []string{"title", "id", "--event_time", "event_time,id", "-", "EVENT_TIME"} {
		ada.get(t, eventsOf(ada)+"?ordering="+ordering).invalid("ordering")
		ada.get(t, events+"?ordering="+ordering).invalid("ordering")
	}
	ada.get(t, eventsOf(ada)+"?ordering=id&page=0&page_size=x").invalid("ordering", "page", "page_size")
}

func unknownAuthor(t *testing.T, s *server) {
	ada := s.member(t)
	for _, uid := range []string{"99999", "0", "-1", "abc", "99999999999999999999"} {
		ada.get(t, events+uid+"/view-list/").fails(404, "RESOURCE_NOT_FOUND")
	}
	assert.Empty(t, ada.get(t, eventsOf(s.member(t))).is(200).list("data"), "who wrote nothing is there")
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
		func() { cleo.publishes(t, "cleo's for contacts", day(100)) },
		func() { cleo.publishes(t, "cleo's", day(0)) },
		func() { ada.publishes(t, "ada's own", day(200)) },
		func() { ada.writes(t, object{"title": "ada's draft", "event_time": "2026-11-18"}) },
	)
	for _, sees := range []struct {
		who  person
		want []string
	}{
		{ada, []string{"ada's own", "cleo's", "bob's for contacts", "bob's"}},
		{bob, []string{"cleo's", "bob's own", "bob's for contacts", "bob's"}},
		{cleo, []string{"cleo's", "cleo's for contacts", "bob's"}},
		{s.member(t), []string{"cleo's", "bob's"}},
	} {
		assert.Equal(t, sees.want, sees.who.reads(t, centre).column("data.the_moment", "title"))
		list := sees.who.get(t, eventsOf(ada)+"?ordering=create_time").is(200)
		assert.Equal(t, sees.want[:min(3, len(sees.want))], list.column("data.0.the_moment", "title"))
	}
	s.minutesLater(func() { ada.patch(t, eventPath(centre), object{"event_time": "2026-11-19"}).is(200) })
	assert.Equal(t, []string{"bob's of another day"}, ada.reads(t, centre).column("data.the_moment", "title"))
}

// print puts news of a day and a city into the archive, titled by a number.
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
