package contract

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/bootstrap/settings"
)

const blocks = "/api/user/block/"

var blockRows = []row{
	{"MOD-02 blocks are stored once, listed newest first, and ended", blocksListed, everyStore},
	{"MOD-02 a block hides events and comments in both directions, and counts stay", blockHides, everyStore},
	{"MOD-02 a block ends following and what the two were told, and keeps both from it", blockParts, everyStore},
	{"MOD-02 a request that is repeated behind a block shows nothing of what it made", blockRepeated, oneStore},
	{"MOD-02 publications demands and money are untouched", blockSpares, oneStore},
}

func blockPath(p person) string { return fmt.Sprintf("%s%d/", blocks, p.id) }

// blocks makes the person block another.
func (p person) blocks(t *testing.T, whom person) {
	t.Helper()
	assert.Empty(t, p.put(t, blockPath(whom)).is(204).body)
}

func blocksListed(t *testing.T, s *server) {
	ada, bob, cleo, eve := s.member(t), s.member(t), s.member(t), s.member(t)
	assert.Empty(t, ada.get(t, blocks).is(200).list("data"))
	ada.blocks(t, bob)
	s.minutesLater(func() { ada.blocks(t, cleo) })
	s.minutesLater(func() { ada.blocks(t, bob) }) // again
	eve.blocks(t, ada)
	list := ada.get(t, blocks).is(200)
	assert.Equal(t, words(int(cleo.id), int(bob.id)), list.column("data", "uid"))
	list.hasFields("data.0", infoFields)
	page := ada.get(t, blocks+"?page=2&page_size=1").is(200)
	assert.Equal(t, words(int(bob.id)), page.column("data", "uid"))
	assert.Equal(t, 2, page.int("pagination.total_count"))
	ada.get(t, blocks+"?page=3&page_size=1").fails(404, "RESOURCE_NOT_FOUND")
	ada.get(t, blocks+"?page=0").invalid("page")
	assert.Empty(t, bob.get(t, blocks).is(200).list("data"), "who is blocked is not told")

	for range 2 {
		assert.Empty(t, ada.delete(t, blockPath(bob)).is(204).body)
	}
	assert.Equal(t, 1, ada.get(t, blocks).is(200).int("pagination.total_count"))
	ada.put(t, blockPath(ada)).invalid("non_field_errors")
	for _, id := range []string{"99999", "0", "x", "99999999999999999999"} {
		ada.put(t, blocks+id+"/").fails(404, "RESOURCE_NOT_FOUND")
	}
	unknown := ada.get(t, events+"99999/view-list/").fails(404, "RESOURCE_NOT_FOUND")
	assert.JSONEq(t, string(unknown.body), string(ada.put(t, blocks+"99999/").body))
}

// blockHides looks as everyone of a pair, and as one whom the block does not concern.
func blockHides(t *testing.T, s *server) {
	ada, bob, third := s.called(t, "Ada", "One"), s.called(t, "Ada", "Two"), s.called(t, "Ada", "Three")
	day := object{"event_time": "2026-11-18"}
	adas, bobs, thirds := ada.publishes(t, "Ada's", day), bob.publishes(t, "Bob's", day), third.publishes(t, "A third one's", day)
	for _, p := range []person{ada, bob, third} {
		p.comments(t, thirds, fmt.Sprint("by ", p.id))
		p.put(t, likePath(thirds)).is(204)
	}
	assert.Equal(t, []string{"A third one's", "Bob's"}, ada.reads(t, adas).column("data.the_moment", "title"))
	bob.blocks(t, ada)
	for _, c := range []struct {
		who, other  person
		own, others int
	}{{ada, bob, adas, bobs}, {bob, ada, bobs, adas}} {
		c.who.unseen(t, c.others)
		assert.Equal(t, []string{"A third one's"}, c.who.reads(t, c.own).column("data.the_moment", "title"))
		assert.Equal(t, []string{"A third one's"}, c.who.get(t, events).is(200).column("data.0.the_moment", "title"))
		none := c.who.get(t, eventsOf(c.other)).is(200)
		assert.Empty(t, none.list("data"))
		assert.Zero(t, none.int("pagination.total_count"))
		assert.Equal(t, words(thirds), c.who.get(t, likesOf(c.others, thirds)).is(200).column("data", "event"))
		c.who.get(t, likePath(c.others)).fails(404, "RESOURCE_NOT_FOUND")
		c.who.post(t, comments, object{"event": c.others, "content": "Oh"}).invalid("event")

		said := []string{fmt.Sprint("by ", third.id), fmt.Sprint("by ", c.who.id)}
		list := c.who.get(t, commentsOn(thirds)).is(200)
		assert.Equal(t, said, list.column("data", "content"))
		assert.Equal(t, 2, list.int("pagination.total_count"))
		c.who.get(t, commentsOn(thirds)+"&page=3&page_size=1").fails(404, "RESOURCE_NOT_FOUND")
		shown := c.who.reads(t, thirds)
		assert.Equal(t, said, shown.column("data.comments", "content"))
		assert.Equal(t, 3, shown.int("data.comment_count"))
		assert.Equal(t, 3, shown.int("data.like_count"))
		assert.Equal(t, said, c.who.get(t, eventsOf(third)).is(200).column("data.0.comments", "content"))
		found := c.who.finds(t, "ada").is(200).column("data", "uid")
		slices.Sort(found)
		assert.Equal(t, words(int(c.who.id), int(third.id)), found)
	}
	assert.Len(t, third.reads(t, thirds).list("data.comments"), 3)
	assert.Equal(t, []string{"Bob's", "Ada's"}, third.reads(t, thirds).column("data.the_moment", "title"))
	bob.delete(t, blockPath(ada)).is(204)
	ada.reads(t, bobs)
	assert.Equal(t, 3, ada.get(t, commentsOn(thirds)).is(200).int("pagination.total_count"))
}

