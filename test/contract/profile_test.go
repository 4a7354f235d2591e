package contract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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
		"firstname": {nil, 5, "", " ", "\u200b\u2060", "a\nb", "a\x00", "a\u0085b", strings.Repeat("é", 65)},
		"lastname":  {nil, []any{}, "\u200b", "\u202e", "a\rb", strings.Repeat("x", 65)},
		"timezone": {nil, 5, "", "Mars/Base", "localtime", "posix/UTC", "./UTC", "Europe//Berlin", "Factory", "../../etc/passwd",
			strings.Repeat("x", 1000)},
		"location":  {5, object{}, "a\nb", "\u200b", strings.Repeat("x", 65)},
		"expertise": {true, "a\x00", "a\tb", strings.Repeat("茶", 65)},
		"bio": {5, []any{}, "a\x00", "a\tb", "a\u2028b", "a\n\u202eb", "\u200b\n\u2060", "e" + strings.Repeat("\u0301", 6),
			strings.Repeat("茶", 501)},
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
