package contract

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/user"
	"plaza/test/pictures"
)

var moderationOwnRows = []row{
	{"MOD-06 the addresses of a hidden event's plates lead to nothing", hiddenPlates, everyServer},
	{"MOD-06 a hidden plate is in no event, also of its author", hiddenPlate, everyServer},
	{"MOD-06 a hidden profile shows nowhere, and can't be changed", hiddenProfile, everyServer},
}

// large has the sizes of IMG-08.
func large(t *testing.T) []byte { return pictures.PNG(t, drawing(1500, 1200)) }

// ends asserts that the addresses, in all sizes of IMG-08, are answered so.
func (s *server) ends(t *testing.T, status int, addresses ...string) {
	t.Helper()
	for _, address := range addresses {
		for _, at := range []string{address, inSize(address, "sm"), inSize(address, "md")} {
			s.anyone().fetches(t, at).is(status)
		}
	}
}

func hiddenPlates(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	id := ada.publishes(t, "Fog")
	for range 2 {
		ada.post(t, plates, object{"event": id, "photo": large(t)}).is(201)
	}
	photos := func() []string { return ada.reads(t, id).column("data.plates", "photo") }
	given := bob.reads(t, id).column("data.plates", "photo")
	s.ends(t, 200, given...)
	staff.post(t, hidePath, object{"event": id, "reason": "Rude"}).is(201)
	s.ends(t, 404, given...)
	assert.Equal(t, true, ada.reads(t, id).at("data.is_hidden"))
	own := photos()
	require.Len(t, own, 2)
	s.ends(t, 200, own...)
	staff.post(t, restorePath, object{"event": id, "reason": "A mistake"}).is(201)
	s.ends(t, 404, append(own, given...)...)
	again := bob.reads(t, id)
	assert.False(t, again.has("data.is_hidden"))
	s.ends(t, 200, again.column("data.plates", "photo")...)
}

func hiddenPlate(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	id := ada.writes(t, object{}).int("data.id")
	plate := ada.post(t, plates, object{"event": id, "photo": large(t)}).is(201)
	ada.patch(t, eventPath(id), object{"publish": true}).is(200)
	of := object{"plate": plate.int("data.id"), "reason": "Rude"}
	shows := func(n int) {
		t.Helper()
		for _, who := range []person{ada, bob} {
			assert.Len(t, who.reads(t, id).list("data.plates"), n, "the event stays published")
			assert.Len(t, who.get(t, fmt.Sprintf("/api/xfile/event/%d/view-list/", ada.id)).is(200).list("data.0.plates"), n)
		}
	}
	assertAct(t, staff.post(t, hidePath, of), "hidden", "plate", of["plate"])
	shows(0)
	s.ends(t, 404, plate.text("data.photo"))
	ada.get(t, hiddenPath).is(200).shows(object{"0.kind": "plate", "0.id": of["plate"], "0.reason": "Rude"})
	bob.post(t, reportPath, object{"plate": of["plate"], "reason": "abuse"}).invalid("plate")
	assertAct(t, staff.post(t, restorePath, of), "restored", "plate", of["plate"])
	shows(1)
	s.ends(t, 404, plate.text("data.photo"))
	s.ends(t, 200, bob.reads(t, id).text("data.plates.0.photo"))
	staff.post(t, hidePath, of).is(201)
	ada.patch(t, eventPath(id), object{"title": "Fog"}).is(200)
	ada.delete(t, platePath(plate.int("data.id"))).is(204)
	assert.Empty(t, ada.get(t, hiddenPath).is(200).list("data"))
}

func hiddenProfile(t *testing.T, s *server) {
	const rude = "Hooligan"
	ada := s.known(t, user.Member{Firstname: rude, Lastname: rude, Expertise: rude, Location: rude, Timezone: "UTC"})
	bob, staff := s.member(t), s.staff(t)
	ada.patch(t, profile, object{"bio": rude}).is(200)
	avatar := ada.send(t, "PUT", avatars, object{"avatar": pictures.PNG(t, drawing(900, 600))}).is(200)
	var given []string
	for _, size := range []string{"sm", "md", "lg"} {
		given = append(given, avatar.text("data.avatars.sizes."+size+".path"))
	}
	id, other := ada.publishes(t, "Fog"), bob.publishes(t, "Mist")
	ada.comments(t, other, "Hm")
	bob.follows(t, ada)
	of := object{"profile": ada.id, "reason": "Rude"}
	publicProfile := fmt.Sprintf("/api/user/profile/%d/", ada.id)
	shows := func(is bool, status int) {
		t.Helper()
		for _, address := range given {
			s.anyone().fetches(t, address).is(status)
		}
		for path, who := range map[string]person{
			eventPath(id): bob, eventPath(other): bob, commentsOn(other): bob, notifications: bob, publicProfile: bob, subscriptions: bob,
			fmt.Sprintf("/api/xfile/event/%d/view-list/", ada.id): bob, timeline: bob, profile: ada,
		} {
			shown := who.get(t, path).is(200)
			if is {
				assert.Contains(t, string(shown.body), rude, path)
				continue
			}
			assert.NotContains(t, string(shown.body), rude, path)
			assert.Contains(t, string(shown.body), "…", path)
			for _, address := range given {
				assert.NotContains(t, string(shown.body), address, path)
			}
		}
		assert.Equal(t, is, len(bob.finds(t, rude).is(200).list("data")) == 1)
	}
	shows(true, 200)
	assertAct(t, staff.post(t, hidePath, of), "hidden", "profile", ada.id)
	shows(false, 404)
	bob.get(t, publicProfile).is(200).shows(object{"username": "…", "lastname": "", "bio": nil})
	ada.get(t, hiddenPath).is(200).shows(object{"0.kind": "profile", "0.id": ada.id})
	for _, field := range []string{"firstname", "lastname", "bio", "location", "expertise"} {
		ada.patch(t, profile, object{field: "A"}).fails(409, "CONFLICT")
	}
	ada.patch(t, profile, object{"timezone": "Asia/Shanghai"}).is(200)
	ada.send(t, "PUT", avatars, object{"avatar": aPNG(t)}).fails(409, "CONFLICT")
	ada.delete(t, avatars).fails(409, "CONFLICT")
	assert.Contains(t, ada.export(t)["account.json"], rude)
	bob.post(t, reportPath, object{"profile": ada.id, "reason": "abuse"}).invalid("profile")
	assertAct(t, staff.post(t, restorePath, of), "restored", "profile", ada.id)
	shows(true, 200)
	staff.post(t, hidePath, object{"profile": 99_999, "reason": "Rude"}).is(404)
}
