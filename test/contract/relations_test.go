package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/user"
)

const relations = "/api/user/relationship/"

func profileOf(p person) string { return fmt.Sprintf("%s%d/", profile, p.id) }

// relation is the item of USR-10 of the person, with what differs from a stranger's.
func (p person) relation(more ...object) object {
	return with(object{"uid": p.id, "is_followed": false, "follows_caller": false, "is_contact": false, "is_blocked": false, "subscription": nil},
		more...)
}

// counted asserts what the person's profile counts.
func (p person) counted(t *testing.T, events, followers, followed int) {
	t.Helper()
	got := p.get(t, profileOf(p)).is(200).at("data.counts")
	sameJSON(t, object{"events": events, "followers": followers, "followed": followed}, got)
}

func bioIsChanged(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	ada.get(t, profile).is(200).shows(object{"bio": nil})
	for sent, stored := range map[string]any{
		" I bind books.\r\nIn \u200funi\u200b\n\nYes. ": "I bind books.\nIn \u200funi\u200b\n\nYes.", "a\rb": "a\nb", "e\u0301": "é",
		strings.Repeat("茶", 500): strings.Repeat("茶", 500), "": nil, "\n \n": nil,
	} {
		ada.patch(t, profile, object{"bio": sent}).is(200).shows(object{"bio": stored, "firstname": "Ada"})
		ada.get(t, profile).is(200).shows(object{"bio": stored})
		bob.get(t, profileOf(ada)).is(200).shows(object{"bio": stored})
	}
	ada.patch(t, profile, object{"bio": "Books"}).is(200)
	ada.patch(t, profile, object{"location": "Uppsala"}).is(200).shows(object{"bio": "Books"})
	assert.Contains(t, ada.export(t)["account.json"], `"Books"`)
	ada.patch(t, profile, object{"bio": nil}).is(200).shows(object{"bio": nil})
	bob.get(t, profile).is(200).shows(object{"bio": nil})
}

func othersProfile(t *testing.T, s *server) {
	ada, bob := s.member(t), s.known(t, user.Member{Firstname: "Bob", Timezone: "Pacific/Auckland"})
	bob.patch(t, profile, object{"bio": "One\nTwo"}).is(200)
	bob.publishes(t, "Tea")
	subscription := ada.follows(t, bob)
	a := ada.get(t, profileOf(bob)).is(200)
	a.shows(object{
		"bio": "One\nTwo", "joined": "2026-11-20", "counts": object{"events": 1, "followers": 1, "followed": 0},
		"relation": bob.relation(object{"is_followed": true, "subscription": subscription}),
	})
	info, isObject := ada.looksUp(t, bob.id).at("data.0").(object)
	require.True(t, isObject)
	for field, value := range info {
		assert.Equal(t, value, a.at("data."+field), field)
	}
	s.anyone().get(t, profileOf(bob)).is(200).shows(object{"bio": "One\nTwo", "relation": nil})
	bob.get(t, profileOf(bob)).is(200).shows(object{"relation": bob.relation(), "is_online": true})
}

func profileCounts(t *testing.T, s *server) {
	ada, bob, cleo := s.member(t), s.member(t), s.member(t)
	staff := s.staff(t)
	s.storesCategory(t, 7, 0, "Walks")
	ada.counted(t, 0, 0, 0)
	befriend(t, ada, bob)
	ada.followsCategory(t, 7)
	cleo.follows(t, ada)
	ada.counted(t, 0, 2, 1)
	bob.counted(t, 0, 1, 1)
	cleo.counted(t, 0, 0, 1)

	public, contacts := ada.publishes(t, "A lake"), ada.publishes(t, "A secret", object{"view_permission": 100})
	draft := ada.writes(t, object{"title": "A draft"}).int("data.id")
	ada.counted(t, 1, 2, 1)
	ada.patch(t, eventPath(contacts), object{"view_permission": 0}).is(200)
	ada.patch(t, eventPath(draft), object{"publish": true}).is(200)
	ada.patch(t, eventPath(public), object{"title": "A pond"}).is(200)
	ada.counted(t, 3, 2, 1)
	staff.post(t, hidePath, object{"event": public, "reason": "x"}).is(201)
	ada.patch(t, eventPath(draft), object{"publish": false}).is(200)
	ada.counted(t, 1, 2, 1)
	staff.post(t, restorePath, object{"event": public, "reason": "x"}).is(201)
	ada.counted(t, 2, 2, 1)
	ada.delete(t, eventPath(contacts)).is(204)
	ada.delete(t, eventPath(draft)).is(204)
	ada.counted(t, 1, 2, 1)

	cleo.unfollows(t, ada)
	ada.counted(t, 1, 1, 1)
	bob.blocks(t, ada)
	ada.counted(t, 1, 0, 0)
	bob.counted(t, 0, 0, 0)
	ada.follows(t, cleo)
	cleo.follows(t, ada)
	s.erases(t, cleo)
	ada.counted(t, 1, 0, 0)
}

