package contract

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
)

var subscriptionRows = []row{
	{"SUB-02 SUB-05 subscriptions are filtered, also by whom one follows", subscriptionFilters, everyStore},
	{"SUB-04 following again returns the standing subscription", followingAgain, everyStore},
	{"SUB-04 exactly one of user and category is followed, which is there and not the caller", whatIsFollowed, oneStore},
	{"SUB-05 followers are listed newest first, contacts marked", ownFollowers, everyStore},
	{"MOD-02 blocks are stored once, listed newest first, and ended", blocksListed, everyStore},
	{"MOD-02 a block hides events and comments in both directions, and counts stay", blockHides, everyStore},
	{"MOD-02 a block ends following and what the two were told, and keeps both from it", blockParts, everyStore},
	{"MOD-02 a request that is repeated behind a block shows nothing of what it made", blockRepeated, oneStore},
	{"MOD-02 publications demands and money are untouched", blockSpares, oneStore},
}

func (p person) followsCategory(t *testing.T, id int) int {
	t.Helper()
	return p.post(t, subscriptions, object{"followed_category": id}).is(201).int("data.id")
}

// words writes numbers down.
func words(numbers ...int) []string {
	all := []string{}
	for _, n := range numbers {
		all = append(all, fmt.Sprint(n))
	}
	return all
}

func subscriptionFilters(t *testing.T, s *server) {
	s.shelve(t, 7, "Walks")
	ada, bob := s.member(t), s.member(t)
	bob.follows(t, ada)
	user, category := ada.follows(t, bob), ada.followsCategory(t, 7)
	for query, want := range map[string][]int{
		"?entity_type=&subscription_type=":                    {category, user},
		"?entity_type=100&subscription_type=follow_user":      {user},
		"?entity_type=100&subscription_type=follow_category":  {},
		"?subscription_type=follow_category":                  {category},
		"?entity_type=200&uid_only=1":                         {category},
		fmt.Sprint("?followed_user=", bob.id):                 {user},
		fmt.Sprint("?entity_type=200&followed_user=", bob.id): {}, fmt.Sprint("?followed_user=", ada.id): {},
		"?followed_user=99999999999999999999": {},
	} {
		list := ada.get(t, subscriptions+query).is(200)
		assert.Equal(t, words(want...), list.column("data", "id"), query)
		assert.Equal(t, len(want), list.int("pagination.total_count"), query)
	}
	for _, none := range []string{"0", "x", "1,2"} {
		ada.get(t, subscriptions+"?followed_user="+none).invalid("followed_user")
	}
	for _, other := range []string{"300", "-100", "user", "100,200"} {
		ada.get(t, subscriptions+"?entity_type="+other).invalid("entity_type")
	}
	ada.get(t, subscriptions+"?uid_only=1&uid_only=2").invalid("uid_only")
	ada.get(t, subscriptions+"?entity_type=x&subscription_type=FOLLOW_USER&page=x").invalid("entity_type", "subscription_type", "page")
}

func followingAgain(t *testing.T, s *server) {
	s.shelve(t, 7, "Walks")
	ada, bob, cleo := s.member(t), s.member(t), s.member(t)
	for _, body := range []object{{"followed_user": bob.id}, {"followed_category": 7}} {
		standing := ada.post(t, subscriptions, body).is(201)
		s.minutesLater(func() {
			assert.JSONEq(t, string(standing.body), string(ada.post(t, subscriptions, body).is(200).body))
			cleo.post(t, subscriptions, body).is(201)
		})
		ada.delete(t, subscriptionPath(standing.int("data.id"))).is(204)
		ada.post(t, subscriptions, body).is(201)
	}
	statuses := statusesAtOnce(16, func(int) answer { return bob.post(t, subscriptions, object{"followed_user": cleo.id}) })
	assert.Equal(t, map[int]int{200: 15, 201: 1}, statuses)
	assert.Equal(t, 1, bob.get(t, subscriptions).is(200).int("pagination.total_count"))
}

func whatIsFollowed(t *testing.T, s *server) {
	s.shelve(t, 7, "Walks")
	ada, bob := s.member(t), s.member(t)
	for _, body := range []object{
		{}, {"followed_user": bob.id, "followed_category": 7}, {"followed_user": nil}, {"followed_user": nil, "followed_category": nil},
	} {
		refused := ada.post(t, subscriptions, body).is(400)
		for field := range refused.at("data").(object) {
			assert.Contains(t, []string{"followed_user", "followed_category", "non_field_errors"}, field)
		}
	}
	ada.post(t, subscriptions, object{"followed_user": ada.id}).invalid("followed_user")
	for _, id := range []int{99999, 0, -1} {
		ada.post(t, subscriptions, object{"followed_user": id}).invalid("followed_user")
		ada.post(t, subscriptions, object{"followed_category": id}).invalid("followed_category")
	}
	assert.Empty(t, ada.get(t, subscriptions).is(200).list("data"))
}

