package contract

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

var activityRows = []row{
	{"EVT-17 comments and likes are counted", activityIsCounted, everyStore},
	{"EVT-17 an event shows its newest ten comments", newestTenComments, everyStore},
	{"EVT-24 the likes of a page of events", likesOfEvents, everyStore},
	{"EVT-24 the events of a list are checked", likesAreAskedOf, oneStore},
}

func activityIsCounted(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	first := bob.comments(t, id, "one")
	ada.comments(t, id, "two")
	bob.put(t, likePath(id)).is(204)
	ada.put(t, likePath(id)).is(204)
	for _, p := range []person{ada, bob} {
		p.reads(t, id).shows(object{"comment_count": 2, "like_count": 2})
		p.get(t, eventsOf(ada)).is(200).shows(object{"0.comment_count": 2, "0.like_count": 2})
	}
	ada.get(t, recent).is(200).shows(object{"0.comment_count": 2, "0.like_count": 2})
	bob.delete(t, commentPath(first)).is(204)
	bob.delete(t, likePath(id)).is(204)
	ada.patch(t, eventPath(id), object{"title": "y"}).is(200).shows(object{"comment_count": 1, "like_count": 1})
}

func newestTenComments(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	var said []string
	for i := range 12 {
		words := fmt.Sprint("word ", i)
		bob.comments(t, id, words)
		said = append([]string{words}, said...)
	}
	ada.reads(t, id).shows(object{"comment_count": 12})
	for path, at := range map[string]string{eventPath(id): "", events: ".0", eventsOf(ada): ".0", recent: ".0"} {
		assert.Equal(t, said[:10], ada.get(t, path).is(200).column("data"+at+".comments", "content"), path)
	}
}

func likesOfEvents(t *testing.T, s *server) {
	ada, bob, eve := s.member(t), s.member(t), s.member(t)
	befriend(t, ada, bob)
	public, hidden := ada.publishes(t, "x"), ada.publishes(t, "y", object{"view_permission": 100})
	draft := ada.writes(t, object{"title": "x"}).int("data.id")
	bob.put(t, likePath(public)).is(204)
	bob.put(t, likePath(hidden)).is(204)
	ada.put(t, likePath(hidden)).is(204)
	liked := func(event int, isLiked bool, count int) object {
		return object{"event": event, "is_liked": isLiked, "like_count": count}
	}
	for _, c := range []struct {
		who  person
		sees []object
	}{
		{ada, []object{liked(hidden, true, 2), liked(draft, false, 0), liked(public, false, 1)}},
		{bob, []object{liked(hidden, true, 2), liked(public, true, 1)}},
		{eve, []object{liked(public, false, 1)}},
	} {
		sameJSON(t, object{"data": c.sees}, c.who.get(t, likesOf(hidden, draft, public, hidden, 99999)).is(200).json())
	}
}

func likesAreAskedOf(t *testing.T, s *server) {
	ada := s.member(t)
	first, second := ada.publishes(t, "x"), ada.publishes(t, "y")
	for _, query := range []string{
		fmt.Sprintf("%d,%d", second, first), fmt.Sprintf("%%20%d,%%20,%d&event=%d&event=", second, first, second),
		fmt.Sprintf("00%d,99999999999999999999,%d", second, first),
	} {
		assert.Equal(t, words(second, first), ada.get(t, "/api/activity/like/?event="+query).is(200).column("data", "event"), query)
	}
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = first + i
	}
	assert.Len(t, ada.get(t, likesOf(append(hundred, first)...)).is(200).list("data"), 2, "one is named twice")
	ada.get(t, likesOf(append(hundred, 99999)...)).invalid("event")
	for _, none := range []string{"", "?event=,", "?event=0", "?event=1,-1"} {
		ada.get(t, "/api/activity/like/"+none).invalid("event")
	}
}

const (
	notifications     = "/api/user/notification/"
	readNotifications = notifications + "read/"
)

var notificationRows = []row{
	{"NTF-01 comments likes and followers make notifications", notified, everyStore},
	{"NTF-01 what is taken back takes its notification along", unnotified, everyStore},
	{"NTF-02 read is what was read", notificationsRead, everyServer},
}

