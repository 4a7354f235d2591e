package contract

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
	"plaza/domain/idempotency"
	"plaza/test/pictures"
)

var keyRows = []row{
	{"GEN-13 a request that is repeated with its key makes one thing", repeatedOnce, everyStore},
	{"GEN-13 the answer to a repeated request is the thing as it is now", repeatedAsItIs, everyStore},
	{"GEN-13 what is gone or out of sight is 409", repeatedGone, everyStore},
	{"GEN-13 another body or operation with the key is 409", keyReused, oneStore},
	{"GEN-13 what is wrong is told as without a key", wrongWithKey, oneStore},
	{"GEN-13 the body of an upload may come in another form", uploadForms, oneStore},
	{"GEN-13 a created event has a Location", createdLocation, oneStore},
	{"EVT-22 a like is read by whoever sees the event", likeIsRead, everyStore},
}

// keyedPost is a request that creates something, and how many things it has created.
type keyedPost struct {
	path        string
	body, other object
	count       func(t *testing.T) int
}

// keyedPosts are the requests that take a key, by one person with an event.
func keyedPosts(t *testing.T, s *server, ada person) map[string]keyedPost {
	t.Helper()
	id := ada.publishes(t, "x")
	lists := func(path string) func(t *testing.T) int {
		return func(t *testing.T) int { return len(ada.get(t, path).is(200).list("data")) }
	}
	return map[string]keyedPost{
		"event": {path: events, body: object{"title": "y"}, other: object{"title": "z"}, count: lists(events)},
		"comment": {path: comments, body: object{"event": id, "content": "Oh"}, other: object{"event": id, "content": "No"},
			count: lists(commentsOn(id))},
		"subscription": {path: subscriptions, body: object{"followed_user": s.member(t).id}, other: object{"followed_user": s.member(t).id},
			count: lists(subscriptions)},
		"image": {path: images, body: object{"img": aPNG(t), "tags": []string{"a"}}, other: object{"img": aPNG(t)},
			count: lists(imagesOf(ada))},
		"plate": {path: plates, body: object{"event": id, "photo": aPNG(t)}, other: object{"event": id, "photo": dot},
			count: func(t *testing.T) int {
				return len(ada.reads(t, id).list("data.plates"))
			}},
	}
}

func repeatedOnce(t *testing.T, s *server) {
	ada := s.member(t)
	for name, p := range keyedPosts(t, s, ada) {
		before := p.count(t)
		keyed := ada.saying(keyHeader, name)
		first := keyed.post(t, p.path, p.body).is(201)
		for range 2 {
			again := keyed.post(t, p.path, p.body).is(201)
			sameJSON(t, first.at("data.id"), again.at("data.id"))
			assert.Equal(t, first.header.Get("Location"), again.header.Get("Location"))
		}
		assert.Equal(t, before+1, p.count(t), name)
		ada.saying(keyHeader, name+" 2").post(t, p.path, p.other).is(201)
		assert.Equal(t, before+2, p.count(t), name)
	}
	p := keyedPosts(t, s, ada)["comment"]
	keyed := ada.saying(keyHeader, "daily")
	keyed.post(t, p.path, p.body).is(201)
	s.clock.advance(idempotency.KeyLife - time.Second)
	keyed.post(t, p.path, p.body).is(201)
	assert.Equal(t, 1, p.count(t))
	s.clock.advance(time.Second)
	keyed.post(t, p.path, p.body).is(201)
	assert.Equal(t, 2, p.count(t), "the key is forgotten after a day")
	bob := s.member(t)
	bob.saying(keyHeader, "daily").post(t, p.path, p.body).is(201)
	assert.Equal(t, 3, p.count(t), "the keys of accounts are apart")
}

func repeatedAsItIs(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	keyed := ada.saying(keyHeader, "one")
	body := object{"title": "A lake", "publish": true}
	id := keyed.post(t, events, body).is(201).int("data.id")
	s.clock.advance(time.Minute)
	ada.patch(t, eventPath(id), object{"title": "Two lakes"}).is(200)
	bob.comments(t, id, "Oh")
	again := keyed.post(t, events, body).is(201).shows(object{"id": id, "title": "Two lakes", "comment_count": 1})
	sameJSON(t, ada.reads(t, id).json(), again.json())

	keyed = ada.saying(keyHeader, "two")
	image := object{"img": aPNG(t), "tags": []string{"a"}}
	kept := keyed.post(t, images, image).is(201).int("data.id")
	ada.patch(t, imagePath(kept), object{"tags": []string{"b"}}).is(200)
	keyed.post(t, images, image).is(201).shows(object{"id": kept, "tags": []string{"b"}})
}

