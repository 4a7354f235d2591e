package contract

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

var subscriptionRows = []row{
	{"SUB-01 the caller's subscriptions newest first", ownSubscriptions, everyStore},
	{"SUB-02 subscriptions are filtered", subscriptionFilters, everyStore},
	{"SUB-03 a subscription has the interface's fields", subscriptionHasItsFields, oneStore},
	{"SUB-03 uid_only shows ids alone", idsAlone, oneStore},
	{"SUB-04 following again returns the standing subscription", followingAgain, everyStore},
	{"SUB-04 exactly one of user and category is followed", exactlyOneIsFollowed, oneStore},
	{"SUB-04 nobody follows themselves or what is not there", followedIsThere, oneStore},
	{"SUB-04 only one's own subscription is ended", endingSubscriptions, oneStore},
	{"SUB-05 followers are listed newest first, contacts marked", ownFollowers, everyStore},
	{"SUB-05 whether one follows a person is asked by their uid", followedFilter, everyStore},
}

var subscriptionFields = []string{
	"id", "user", "followed_user", "followed_category", "subscription_type", "created_at", "updated_at", "entity_type",
}

// followsCategory makes the person follow a category and returns the
// subscription's number.
func (p person) followsCategory(t *testing.T, id int) int {
	t.Helper()
	return p.post(t, subscriptions, object{"followed_category": id}).is(201).int("data.id")
}

func ownSubscriptions(t *testing.T, s *server) {
	s.shelve(t, 7, "Walks")
	ada, bob, cleo := s.member(t), s.member(t), s.member(t)
	assert.Empty(t, ada.get(t, subscriptions).is(200).list("data"))
	bob.follows(t, ada)
	first, second := ada.follows(t, bob), ada.followsCategory(t, 7) // at one instant
	var third int
	s.minutesLater(func() { third = ada.follows(t, cleo) })
	list := ada.get(t, subscriptions).is(200)
	assert.Equal(t, words(third, second, first), list.column("data", "id"))
	assert.Equal(t, words(int(ada.id), int(ada.id), int(ada.id)), list.column("data", "user.uid"))
	assert.Equal(t, 1, bob.get(t, subscriptions).is(200).int("pagination.total_count"))
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
	ada := s.member(t)
	user, category := ada.follows(t, s.member(t)), ada.followsCategory(t, 7)
	for query, want := range map[string][]int{
		"":                                   {category, user},
		"?entity_type=&subscription_type=":   {category, user},
		"?entity_type=100":                   {user},
		"?entity_type=200":                   {category},
		"?subscription_type=follow_user":     {user},
		"?subscription_type=follow_category": {category},
		"?entity_type=100&subscription_type=follow_user":     {user},
		"?entity_type=100&subscription_type=follow_category": {},
		"?entity_type=200&uid_only=1":                        {category},
	} {
		list := ada.get(t, subscriptions+query).is(200)
		assert.Equal(t, words(want...), list.column("data", "id"), query)
		assert.Equal(t, len(want), list.int("pagination.total_count"), query)
	}
	for _, other := range []string{"300", "0", "-100", "user", "100,200"} {
		ada.get(t, subscriptions+"?entity_type="+other).invalid("entity_type")
	}
	for _, other := range []string{"follow", "FOLLOW_USER", "100"} {
		ada.get(t, subscriptions+"?subscription_type="+other).invalid("subscription_type")
	}
	ada.get(t, subscriptions+"?entity_type=x&subscription_type=x&page=x").invalid("entity_type", "subscription_type", "page")
}

func subscriptionHasItsFields(t *testing.T, s *server) {
	s.shelve(t, 7, "Walks")
	ada, bob := s.member(t), s.member(t)
	made := ada.post(t, subscriptions, object{"followed_user": bob.id}).is(201)
	toUser := object{
		"user.uid": ada.id, "followed_user.uid": bob.id, "followed_category": nil, "subscription_type": "follow_user",
		"entity_type": 100, "created_at": "2026-11-20T12:00:00.000000Z", "updated_at": "2026-11-20T12:00:00.000000Z",
	}
	made.shows(toUser)
	s.minutesLater(func() {
		ada.post(t, subscriptions, object{"followed_category": "7"}).is(201).shows(object{"entity_type": 200})
	})
	list := ada.get(t, subscriptions).is(200)
	for _, path := range []string{"data.0", "data.1"} {
		list.hasFields(path, subscriptionFields)
		list.hasFields(path+".user", infoFields)
	}
	list.hasFields("data.1.followed_user", infoFields)
	for field, value := range toUser {
		list.shows(object{"1." + field: value})
	}
	list.shows(object{
		"0.user.uid": ada.id, "0.followed_user": nil, "0.followed_category": object{"id": 7, "name": "Walks", "slug": "walks"},
		"0.subscription_type": "follow_category", "0.entity_type": 200, "0.created_at": "2026-11-20T12:01:00.000000Z",
	})
}

func idsAlone(t *testing.T, s *server) {
	s.shelve(t, 7, "Walks")
	ada, bob := s.member(t), s.member(t)
	ada.follows(t, bob)
	ada.followsCategory(t, 7)
	for _, flag := range []string{"1", "true", "false", "0"} { // any value that is not empty
		list := ada.get(t, subscriptions+"?uid_only="+flag).is(200).shows(object{
			"0.user": ada.id, "0.followed_user": nil, "0.followed_category": 7, "0.subscription_type": "follow_category",
			"1.user": ada.id, "1.followed_user": bob.id, "1.followed_category": nil, "1.entity_type": 100,
		})
		list.hasFields("data.0", subscriptionFields)
		list.hasFields("data.1", subscriptionFields)
	}
	ada.get(t, subscriptions+"?uid_only=").is(200).hasFields("data.1.followed_user", infoFields)
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
	statuses := make([]int, 16)
	atOnce(16, func(i int) { statuses[i] = bob.post(t, subscriptions, object{"followed_user": cleo.id}).status })
	slices.Sort(statuses)
	assert.Equal(t, append(slices.Repeat([]int{200}, 15), 201), statuses)
	assert.Equal(t, 1, bob.get(t, subscriptions).is(200).int("pagination.total_count"))
}