// notified shows one of each kind, the newest first, and none of one's own acts.
func notified(t *testing.T, s *server) {
	s.shelve(t, 7, "Walks")
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "Fog")
	bob.followsCategory(t, 7)
	ada.comments(t, id, "Mine")
	ada.put(t, likePath(id)).is(204)
	ada.follows(t, bob)
	assert.Empty(t, ada.get(t, notifications).is(200).list("data"))
	s.minutesLater(func() { bob.follows(t, ada) })
	s.minutesLater(func() { bob.put(t, likePath(id)).is(204) })
	var comment int
	s.minutesLater(func() { comment = bob.comments(t, id, "Oh") })
	bob.put(t, likePath(id)).is(204)
	bob.post(t, subscriptions, object{"followed_user": ada.id}).is(200)
	ada.patch(t, eventPath(id), object{"title": "Mist"}).is(200)

	list := ada.get(t, notifications).is(200)
	assert.Equal(t, []string{"comment", "like", "follow"}, list.column("data", "kind"))
	info := s.anyone().looksUp(t, bob.id).at("data.0")
	seen := object{"id": id, "title": "Mist"}
	for i, want := range []object{
		{"event": seen, "comment": object{"id": comment, "content": "Oh"}, "subject": object{"kind": "comment", "id": comment}},
		{"event": seen, "comment": nil, "subject": object{"kind": "event", "id": id}},
		{"event": nil, "comment": nil, "subject": object{"kind": "profile", "id": bob.id}},
	} {
		item := fmt.Sprint("data.", i)
		sameJSON(t, want["subject"], list.at(item+".subject"))
		sameJSON(t, want["event"], list.at(item+".event"))
		sameJSON(t, want["comment"], list.at(item+".comment"))
		assert.Equal(t, info, list.at(item+".user"))
		assert.Equal(t, false, list.at(item+".is_read"))
	}
	assert.Equal(t, bob.get(t, commentsOn(id)).at("data.0.create_time"), list.at("data.0.created_at"))
	assert.Equal(t, 3, list.int("unread_count"))
	assert.Equal(t, 3, ada.get(t, profile).int("data.unread_count"))
	assert.Equal(t, 1, bob.get(t, notifications).int("unread_count"), "that ada follows")
}

func unnotified(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id, other := ada.publishes(t, "x"), ada.publishes(t, "y")
	kinds := func() []string {
		list := ada.get(t, notifications).is(200)
		assert.Equal(t, len(list.list("data")), list.int("unread_count"))
		return list.column("data", "kind")
	}
	follow := bob.follows(t, ada)
	comment := bob.comments(t, id, "Oh")
	bob.put(t, likePath(id)).is(204)
	bob.comments(t, other, "So")
	assert.Equal(t, []string{"comment", "like", "comment", "follow"}, kinds())
	ada.delete(t, eventPath(other)).is(204)
	bob.delete(t, commentPath(comment)).is(204)
	bob.delete(t, likePath(id)).is(204)
	bob.put(t, likePath(id)).is(204)
	assert.Equal(t, []string{"like", "follow"}, kinds())
	bob.delete(t, subscriptionPath(follow)).is(204)
	assert.Equal(t, []string{"like"}, kinds())
}

func (p person) marksRead(t *testing.T, upTo int) {
	t.Helper()
	p.send(t, "PUT", readNotifications, object{"up_to": upTo}).is(204)
}

func notificationsRead(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	for i := range 3 {
		bob.comments(t, id, fmt.Sprint(i))
	}
	isRead := func() []any {
		list := ada.get(t, notifications).is(200)
		assert.Equal(t, list.int("unread_count"), ada.get(t, profile).int("data.unread_count"))
		return list.each("data", "is_read")
	}
	middle, newest := ada.get(t, notifications).int("data.1.id"), ada.get(t, notifications).int("data.0.id")
	ada.marksRead(t, middle)
	assert.Equal(t, []any{false, true, true}, isRead())
	ada.marksRead(t, middle-1)
	bob.marksRead(t, newest)
	assert.Equal(t, []any{false, true, true}, isRead(), "it stays read, and others change nothing")
	ada.marksRead(t, newest+1000)
	assert.Equal(t, []any{true, true, true}, isRead())
	bob.comments(t, id, "new")
	assert.Equal(t, []any{false, true, true, true}, isRead(), "what came later is not read")
}