func blockParts(t *testing.T, s *server) {
	ada, bob, third := s.member(t), s.member(t), s.member(t)
	befriend(t, ada, bob)
	befriend(t, ada, third)
	adas, bobs := ada.publishes(t, "Ada's", object{"view_permission": 100}), bob.publishes(t, "Bob's")
	for _, p := range []person{bob, third} {
		p.comments(t, adas, "Hm")
		p.put(t, likePath(adas)).is(204)
	}
	ada.comments(t, bobs, "Hm")
	assert.Equal(t, 6, ada.get(t, notifications).int("unread_count"))
	ada.blocks(t, bob)
	assert.Equal(t, words(int(third.id), int(third.id), int(third.id)), ada.get(t, notifications).is(200).column("data", "user.uid"))
	assert.Equal(t, 3, ada.get(t, profile).int("data.unread_count"))
	assert.Empty(t, bob.get(t, notifications).is(200).list("data"))
	assert.Zero(t, bob.get(t, notifications).int("unread_count"))
	for _, c := range [][2]person{{ada, bob}, {bob, ada}} {
		assert.Empty(t, c[0].get(t, timeline).is(200).titles())
		assert.NotContains(t, c[0].get(t, subscriptions).is(200).column("data", "followed_user.uid"), fmt.Sprint(c[1].id))
		assert.NotContains(t, c[0].get(t, followers).is(200).column("data", "user.uid"), fmt.Sprint(c[1].id))
		unknown := c[0].post(t, subscriptions, object{"followed_user": 99999}).invalid("followed_user")
		assert.JSONEq(t, string(unknown.body), string(c[0].post(t, subscriptions, object{"followed_user": c[1].id}).body))
	}
	bob.blocks(t, ada)
	ada.delete(t, blockPath(bob)).is(204)
	ada.post(t, subscriptions, object{"followed_user": bob.id}).invalid("followed_user")
	bob.delete(t, blockPath(ada)).is(204)
	ada.follows(t, bob)
	assert.Equal(t, []string{"follow"}, bob.get(t, notifications).is(200).column("data", "kind"), "nothing comes back")
	ada.blocks(t, bob)
	assert.NotContains(t, bob.export(t)["blocks.json"], fmt.Sprint(ada.id))
	assert.Contains(t, ada.export(t)["blocks.json"], fmt.Sprint(bob.id))
}

func blockRepeated(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	bob.saying("Idempotency-Key", "one").post(t, comments, object{"event": id, "content": "Oh"}).is(201)
	bob.saying("Idempotency-Key", "two").post(t, subscriptions, object{"followed_user": ada.id}).is(201)
	ada.blocks(t, bob)
	for key, body := range map[string]object{"one": {"event": id, "content": "Oh"}, "two": {"followed_user": ada.id}} {
		path := map[string]string{"one": comments, "two": subscriptions}[key]
		bob.saying("Idempotency-Key", key).post(t, path, body).fails(409, "CONFLICT")
	}
}

func blockSpares(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	s.storesItem(t, ada, 4711, 0)
	paths := []string{cardOf("publication", 4711), cardOf("demand", 4711), itemsOf("uncategory"), categories, categories + "?type=xfile",
		imagesOf(ada)}
	ada.publishes(t, "counted")
	before := map[string]answer{}
	for _, path := range paths {
		before[path] = bob.get(t, path).is(200)
	}
	ada.blocks(t, bob)
	for _, path := range paths {
		sameAnswer(t, before[path], bob.get(t, path), path)
	}
}

func blockQuota(t *testing.T, on store) {
	s := on.startWith(t, func(c *settings.Config) { c.QuotaFollows = 1 })
	ada, bob, cleo := s.member(t), s.member(t), s.member(t)
	ada.follows(t, cleo)
	ada.blocks(t, bob)
	ada.blocks(t, bob)
	ada.put(t, blockPath(cleo)).isFull("1 people")
	ada.delete(t, blockPath(bob)).is(204)
	ada.blocks(t, cleo)
}
