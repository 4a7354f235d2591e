package contract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
)

// TestGEN_14_quotas shows the quotas of an account, on servers that allow little.
func TestGEN_14_quotas(t *testing.T) {
	onEach(t, everyStore, func(t *testing.T, on store) {
		for name, show := range map[string]func(*testing.T, store){
			"GEN-14 drafts": draftQuota, "GEN-14 comments on an event": commentQuota, "GEN-14 bytes of pictures": pictureQuota,
			"GEN-14 follows": followQuota, "MOD-02 blocks": blockQuota,
		} {
			t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
				t.Parallel()
				show(t, on)
			})
		}
	})
}

// isFull asserts a refusal that tells the quota.
func (a answer) isFull(quota string) {
	a.t.Helper()
	assert.Contains(a.t, a.fails(409, "CONFLICT").text("data.detail"), quota)
}

func draftQuota(t *testing.T, on store) {
	s := on.startWith(t, func(c *settings.Config) { c.QuotaDrafts = 2 })
	ada, bob := s.member(t), s.member(t)
	draft := object{"title": "A draft"}
	first := ada.writes(t, draft).int("data.id")
	shown := ada.publishes(t, "Published at once")
	second := ada.writes(t, draft).int("data.id")
	ada.post(t, events, draft).isFull("2 drafts")
	ada.patch(t, eventPath(shown), object{"publish": false, "title": "Hidden"}).isFull("2 drafts")
	assert.Equal(t, "Published at once", ada.reads(t, shown).text("data.title"), "nothing is changed")
	assert.Equal(t, 3, ada.get(t, events).is(200).int("pagination.total_count"))
	bob.get(t, eventPath(shown)).is(200)

	ada.patch(t, eventPath(first), object{"title": "Still a draft", "publish": false}).is(200)
	ada.patch(t, eventPath(first), object{"publish": true}).is(200)
	ada.patch(t, eventPath(shown), object{"publish": false}).is(200)
	ada.post(t, events, draft).isFull("2 drafts")
	ada.delete(t, eventPath(second)).is(204)
	ada.writes(t, draft)
	ada.post(t, events, draft).isFull("2 drafts")
	bob.writes(t, draft)
}

func commentQuota(t *testing.T, on store) {
	s := on.startWith(t, func(c *settings.Config) { c.QuotaComments = 2 })
	ada, bob := s.member(t), s.member(t)
	lake, tea := ada.publishes(t, "A lake"), ada.publishes(t, "Tea")
	said := object{"event": lake, "content": "Well said"}
	first := bob.comments(t, lake, "One")
	bob.comments(t, lake, "Two")
	bob.post(t, comments, said).isFull("2 comments")
	bob.comments(t, tea, "Elsewhere")
	ada.comments(t, lake, "Thank you")
	assert.Equal(t, 3, ada.reads(t, lake).int("data.comment_count"))
	bob.delete(t, commentPath(first)).is(204)
	bob.comments(t, lake, "Three")
	bob.post(t, comments, said).isFull("2 comments")
	bob.post(t, comments, object{"event": 4711, "content": "Well said"}).invalid("event")
	ada.patch(t, eventPath(lake), object{"view_permission": 200}).is(200)
	bob.post(t, comments, said).invalid("event")
}

func followQuota(t *testing.T, on store) {
	s := on.startWith(t, func(c *settings.Config) { c.QuotaFollows = 2 })
	s.shelve(t, 7, "Walks")
	s.shelve(t, 8, "Tea")
	ada, bob, cleo := s.member(t), s.member(t), s.member(t)
	first := ada.follows(t, bob)
	ada.followsCategory(t, 7)
	for _, more := range []object{{"followed_user": cleo.id}, {"followed_category": 8}} {
		ada.post(t, subscriptions, more).isFull("2 people and categories")
	}
	ada.post(t, subscriptions, object{"followed_user": 99999}).invalid("followed_user")
	assert.Equal(t, first, ada.post(t, subscriptions, object{"followed_user": bob.id}).is(200).int("data.id"), "it is no further one")
	assert.Equal(t, 2, ada.get(t, subscriptions).is(200).int("pagination.total_count"))
	cleo.follows(t, ada)
	bob.follows(t, ada)
	ada.delete(t, subscriptionPath(first)).is(204)
	ada.follows(t, cleo)
	ada.post(t, subscriptions, object{"followed_user": bob.id}).isFull("2 people and categories")
}

// sizeOf returns how many bytes the picture at the address takes.
func (s *server) sizeOf(t *testing.T, address string) int {
	t.Helper()
	return len(s.anyone().fetches(t, address).is(200).body)
}

// files returns how many files of pictures are stored. An uploaded picture has one, and one for each of its sizes.
func (s *server) files(t *testing.T) (n int) {
	t.Helper()
	for _, err := range s.app.Stores.Media.All(t.Context()) {
		require.NoError(t, err)
		n++
	}
	return n
}

func pictureQuota(t *testing.T, on store) {
	// A picture and an avatar, which is stored in one size, take as much: they show the same.
	unlimited := on.start(t)
	size := unlimited.sizeOf(t, unlimited.member(t).post(t, images, object{"img": aPNG(t)}).is(201).text("data.img"))
	s := on.startWith(t, func(c *settings.Config) { c.QuotaPictures = settings.ByteQuota(4*size + 1) })
	ada, bob := s.member(t), s.member(t)
	event := ada.publishes(t, "A lake")
	image := ada.keeps(t)
	plate := ada.attaches(t, event).int("data.id")
	ada.send(t, "PUT", avatars, object{"avatar": aPNG(t)}).is(200)
	ada.send(t, "PUT", avatars, object{"avatar": aPNG(t)}).is(200)
	ada.attaches(t, event)
	stored := s.files(t)
	assert.Equal(t, 3*3+1, stored, "a replaced avatar is removed; it has one file")

	// One byte is left, so that all of these are decoded.
	full := func() {
		t.Helper()
		ada.post(t, images, object{"img": aPNG(t), "tags": []string{"lake"}}).isFull(" bytes")
		ada.sends(t, images, form{field: "img", file: aPNG(t)}).isFull(" bytes")
		ada.post(t, plates, object{"event": event, "photo": aPNG(t)}).isFull(" bytes")
	}
	full()
	ada.post(t, images, object{"img": []byte("no picture")}).invalid("img")
	ada.send(t, "PUT", avatars, object{"avatar": aPNG(t)}).is(200)
	assert.Equal(t, stored, s.files(t), "the files of refused pictures are removed")
	assert.Len(t, s.anyone().get(t, imagesOf(ada)).is(200).list("data"), 1)
	assert.Len(t, ada.reads(t, event).list("data.plates"), 2)
	bob.keeps(t)

	for _, delete := range []struct {
		path string
		room int
	}{{imagePath(image), 1}, {platePath(plate), 1}, {eventPath(event), 1}} {
		ada.delete(t, delete.path).is(204)
		for range delete.room {
			ada.keeps(t)
		}
		ada.post(t, images, object{"img": aPNG(t)}).isFull(" bytes")
	}
	assert.Equal(t, stored+3, s.files(t), "four pictures of hers, one of another person")
}
