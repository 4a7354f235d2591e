package contract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var activityRows = []row{
	{"EVT-17 comments and likes are counted", activityIsCounted, everyStore},
	{"EVT-17 an event shows its newest ten comments", newestTenComments, everyStore},
	{"EVT-19 a comment has its fields", commentHasItsFields, oneStore},
	{"EVT-19 a comment says something of an event", commentIsChecked, oneStore},
	{"EVT-19 an unknown event is named with the other wrong fields", unknownEventWithOthers, oneStore},
	{"EVT-19 an event out of reach is like one that never was", eventOutOfReach, everyStore},
	{"EVT-19 its author or the event's removes a comment", whoRemovesComments, oneStore},
	{"EVT-19 what is out of reach is out of reach for its author too", ownCommentOutOfReach, everyStore},
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
		if i%3 > 0 { // those of one instant are told apart by their numbers
			s.clock.advance(time.Second)
		}
		bob.comments(t, id, words)
		said = append([]string{words}, said...)
	}
	got := ada.reads(t, id).shows(object{"comment_count": 12})
	assert.Equal(t, said[:10], got.column("data.comments", "content"))
	got.hasFields("data.comments.0", commentFields)
	got.hasFields("data.comments.0.user", infoFields)
	for _, list := range []string{events, eventsOf(ada), recent} {
		assert.Equal(t, said[:10], ada.get(t, list).is(200).column("data.0.comments", "content"), list)
	}
}

func commentHasItsFields(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	made := bob.post(t, comments, object{"event": fmt.Sprint(id), "content": " <b>Oh</b>\n"}).is(201)
	made.hasFields("data", commentFields)
	made.hasFields("data.user", infoFields)
	want := object{
		"content": " <b>Oh</b>\n", "create_time": "2026-11-20T12:00:00.000000Z",
		"user.uid": bob.id, "user.username": "Ada Berg", "user.is_online": true, "id": made.int("data.id"),
	}
	made.shows(want)
	for _, path := range []string{commentsOn(id), eventPath(id)} {
		list := ada.get(t, path).is(200)
		prefix := map[string]string{commentsOn(id): "0.", eventPath(id): "comments.0."}[path]
		list.hasFields("data."+prefix[:len(prefix)-1], commentFields)
		for field, value := range want {
			list.shows(object{prefix + field: value})
		}
	}
}

func commentIsChecked(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	ada.post(t, comments, object{}).invalid("event", "content")
	ada.post(t, comments, object{"event": id}).invalid("content")
	ada.post(t, comments, object{"content": "Oh"}).invalid("event")
	ada.post(t, comments, object{"event": nil, "content": nil}).invalid("event", "content")
	for _, blank := range []any{"", " \n\u00a0", "\u200b", 5, []any{}, "nul\x00"} {
		ada.post(t, comments, object{"event": id, "content": blank}).invalid("content")
	}
	for _, none := range []any{"x", "", true, 1.5, []any{id}} {
		ada.post(t, comments, object{"event": none, "content": "Oh"}).invalid("event")
	}
	for _, none := range []string{"", "?event=", "?event=x", "?event=0", "?event=-1", "?event=1.5"} {
		ada.get(t, comments+none).invalid("event")
	}
	ada.get(t, comments+"?event=x&page=0&page_size=x").invalid("event", "page", "page_size")
	ada.reads(t, id).shows(object{"comment_count": 0})
}

func unknownEventWithOthers(t *testing.T, s *server) {
	s.member(t).post(t, comments, object{"event": 99999, "content": ""}).invalid("event", "content")
}

func eventOutOfReach(t *testing.T, s *server) {
	ada, eve := s.member(t), s.member(t)
	comment := func(on int) answer {
		return eve.post(t, comments, object{"event": on, "content": "Oh"}).invalid("event")
	}
	list := func(of int) answer { return eve.get(t, commentsOn(of)).fails(404, "RESOURCE_NOT_FOUND") }
	never := 99999
	for _, hidden := range []int{
		ada.writes(t, object{"title": "x"}).int("data.id"),
		ada.publishes(t, "x", object{"view_permission": 100}),
		ada.publishes(t, "x", object{"view_permission": 200}),
	} {
		assert.JSONEq(t, string(comment(never).body), string(comment(hidden).body), "the same words")
		assert.JSONEq(t, string(list(never).body), string(list(hidden).body), "the same words")
		ada.reads(t, hidden).shows(object{"comment_count": 0})
		ada.comments(t, hidden, "to myself")
	}
	for _, none := range []int{0, -1} {
		comment(none)
	}
}

