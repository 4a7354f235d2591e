package contract

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const (
	notifications     = "/api/user/notification/"
	readNotifications = notifications + "read/"
)

var notificationRows = []row{
	{"NTF-01 comments likes and followers make notifications", notified, everyStore},
	{"NTF-01 what is taken back takes its notification along", unnotified, everyStore},
	{"NTF-01 like and unlike make one a day", likedAgain, everyStore},
	{"NTF-01 of erased people nothing stays", notifiedByErased, everyStore},
	{"NTF-02 pages neither repeat nor skip", notificationPages, everyStore},
	{"NTF-02 read is what was read", notificationsRead, everyServer},
	{"NTF-02 up_to is an id", notificationsReadWrongly, oneStore},
}

// notified shows one of each kind, the newest first, and none of one's own acts.
func notified(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "Fog")
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
		{"event": seen, "comment": object{"id": comment, "content": "Oh"}}, {"event": seen, "comment": nil}, {"event": nil, "comment": nil},
	} {
		item := fmt.Sprint("data.", i)
		list.hasFields(item, []string{"id", "kind", "user", "event", "comment", "created_at", "is_read"})
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
	comment, byAda := bob.comments(t, id, "Oh"), bob.comments(t, id, "Ah")
	bob.put(t, likePath(id)).is(204)
	bob.comments(t, other, "So")
	bob.put(t, likePath(other)).is(204)
	assert.Equal(t, []string{"like", "comment", "like", "comment", "comment", "follow"}, kinds())
	bob.delete(t, commentPath(comment)).is(204)
	ada.delete(t, commentPath(byAda)).is(204)
	assert.Equal(t, []string{"like", "comment", "like", "follow"}, kinds())
	bob.delete(t, likePath(id)).is(204)
	assert.Equal(t, []string{"like", "comment", "follow"}, kinds())
	ada.delete(t, eventPath(other)).is(204)
	assert.Equal(t, []string{"follow"}, kinds())
	bob.delete(t, subscriptionPath(follow)).is(204)
	assert.Empty(t, kinds())
	bob.follows(t, ada)
	assert.Equal(t, []string{"follow"}, kinds(), "following again is news")
}

func likedAgain(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	bob.put(t, likePath(id)).is(204)
	first := ada.get(t, notifications).int("data.0.id")
	ada.marksRead(t, first)
	for range 3 {
		s.clock.advance(7 * time.Hour)
		bob.delete(t, likePath(id)).is(204)
		assert.Empty(t, ada.get(t, notifications).list("data"))
		bob.put(t, likePath(id)).is(204)
		again := ada.get(t, notifications)
		again.shows(object{"0.id": first, "0.is_read": true, "0.created_at": "2026-11-20T12:00:00.000000Z"})
		assert.Equal(t, 0, again.int("unread_count"), "it is no news")
	}
	s.clock.advance(4 * time.Hour)
	bob.delete(t, likePath(id)).is(204)
	bob.put(t, likePath(id)).is(204)
	tomorrow := ada.get(t, notifications)
	assert.Greater(t, tomorrow.int("data.0.id"), first)
	assert.Equal(t, 1, tomorrow.int("unread_count"))
	bob.delete(t, likePath(id)).is(204)
	s.clock.advance(24 * time.Hour)
	bob.put(t, likePath(id)).is(204)
	assert.Greater(t, ada.get(t, notifications).int("data.0.id"), tomorrow.int("data.0.id"), "the withdrawn one has expired")
}

func notifiedByErased(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	bob.comments(t, id, "Oh")
	bob.put(t, likePath(id)).is(204)
	bob.follows(t, ada)
	s.erases(t, bob)
	list := ada.get(t, notifications).is(200)
	assert.Empty(t, list.list("data"))
	assert.Zero(t, list.int("unread_count"))
}

func notificationPages(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	var said []int
	for i := range 5 {
		said = append(said, bob.comments(t, id, fmt.Sprint(i)))
	}
	page := func(cursor any) answer {
		path := notifications + "?page_size=2"
		if cursor != nil {
			path += "&cursor=" + url.QueryEscape(cursor.(string))
		}
		return ada.get(t, path).is(200)
	}
	words := func(a answer) (all []any) {
		for i := range a.list("data") {
			all = append(all, a.at(fmt.Sprintf("data.%d.comment.content", i)))
		}
		return all
	}
	one := page(nil)
	assert.Equal(t, []any{"4", "3"}, words(one))
	bob.comments(t, id, "new")
	bob.delete(t, commentPath(said[3])).is(204) // the one that the cursor names
	bob.delete(t, commentPath(said[2])).is(204)
	two := page(one.at("cursor.next"))
	assert.Equal(t, []any{"1", "0"}, words(two))
	assert.Nil(t, two.at("cursor.next"))
	assert.Equal(t, 4, two.int("unread_count"))
	for _, sent := range []string{"x", "dAAAAAAAAAAAAAAAAAAAAAE"} { // no cursor, and one of the timeline
		assert.Contains(t, ada.get(t, notifications+"?cursor="+sent).is(400).at("data"), "cursor", sent)
	}
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

func notificationsReadWrongly(t *testing.T, s *server) {
	ada := s.member(t)
	for _, body := range []any{object{}, object{"up_to": 0}, object{"up_to": "x"}, object{"up_to": nil}} {
		assert.Contains(t, ada.send(t, "PUT", readNotifications, body).is(400).at("data"), "up_to")
	}
	ada.marksRead(t, 7)
}