const followers = "/api/subscription/follower/"

func ownFollowers(t *testing.T, s *server) {
	ada, bob, cleo, eve := s.member(t), s.member(t), s.member(t), s.member(t)
	assert.Empty(t, ada.get(t, followers).is(200).list("data"))
	first, second := bob.follows(t, ada), cleo.follows(t, ada) // at one instant
	var third int
	s.minutesLater(func() { third = eve.follows(t, ada) })
	ada.follows(t, cleo)
	bob.follows(t, cleo)

	list := ada.get(t, followers).is(200)
	assert.Equal(t, words(third, second, first), list.column("data", "id"))
	assert.Equal(t, words(int(eve.id), int(cleo.id), int(bob.id)), list.column("data", "user.uid"))
	assert.Equal(t, []string{"false", "true", "false"}, list.column("data", "is_contact"))
	list.shows(object{"0.created_at": "2026-11-20T12:01:00.000000Z", "1.created_at": "2026-11-20T12:00:00.000000Z"})
	assert.Equal(t, words(first), ada.get(t, followers+"?page=2&page_size=2").is(200).column("data", "id"))

	cleo.delete(t, subscriptionPath(second)).is(204)
	assert.Equal(t, words(third, first), ada.get(t, followers).is(200).column("data", "id"))
	assert.Equal(t, []string{"false", "false"}, cleo.get(t, followers).is(200).column("data", "is_contact"), "both must follow")
}

const blocks = "/api/user/block/"

func blockPath(p person) string { return fmt.Sprintf("%s%d/", blocks, p.id) }

func (p person) blocks(t *testing.T, whom person) {
	t.Helper()
	assert.Empty(t, p.put(t, blockPath(whom)).is(204).body)
}

func blocksListed(t *testing.T, s *server) {
	ada, bob, cleo, eve := s.member(t), s.member(t), s.member(t), s.member(t)
	ada.blocks(t, bob)
	s.minutesLater(func() { ada.blocks(t, cleo) })
	s.minutesLater(func() { ada.blocks(t, bob) }) // again
	eve.blocks(t, ada)
	list := ada.get(t, blocks).is(200)
	assert.Equal(t, words(int(cleo.id), int(bob.id)), list.column("data", "uid"))
	assert.Equal(t, words(int(bob.id)), ada.get(t, blocks+"?page=2&page_size=1").is(200).column("data", "uid"))
	assert.Empty(t, bob.get(t, blocks).is(200).list("data"), "who is blocked is not told")

	for range 2 {
		assert.Empty(t, ada.delete(t, blockPath(bob)).is(204).body)
	}
	assert.Equal(t, 1, ada.get(t, blocks).is(200).int("pagination.total_count"))
	ada.put(t, blockPath(ada)).invalid("non_field_errors")
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
	bob.blocks(t, ada)
	for _, c := range []struct {
		who, other  person
		own, others int
	}{{ada, bob, adas, bobs}, {bob, ada, bobs, adas}} {
		c.who.get(t, eventPath(c.others)).fails(404, "RESOURCE_NOT_FOUND")
		assert.Equal(t, []string{"A third one's"}, c.who.reads(t, c.own).column("data.the_moment", "title"))
		none := c.who.get(t, eventsOf(c.other)).is(200)
		assert.Empty(t, none.list("data"))
		assert.Zero(t, none.int("pagination.total_count"))
		assert.Equal(t, words(thirds), c.who.get(t, likesOf(c.others, thirds)).is(200).column("data", "event"))
		c.who.post(t, comments, object{"event": c.others, "content": "Oh"}).invalid("event")

		said := []string{fmt.Sprint("by ", third.id), fmt.Sprint("by ", c.who.id)}
		list := c.who.get(t, commentsOn(thirds)).is(200)
		assert.Equal(t, said, list.column("data", "content"))
		assert.Equal(t, 2, list.int("pagination.total_count"))
		shown := c.who.reads(t, thirds).shows(object{"comment_count": 3, "like_count": 3})
		assert.Equal(t, said, shown.column("data.comments", "content"))
		assert.ElementsMatch(t, words(int(c.who.id), int(third.id)), c.who.finds(t, "ada").is(200).column("data", "uid"))
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
	adas := ada.publishes(t, "Ada's", object{"view_permission": 100})
	for _, p := range []person{bob, third} {
		p.comments(t, adas, "Hm")
		p.put(t, likePath(adas)).is(204)
	}
	ada.blocks(t, bob)
	assert.Equal(t, words(int(third.id), int(third.id), int(third.id)), ada.get(t, notifications).is(200).column("data", "user.uid"))
	assert.Equal(t, 3, ada.get(t, profile).int("data.unread_count"))
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