func whoRemovesComments(t *testing.T, s *server) {
	ada, bob, eve := s.member(t), s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	for _, remover := range []person{ada, bob} {
		comment := bob.comments(t, id, "Oh")
		eve.delete(t, commentPath(comment)).fails(403, "PERMISSION_DENIED")
		assert.Empty(t, remover.delete(t, commentPath(comment)).is(204).body)
		for _, p := range []person{ada, bob, eve} {
			p.delete(t, commentPath(comment)).fails(404, "RESOURCE_NOT_FOUND")
		}
	}
	mine := ada.comments(t, id, "mine")
	bob.delete(t, commentPath(mine)).fails(403, "PERMISSION_DENIED")
	for _, path := range []string{"99999/", "0/", "x/"} {
		ada.delete(t, comments+path).fails(404, "RESOURCE_NOT_FOUND")
	}
	ada.reads(t, id).shows(object{"comment_count": 1})
}

func ownCommentOutOfReach(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	comment := bob.comments(t, id, "Oh")
	bob.put(t, likePath(id)).is(204)
	ada.patch(t, eventPath(id), object{"view_permission": 200}).is(200)
	bob.delete(t, commentPath(comment)).fails(404, "RESOURCE_NOT_FOUND")
	bob.delete(t, likePath(id)).fails(404, "RESOURCE_NOT_FOUND")
	ada.reads(t, id).shows(object{"comment_count": 1, "like_count": 1})
	ada.patch(t, eventPath(id), object{"view_permission": 0}).is(200)
	bob.delete(t, commentPath(comment)).is(204)
}

func likesOfEvents(t *testing.T, s *server) {
	ada, bob, eve := s.member(t), s.member(t), s.member(t)
	befriend(t, ada, bob)
	eve.follows(t, ada)
	public, hidden, private := ada.publishes(t, "x"), ada.publishes(t, "y", object{"view_permission": 100}),
		ada.publishes(t, "z", object{"view_permission": 200})
	draft, gone := ada.writes(t, object{"title": "x"}).int("data.id"), ada.publishes(t, "x")
	bob.put(t, likePath(public)).is(204)
	bob.put(t, likePath(hidden)).is(204)
	ada.put(t, likePath(hidden)).is(204)
	ada.put(t, likePath(private)).is(204)
	ada.delete(t, eventPath(gone)).is(204)
	liked := func(event int, isLiked bool, count int) object {
		return object{"event": event, "is_liked": isLiked, "like_count": count}
	}
	asked := likesOf(hidden, gone, draft, public, hidden, 99999, private)
	for _, c := range []struct {
		who  person
		sees []object
	}{
		{ada, []object{liked(hidden, true, 2), liked(draft, false, 0), liked(public, false, 1), liked(private, true, 1)}},
		{bob, []object{liked(hidden, true, 2), liked(public, true, 1)}},
		{eve, []object{liked(public, false, 1)}},
	} {
		sameJSON(t, object{"data": c.sees}, c.who.get(t, asked).is(200).json())
	}
	bob.delete(t, likePath(public)).is(204)
	sameJSON(t, object{"data": []object{liked(public, false, 0)}}, bob.get(t, likesOf(public)).is(200).json())
	sameJSON(t, object{"data": []object{}}, eve.get(t, likesOf(hidden, private, draft)).is(200).json())
}

func likesAreAskedOf(t *testing.T, s *server) {
	ada := s.member(t)
	first, second := ada.publishes(t, "x"), ada.publishes(t, "y")
	for _, query := range []string{
		fmt.Sprintf("%d,%d", second, first), fmt.Sprintf("%d&event=%d", second, first),
		fmt.Sprintf(" %d, ,%d&event=%d&event=", second, first, second),
		fmt.Sprintf("00%d,%d,%d", second, second, first), fmt.Sprintf("99999999999999999999,%d,%d", second, first),
	} {
		list := ada.get(t, "/api/activity/like/?event="+strings.ReplaceAll(query, " ", "%20")).is(200)
		assert.Equal(t, words(second, first), list.column("data", "event"), query)
	}
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = first + i
	}
	assert.Len(t, ada.get(t, likesOf(append(hundred, first)...)).is(200).list("data"), 2, "one is named twice")
	ada.get(t, likesOf(append(hundred, 99999)...)).invalid("event")
	for _, none := range []string{"", "?event=", "?event=,", "?event=x", "?event=0", "?event=1,-1", "?event=1.5"} {
		ada.get(t, "/api/activity/like/"+none).invalid("event")
	}
}