func repeatedGone(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	gone := func(a answer) {
		t.Helper()
		a.fails(409, "CONFLICT")
		assert.Empty(t, a.header.Get("Retry-After"))
		assert.Contains(t, a.text("data.detail"), "no longer available")
	}
	posts := keyedPosts(t, s, ada)
	for name, path := range map[string]func(int) string{
		"event": eventPath, "comment": commentPath, "subscription": subscriptionPath, "image": imagePath, "plate": platePath,
	} {
		p := posts[name]
		before := p.count(t)
		keyed := ada.saying(keyHeader, name)
		id := keyed.post(t, p.path, p.body).is(201).int("data.id")
		ada.delete(t, path(id)).is(204)
		gone(keyed.post(t, p.path, p.body))
		assert.Equal(t, before, p.count(t), name)
	}
	id := ada.publishes(t, "x")
	keyed, body := bob.saying(keyHeader, "one"), object{"event": id, "content": "Oh"}
	said := keyed.post(t, comments, body).is(201).int("data.id")
	ada.patch(t, eventPath(id), object{"view_permission": 200}).is(200)
	gone(keyed.post(t, comments, body))
	ada.patch(t, eventPath(id), object{"view_permission": 0}).is(200)
	assert.Equal(t, said, keyed.post(t, comments, body).is(201).int("data.id"))
	ada.attaches(t, id)
	plated, plate := ada.saying(keyHeader, "two"), object{"event": id, "photo": aPNG(t)}
	plated.post(t, plates, plate).is(201)
	ada.delete(t, eventPath(id)).is(204)
	gone(keyed.post(t, comments, body))
	gone(plated.post(t, plates, plate))
}

func keyReused(t *testing.T, s *server) {
	ada := s.member(t)
	posts := keyedPosts(t, s, ada)
	for name, p := range posts {
		keyed := ada.saying(keyHeader, name)
		keyed.post(t, p.path, p.body).is(201)
		keyed.post(t, p.path, p.other).fails(409, "CONFLICT")
		for _, other := range posts {
			if other.path != p.path {
				keyed.post(t, other.path, other.body).fails(409, "CONFLICT")
			}
		}
	}
	larger := object{"img": pictures.Plain(t, 31, 20), "tags": []string{"a"}}
	ada.saying(keyHeader, "image").post(t, images, larger).fails(409, "CONFLICT")
}

func wrongWithKey(t *testing.T, s *server) {
	ada := s.member(t)
	wrong := map[string][]string{
		events: {"title"}, comments: {"event", "content"}, plates: {"event", "photo"}, images: {"img"}, subscriptions: {"followed_user"},
	}
	for _, p := range keyedPosts(t, s, ada) {
		body := object{"title": 5}
		keyed := ada.saying(keyHeader, p.path)
		keyed.post(t, p.path, body).invalid(wrong[p.path]...)
		keyed.post(t, p.path, "[]").invalid("non_field_errors")
		keyed.post(t, p.path, p.body).is(201) // the key was not used
		before := p.count(t)
		two := ada.saying(keyHeader, "one")
		two.header[keyHeader] = []string{"one", "two"}
		for _, c := range []*client{ada.saying(keyHeader, ""), ada.saying(keyHeader, " "), ada.saying(keyHeader, strings.Repeat("k", 256)), two} {
			c.post(t, p.path, p.other).invalid(keyHeader)
		}
		assert.Equal(t, before, p.count(t))
		ada.saying(keyHeader, strings.Repeat("k", 255-len(p.path))+p.path).post(t, p.path, p.other).is(201)
	}
}

func uploadForms(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	keyed := ada.saying(keyHeader, "one")
	made := keyed.sends(t, plates, form{[][2]string{{"event", fmt.Sprint(id)}}, "photo", aPNG(t)}).is(201).int("data.id")
	assert.Equal(t, made, keyed.post(t, plates, object{"event": id, "photo": aPNG(t)}).is(201).int("data.id"))
	assert.Equal(t, made, keyed.post(t, plates, object{"event": id, "photo": inBase64("data:image/png;base64,",
		aPNG(t))}).is(201).int("data.id"))
	assert.Len(t, ada.reads(t, id).list("data.plates"), 1)
}

func createdLocation(t *testing.T, s *server) {
	ada := s.member(t)
	made := ada.writes(t, object{"title": "A lake"})
	path := made.header.Get("Location")
	assert.Equal(t, eventPath(made.int("data.id")), path)
	sameJSON(t, made.json(), ada.get(t, path).is(200).json())
	for name, p := range keyedPosts(t, s, ada) {
		a := ada.post(t, p.path, p.body).is(201)
		assert.Equal(t, name == "event", a.header.Get("Location") != "", name)
	}
	require.Empty(t, ada.reads(t, made.int("data.id")).header.Get("Location"))

	s = s.on.startWith(t, func(c *settings.Config) { c.PublicURL = "https://social.example/plaza" })
	ada = s.member(t)
	made = ada.writes(t, object{"title": "A lake"})
	assert.Equal(t, "/plaza"+eventPath(made.int("data.id")), made.header.Get("Location"), "behind a proxy with a path")
	assert.Equal(t, "/plaza"+profile, ada.send(t, http.MethodGet, strings.TrimSuffix(profile, "/"), nil).is(301).header.Get("Location"))
}

func likeIsRead(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	reads := func(p person, liked bool, count int) {
		t.Helper()
		sameJSON(t, object{"data": object{"liked": liked, "is_liked": liked, "like_count": count}}, p.get(t, likePath(id)).is(200).json())
	}
	reads(bob, false, 0)
	bob.put(t, likePath(id)).is(204)
	reads(bob, true, 1)
	reads(ada, false, 1)
	ada.put(t, likePath(id)).is(204)
	bob.delete(t, likePath(id)).is(204)
	reads(bob, false, 1)
	reads(ada, true, 1)
}
