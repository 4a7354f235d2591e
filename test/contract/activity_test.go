package contract

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/instant"
)

var activityRows = []row{
	{"EVT-17 comments and likes are counted", activityIsCounted, everyStore},
	{"EVT-17 an event shows its newest ten comments", newestTenComments, everyStore},
	{"EVT-24 the likes of a page of events", likesOfEvents, everyStore},
	{"EVT-24 the events of a list are checked", likesAreAskedOf, oneStore},
	{"NTF-01 comments likes and followers make notifications", notified, everyStore},
	{"NTF-01 what is taken back takes its notification along", unnotified, everyStore},
	{"NTF-02 read is what was read", notificationsRead, everyServer},
	{"EVT-26 the author of a comment edits it", commentIsEdited, everyStore},
	{"EVT-26 a comment replies to another", commentReplies, everyStore},
	{"NTF-03 a reply is told to the author of the comment", replyIsTold, everyStore},
	{"NTF-02 EVT-08 a reply on an event that is out of sight is neither listed nor counted", replyOutOfSight, everyStore},
	{"EVT-26 MOD-05 a report keeps the comment as it was before the edit", editedWhileReported, everyStore},
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

func (p person) replies(t *testing.T, on, to int, content string) answer {
	t.Helper()
	return p.post(t, comments, object{"event": on, "content": content, "reply_to": to}).is(201)
}

func commentIsEdited(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	on := ada.publishes(t, "Fog")
	made := bob.post(t, comments, object{"event": on, "content": "Teh oars"}).is(201).shows(object{"edited_at": nil, "reply_to": nil})
	id := made.int("data.id")
	path := commentPath(id)
	ada.marksRead(t, ada.get(t, notifications).int("data.0.id"))
	s.minutesLater(func() { bob.patch(t, path, object{"content": "The oars"}).is(200) })
	want := object{"id": id, "content": "The oars", "user.uid": bob.id, "create_time": made.at("data.create_time"),
		"edited_at": instant.Timestamp(s.clock.Now()).String()}
	bob.patch(t, path, object{"content": "The oars"}).is(200).shows(want)
	ada.get(t, commentsOn(on)).is(200).shows(object{"0.content": "The oars", "0.edited_at": want["edited_at"], "0.reply_to": nil})
	ada.reads(t, on).shows(object{"comments.0.content": "The oars", "comments.0.edited_at": want["edited_at"], "comment_count": 1})
	assert.Zero(t, ada.get(t, notifications).int("unread_count"), "an edit makes no notification")
	assert.Equal(t, "The oars", ada.get(t, notifications).text("data.0.comment.content"))

	for _, wrong := range []any{"", " ", nil, strings.Repeat("x", 2001), 5} {
		bob.patch(t, path, object{"content": wrong}).invalid("content")
	}
	ada.patch(t, path, object{"content": "Mine"}).fails(403, "PERMISSION_DENIED")
	ada.patch(t, path, object{}).fails(403, "PERMISSION_DENIED")
	ada.patch(t, eventPath(on), object{"view_permission": 200}).is(200)
	bob.patch(t, path, object{"content": "x"}).fails(404, "RESOURCE_NOT_FOUND")
	ada.delete(t, path).is(204)
	ada.patch(t, path, object{"content": "x"}).fails(404, "RESOURCE_NOT_FOUND")
}

func commentReplies(t *testing.T, s *server) {
	ada, bob, eve := s.member(t), s.member(t), s.member(t)
	on, other := ada.publishes(t, "Fog"), ada.publishes(t, "Mist")
	first := bob.comments(t, on, "First")
	s.clock.advance(1)
	to := object{"id": first, "user": bob.id}
	reply := eve.replies(t, on, first, "Second").shows(object{"reply_to": to, "edited_at": nil}).int("data.id")
	ada.get(t, commentsOn(on)).is(200).shows(object{"0.reply_to": to, "1.reply_to": nil})
	ada.reads(t, on).shows(object{"comments.0.reply_to": to, "comments.1.reply_to": nil, "comment_count": 2})
	eve.patch(t, commentPath(reply), object{"content": "2nd"}).is(200).shows(object{"reply_to": to})

	for _, wrong := range []any{nil, 0, -1, 99999, math.MaxInt64, "x", 1.5} {
		eve.post(t, comments, object{"event": on, "content": "x", "reply_to": wrong}).invalid("reply_to")
	}
	eve.post(t, comments, object{"event": other, "content": "x", "reply_to": first}).invalid("reply_to")
	eve.blocks(t, bob)
	eve.post(t, comments, object{"event": on, "content": "x", "reply_to": first}).invalid("reply_to")
	staff := s.staff(t)
	staff.post(t, hidePath, object{"comment": first, "reason": "x"}).is(201)
	ada.post(t, comments, object{"event": on, "content": "x", "reply_to": first}).invalid("reply_to")
	bob.replies(t, on, first, "To my own, which I see")
	ada.get(t, commentsOn(on)).is(200).shows(object{"1.id": reply, "1.reply_to": nil})
	staff.post(t, restorePath, object{"comment": first, "reason": "x"}).is(201)
	ada.get(t, commentsOn(on)).is(200).shows(object{"1.id": reply, "1.reply_to": to})
	bob.delete(t, commentPath(first)).is(204)
	ada.get(t, commentsOn(on)).is(200).shows(object{"1.id": reply, "1.reply_to": nil})
}

func replyIsTold(t *testing.T, s *server) {
	ada, bob, eve := s.member(t), s.member(t), s.member(t)
	on := ada.publishes(t, "Fog")
	first, own := bob.comments(t, on, "First"), ada.comments(t, on, "Mine")
	bob.replies(t, on, first, "To myself")
	eve.replies(t, on, own, "To the author")
	assert.Equal(t, []string{"comment", "comment", "comment"}, ada.get(t, notifications).column("data", "kind"))
	assert.Empty(t, bob.get(t, notifications).list("data"))
	reply := eve.replies(t, on, first, "Second").int("data.id")
	told := bob.get(t, notifications).is(200).shows(object{
		"0.kind": "reply", "0.user.uid": eve.id, "0.event": object{"id": on, "title": "Fog"}, "0.is_read": false,
		"0.comment": object{"id": reply, "content": "Second"}, "0.subject": object{"kind": "comment", "id": reply},
	})
	assert.Equal(t, 1, told.int("unread_count"))
	staff := s.staff(t)
	for _, act := range []string{hidePath, restorePath} {
		staff.post(t, act, object{"comment": reply, "reason": "x"}).is(201)
		assert.Len(t, bob.get(t, notifications).list("data"), map[string]int{hidePath: 0, restorePath: 1}[act])
	}
	eve.delete(t, commentPath(reply)).is(204)
	assert.Empty(t, bob.get(t, notifications).list("data"))
	eve.replies(t, on, first, "Third")
	assert.Equal(t, 1, bob.get(t, notifications).int("unread_count"))
	bob.blocks(t, eve)
	assert.Empty(t, bob.get(t, notifications).list("data"))
	assert.Equal(t, 0, bob.get(t, profile).int("data.unread_count"))
}

func replyOutOfSight(t *testing.T, s *server) {
	ada, bob, eve := s.member(t), s.member(t), s.member(t)
	befriend(t, ada, bob)
	on := ada.publishes(t, "Fog")
	eve.replies(t, on, bob.comments(t, on, "First"), "Second")
	staff := s.staff(t)
	isTold := func(want bool, after string) {
		t.Helper()
		list := bob.get(t, notifications).is(200)
		assert.Equal(t, want, len(list.list("data")) == 2, after)
		assert.Equal(t, len(list.list("data")), list.int("unread_count"), after)
		assert.Equal(t, len(list.list("data")), bob.get(t, profile).int("data.unread_count"), after)
	}
	isTold(true, "the reply, and that ada follows")
	ada.patch(t, eventPath(on), object{"view_permission": 200}).is(200)
	isTold(false, "private")
	ada.patch(t, eventPath(on), object{"view_permission": 100}).is(200)
	isTold(true, "for contacts")
	bob.delete(t, subscriptionPath(bob.get(t, subscriptions).int("data.0.id"))).is(204)
	isTold(false, "no contact any more")
	ada.patch(t, eventPath(on), object{"view_permission": 0}).is(200)
	staff.post(t, hidePath, object{"event": on, "reason": "x"}).is(201)
	isTold(false, "hidden")
	staff.post(t, restorePath, object{"event": on, "reason": "x"}).is(201)
	isTold(true, "restored")
	ada.blocks(t, bob)
	assert.Empty(t, bob.get(t, notifications).list("data"))
	assert.Equal(t, 0, bob.get(t, profile).int("data.unread_count"))
}

func editedWhileReported(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	on := ada.publishes(t, "Fog")
	first := ada.comments(t, on, "First")
	id := bob.replies(t, on, first, "Rude").int("data.id")
	ada.post(t, reportPath, object{"comment": id, "reason": "abuse"}).is(201)
	staff.get(t, staffReports).is(200).shows(object{"0.changed": false, "0.subject_now.edited_at": nil, "0.subject_now.reply_to": first})
	bob.patch(t, commentPath(id), object{"content": "Kind"}).is(200)
	staff.get(t, staffReports).is(200).shows(object{"0.changed": true, "0.subject_then.content": "Rude", "0.subject_now.content": "Kind",
		"0.subject_now.edited_at": instant.Timestamp(s.clock.Now()).String(), "0.subject_now.reply_to": first})
}