func hiddenProfiles(t *testing.T, s *server) {
	ada, bob, eve, disabled, erased := s.member(t), s.member(t), s.member(t), s.member(t), s.member(t)
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), disabled.id, true))
	s.erases(t, erased)
	ada.blocks(t, bob)
	eve.blocks(t, ada)
	for _, p := range []person{bob, eve, disabled, erased, {id: 4711}} {
		hidden := ada.get(t, profileOf(p)).fails(404, "RESOURCE_NOT_FOUND")
		sameAnswer(t, ada.get(t, profile+"4711/"), hidden, "an unknown user")
	}
	for _, id := range []string{"0", "-1", "x", "99999999999999999999"} {
		ada.get(t, profile+id+"/").fails(404, "RESOURCE_NOT_FOUND")
	}
	bob.get(t, profileOf(ada)).fails(404, "RESOURCE_NOT_FOUND")
	for _, p := range []person{bob, eve} {
		s.anyone().get(t, profileOf(p)).is(200)
		p.get(t, profileOf(p)).is(200)
	}
	for _, p := range []person{disabled, erased} {
		s.anyone().get(t, profileOf(p)).fails(404, "RESOURCE_NOT_FOUND")
	}
	ada.delete(t, blockPath(bob)).is(204)
	ada.get(t, profileOf(bob)).is(200).shows(object{"relation": bob.relation()})
}

func relationships(t *testing.T, s *server) {
	me, stranger, followed, follower, friend := s.member(t), s.member(t), s.member(t), s.member(t), s.member(t)
	blocked, blocking, disabled, erased := s.member(t), s.member(t), s.member(t), s.member(t)
	toFollowed, toFriend := me.follows(t, followed), me.follows(t, friend)
	for _, p := range []person{follower, friend, blocking, disabled} {
		p.follows(t, me)
	}
	me.follows(t, blocking)
	me.blocks(t, blocked)
	blocking.blocks(t, me)
	require.NoError(t, s.app.Signin.SetDisabled(t.Context(), disabled.id, true))
	s.erases(t, erased)
	a := me.get(t, fmt.Sprintf("%s?uid=%d,%d,4711,%d&uid=%d&uid=,%d,%d,%d,%d,%d,%d", relations, blocking.id, friend.id, disabled.id,
		stranger.id, follower.id, erased.id, blocked.id, me.id, followed.id, friend.id)).is(200)
	sameJSON(t, []any{
		blocking.relation(), friend.relation(object{"is_followed": true, "follows_caller": true, "is_contact": true, "subscription": toFriend}),
		stranger.relation(), follower.relation(object{"follows_caller": true}), blocked.relation(object{"is_blocked": true}), me.relation(),
		followed.relation(object{"is_followed": true, "subscription": toFollowed}),
	}, a.at("data"))
	assert.Empty(t, me.get(t, relations+"?uid=4711").is(200).list("data"))
}

func wrongRelationships(t *testing.T, s *server) {
	ada := s.member(t)
	for _, query := range []string{"", "?uid=", "?uid=x", "?uid=0", "?uid=1,-2"} {
		ada.get(t, relations+query).invalid("uid")
	}
	asked := fmt.Sprint(ada.id)
	for i := range 99 {
		asked += fmt.Sprint(",", 1000+i)
	}
	assert.Len(t, ada.get(t, relations+"?uid="+asked+","+asked).is(200).list("data"), 1)
	ada.get(t, relations+"?uid="+asked+",999").invalid("uid")
}
