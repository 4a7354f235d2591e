package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/user"
)

var profileRows = []row{
	{"USR-06 a person changes what they send of their profile", profileIsChanged, everyStore},
	{"USR-06 what is no name and no time zone is refused by name", badProfiles, oneStore},
	{"USR-06 a person may have one name", oneName, everyStore},
	{"USR-06 pages of the feed and of events show the new name at once", newNameIsShown, everyServer},
	{"USR-06 a person says of themselves what they want in several lines", bioIsChanged, everyStore},
	{"USR-09 a person is shown with what they say of themselves and what they have", othersProfile, everyStore},
	{"USR-09 counts follow what is published hidden followed blocked and erased", profileCounts, everyServer},
	{"USR-09 nobody sees the profile of one who is unknown disabled erased or blocked", hiddenProfiles, everyStore},
	{"USR-10 what stands between the caller and others comes in the order asked", relationships, everyStore},
	{"USR-10 a hundred people at most are named", wrongRelationships, oneStore},
}

func profileIsChanged(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	a := ada.patch(t, profile, object{"firstname": " Grace\u3000", "timezone": "Asia/Shanghai", "location": " Hangzhou "}).is(200)
	now := object{
		"firstname": "Grace", "lastname": "Berg", "username": "Grace Berg", "timezone": "Asia/Shanghai", "timezone_utc_offset": "+08:00",
		"location": "Hangzhou", "expertise": "Bookbinding", "phone": ada.phone,
	}
	a.shows(now)
	ada.patch(t, profile, object{"uid": bob.id, "phone": bob.phone, "is_staff": true, "username": "x"}).is(200).shows(now)
	cleared := ada.patch(t, profile, object{"location": nil, "expertise": nil}).is(200)
	cleared.shows(object{"location": "", "expertise": nil, "firstname": "Grace"})
	ada.patch(t, profile, object{"firstname": "西", "lastname": "林", "expertise": strings.Repeat("茶", 64)}).is(200)
	ada.get(t, profile).is(200).shows(object{"username": "林西", "expertise": strings.Repeat("茶", 64), "location": "", "is_staff": false})
	bob.get(t, profile).is(200).shows(object{"username": "Ada Berg"})
}

func badProfiles(t *testing.T, s *server) {
	ada := s.member(t)
	before := ada.get(t, profile).is(200)
	for field, values := range map[string][]any{
		"firstname": {nil, "", " ", "\u200b\u2060", "a\x00", strings.Repeat("é", 65)}, "lastname": {nil, "\u200b", strings.Repeat("x", 65)},
		"timezone": {nil, "", "Mars/Base", "localtime", "posix/UTC", "./UTC", "Europe//Berlin", "Factory", "../../etc/passwd",
			strings.Repeat("x", 1000)},
		"location": {"\u200b", strings.Repeat("x", 65)}, "expertise": {"a\x00", strings.Repeat("茶", 65)},
		"bio": {"a\x00", "a\tb", "a\u2028b", "a\n\u202eb", "\u200b\n\u2060", "e" + strings.Repeat("\u0301", 6), strings.Repeat("茶", 501)},
	} {
		for _, value := range values {
			ada.patch(t, profile, object{field: value}).invalid(field)
		}
	}
	ada.patch(t, profile, object{"firstname": "", "lastname": 5, "timezone": "x", "location": "a\nb", "expertise": 5}).
		invalid("firstname", "lastname", "timezone", "location", "expertise")
	sameAnswer(t, before, ada.get(t, profile), "nothing is changed")
}

func oneName(t *testing.T, s *server) {
	ada, code := s.member(t), s.anyone().code(t, "sign_up", newcomer(1))
	for _, empty := range []string{"", " \u3000"} {
		ada.patch(t, profile, object{"firstname": "Suharto", "lastname": empty}).is(200).shows(object{"lastname": "", "username": "Suharto"})
		ada.patch(t, profile, object{"lastname": "Berg"}).is(200)
	}
	key := s.anyone().signs(t, newcomer(1), code, object{"firstname": "山田", "lastname": dropped}).is(201).text("data.key")
	taro := s.with(key)
	taro.get(t, profile).is(200).shows(object{"firstname": "山田", "lastname": "", "username": "山田"})
	uid := taro.get(t, profile).int("data.uid")
	for _, name := range []string{"山田", "山", "山 田"} {
		sameJSON(t, []any{uid}, ada.finds(t, name).is(200).each("data", "uid"), name)
	}
	taro.patch(t, profile, object{"firstname": ""}).invalid("firstname")
}

func newNameIsShown(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	befriend(t, ada, bob)
	s.storesCategory(t, 7, 0, "Walks")
	s.storesDemand(t, ada, 1, 7)
	id, other := ada.publishes(t, "A lake"), bob.publishes(t, "Tea")
	ada.attaches(t, id)
	ada.comments(t, other, "Oh")
	names := map[string]string{ // of ada, in what bob reads
		itemsOf(7): "data.0.author.username", itemsOf(7) + "?type=demand": "data.0.author.username", eventPath(id): "data.user.username",
		eventsOf(ada): "data.0.user.username", eventPath(other): "data.comments.0.user.username", commentsOn(other): "data.0.user.username",
		subscriptions: "data.0.followed_user.username", followers: "data.0.user.username",
	}
	tags := map[string]string{}
	look := func(name string) {
		for path, at := range names {
			a := bob.get(t, path).is(200)
			assert.Equal(t, name, a.text(at), path)
			tags[path] = a.header.Get("ETag")
		}
		assert.Equal(t, []any{name}, s.anyone().looksUp(t, ada.id).each("data", "username"))
	}
	for range 2 {
		look("Ada Berg")
	}
	assert.NotEmpty(t, tags[itemsOf(7)])
	for _, firstname := range []string{"Grace", "Hedy", "Mary", "Ruth"} {
		ada.patch(t, profile, object{"firstname": firstname}).is(200)
		for path, tag := range tags {
			if tag != "" {
				bob.saying("If-None-Match", tag).get(t, path).is(200)
			}
		}
		for range 3 { // at either of two servers, and once more
			look(firstname + " Berg")
		}
	}
}

const relations = "/api/user/relationship/"

func profileOf(p person) string { return fmt.Sprintf("%s%d/", profile, p.id) }

// relation is the item of USR-10 of the person, with what differs from a stranger's.
func (p person) relation(more ...object) object {
	stranger := object{"uid": p.id, "is_followed": false, "follows_caller": false, "is_contact": false, "is_blocked": false}
	return with(stranger, append([]object{{"subscription": nil}}, more...)...)
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