func exactlyOneIsFollowed(t *testing.T, s *server) {
	s.shelve(t, 7, "Walks")
	ada, bob := s.member(t), s.member(t)
	for _, body := range []object{
		{}, {"followed_user": bob.id, "followed_category": 7}, {"followed_user": nil}, {"followed_user": nil, "followed_category": nil},
	} {
		refused := ada.post(t, subscriptions, body).is(400)
		assert.Equal(t, "VALIDATION_EXCEPTION", refused.text("code"))
		for field := range refused.at("data").(object) {
			assert.Contains(t, []string{"followed_user", "followed_category", "non_field_errors"}, field)
		}
	}
	ada.post(t, subscriptions, object{"followed_user": true}).invalid("followed_user")
	ada.post(t, subscriptions, object{"followed_category": "walks"}).invalid("followed_category")
	assert.Empty(t, ada.get(t, subscriptions).is(200).list("data"))
}

func followedIsThere(t *testing.T, s *server) {
	ada := s.member(t)
	ada.post(t, subscriptions, object{"followed_user": ada.id}).invalid("followed_user")
	for _, id := range []int{99999, 0, -1} {
		ada.post(t, subscriptions, object{"followed_user": id}).invalid("followed_user")
		ada.post(t, subscriptions, object{"followed_category": id}).invalid("followed_category")
	}
	assert.Empty(t, ada.get(t, subscriptions).is(200).list("data"))
}

const followers = "/api/subscription/follower/"

func ownFollowers(t *testing.T, s *server) {
	s.shelve(t, 7, "Walks")
	ada, bob, cleo, eve := s.member(t), s.member(t), s.member(t), s.member(t)
	assert.Empty(t, ada.get(t, followers).is(200).list("data"))
	first, second := bob.follows(t, ada), cleo.follows(t, ada) // at one instant
	var third int
	s.minutesLater(func() { third = eve.follows(t, ada) })
	ada.follows(t, cleo)
	ada.followsCategory(t, 7)
	bob.follows(t, cleo)

	list := ada.get(t, followers).is(200)
	assert.Equal(t, words(third, second, first), list.column("data", "id"))
	assert.Equal(t, words(int(eve.id), int(cleo.id), int(bob.id)), list.column("data", "user.uid"))
	assert.Equal(t, []string{"false", "true", "false"}, list.column("data", "is_contact"))
	list.hasFields("data.0", []string{"id", "user", "is_contact", "created_at"})
	list.hasFields("data.0.user", infoFields)
	list.shows(object{"0.created_at": "2026-11-20T12:01:00.000000Z", "1.created_at": "2026-11-20T12:00:00.000000Z"})
	page := ada.get(t, followers+"?page=2&page_size=2").is(200)
	assert.Equal(t, words(first), page.column("data", "id"))
	assert.Equal(t, 3, page.int("pagination.total_count"))
	ada.get(t, followers+"?page=3&page_size=2").fails(404, "RESOURCE_NOT_FOUND")
	ada.get(t, followers+"?page=0&page_size=x").invalid("page", "page_size")
	assert.Equal(t, words(int(bob.id), int(ada.id)), cleo.get(t, followers).is(200).column("data", "user.uid"))

	cleo.delete(t, subscriptionPath(second)).is(204)
	assert.Equal(t, words(third, first), ada.get(t, followers).is(200).column("data", "id"))
	assert.Equal(t, []string{"false", "false"}, cleo.get(t, followers).is(200).column("data", "is_contact"), "both must follow")
}

func followedFilter(t *testing.T, s *server) {
	s.shelve(t, 7, "Walks")
	ada, bob, cleo := s.member(t), s.member(t), s.member(t)
	bob.follows(t, ada)
	ada.follows(t, cleo)
	ada.followsCategory(t, 7)
	id := ada.follows(t, bob)
	for query, want := range map[string][]int{
		fmt.Sprint("?followed_user=", bob.id):                     {id},
		fmt.Sprint("?followed_user=", bob.id, "&entity_type=100"): {id},
		fmt.Sprint("?followed_user=", bob.id, "&entity_type=200"): {},
		fmt.Sprint("?followed_user=", ada.id):                     {},
		"?followed_user=99999":                                    {}, "?followed_user=99999999999999999999": {},
	} {
		list := ada.get(t, subscriptions+query).is(200)
		assert.Equal(t, words(want...), list.column("data", "id"), query)
		assert.Equal(t, len(want), list.int("pagination.total_count"), query)
	}
	for _, none := range []string{"0", "-1", "x", "1,2"} {
		ada.get(t, subscriptions+"?followed_user="+none).invalid("followed_user")
	}
}

func endingSubscriptions(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.follows(t, bob)
	for _, path := range []string{subscriptionPath(id), subscriptionPath(99999), subscriptions + "0/", subscriptions + "x/"} {
		bob.delete(t, path).fails(404, "RESOURCE_NOT_FOUND")
	}
	assert.Empty(t, ada.delete(t, subscriptionPath(id)).is(204).body)
	ada.delete(t, subscriptionPath(id)).fails(404, "RESOURCE_NOT_FOUND")
	assert.Empty(t, ada.get(t, subscriptions).is(200).list("data"))
}
