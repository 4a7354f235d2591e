package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/importing"
	"plaza/domain/user"
	"plaza/test/pictures"
)

var hiddenRows = []row{
	{"MOD-06 the addresses of a hidden event's plates lead to nothing", hiddenPlates, everyServer},
	{"MOD-06 a hidden plate is in no event, also of its author", hiddenPlate, everyServer},
	{"MOD-06 a hidden profile shows nowhere, and can't be changed", hiddenProfile, everyServer},
	{"MOD-06 what the import shows is hidden, also when it is imported again, until it is restored", hiddenRecords, everyStore},
	{"MOD-06 a hidden original has no translations, which are origins", hiddenOriginal, everyStore},
	{"MOD-06 a cover is served as long as something shows it", hiddenCover, everyServer},
	{"MOD-06 only what is listed is reported", reportedRecords, everyStore},
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

// listings returns the titles of what is listed of the kind, in each list and at each count, by what was asked for.
func (p person) listings(t *testing.T, kind string) map[string]any {
	t.Helper()
	found := map[string]any{}
	queries := []string{"?type=" + kind, ""}
	if kind == "demand" {
		queries = append(queries, "?type=demand&lat=30.2&lng=120.1&within_distance=1")
	}
	for _, query := range queries {
		list := p.get(t, itemsOf(9001)+query).is(200)
		found[query] = list.column("data", "title")
		count := p.get(t, categories+query).is(200).at("data.0.meta.feeds_count")
		assert.Equal(t, fmt.Sprint(len(list.list("data"))), fmt.Sprint(count), "%s%s", kind, query)
	}
	if kind == "publication" {
		for _, query := range []string{"", "?origin_only=1", "?category_id=9001"} {
			found[publications+query] = p.get(t, publications+query).is(200).column("data", "title")
		}
	}
	return found
}

func hiddenRecords(t *testing.T, s *server) {
	bob, staff := s.member(t), s.staff(t)
	const rest = `,"category":9001,"created":"2026-11-01T09:00:00Z"`
	const span = `,"lat":30.2,"lng":120.1,"closed":"2026-12-01T09:00:00Z","start":"2026-11-02T09:00:00Z","end":"2026-11-20T09:00:00Z"`
	for kind, more := range map[string]string{"publication": `,"bundle":90001,"language":"en"`, "node": `,"language":"en"`, "demand": span} {
		line := func(title, more string) string {
			return fmt.Sprintf(`{"kind":%q,"id":90001,"author":"r1","title":%q%s%s}`, kind, title, rest, more)
		}
		s.brings(t, robotLine, `{"kind":"category","id":9001,"name":"Teaware","slug":"teaware"}`, `{"kind":"bundle","id":90001}`,
			line("A pot", more))
		shown := bob.listings(t, kind)
		card := s.anyone().get(t, cardOf(kind, 90001)).is(200)
		tag := s.anyone().get(t, itemsOf(9001)).is(200).header.Get("ETag")
		bob.post(t, reportPath, object{kind: 90001, "reason": "spam"}).is(201)
		reported := staff.get(t, staffReports).is(200)
		assert.Equal(t, "A pot", reported.at("data.0.subject_now.title"))
		assertAct(t, staff.post(t, hidePath, object{kind: 90001, "reason": "Advertises"}), "hidden", kind, 90001)
		isHidden := func() {
			t.Helper()
			for where, listed := range bob.listings(t, kind) {
				assert.Empty(t, listed, "%s %s", kind, where)
			}
			s.anyone().get(t, cardOf(kind, 90001)).fails(404, "RESOURCE_NOT_FOUND")
			bob.post(t, reportPath, object{kind: 90001, "reason": "spam"}).invalid(kind)
		}
		isHidden()
		s.anyone().saying("If-None-Match", tag).get(t, itemsOf(9001)).is(200)
		assert.Equal(t, true, staff.get(t, staffReports+"?state=decided").is(200).at("data.0.subject_now.is_hidden"))
		for _, next := range []string{line("A pot", more), line("A kettle", more), line("A pot", more+`,"deleted":true`), line("A pot", more)} {
			_, rejects := s.brings(t, next)
			assert.Empty(t, rejects)
			isHidden()
		}
		assertAct(t, staff.post(t, restorePath, object{kind: 90001, "reason": "A mistake"}), "restored", kind, 90001)
		assert.Equal(t, shown, bob.listings(t, kind))
		assert.Equal(t, card.json(), s.anyone().get(t, cardOf(kind, 90001)).is(200).json())
		same, _ := s.brings(t, line("A pot", more))
		assert.Equal(t, importing.Count{Same: 1}, same.All())
		s.brings(t, line("A pot", more+`,"deleted":true`)) // before the next kind
	}
}

func hiddenOriginal(t *testing.T, s *server) {
	s.bringsTexts(t)
	bob, staff := s.member(t), s.staff(t)
	origins := func() string {
		return strings.Join(bob.get(t, publications+"?origin_only=1").is(200).column("data", "title"), ", ")
	}
	translations := func() []string {
		return s.anyone().get(t, cardOf("node", 1)).is(200).column("data.translations", "title")
	}
	assert.Equal(t, "publication 1, publication 4", origins())
	assert.Equal(t, []string{"publication 1", "publication 2", "publication 3"}, translations())
	staff.post(t, hidePath, object{"publication": 1, "reason": "Advertises"}).is(201)
	assert.Equal(t, "publication 2, publication 3, publication 4", origins())
	assert.Equal(t, []string{"publication 2", "publication 3"}, translations())
	staff.post(t, restorePath, object{"publication": 1, "reason": "A mistake"}).is(201)
	assert.Equal(t, "publication 1, publication 4", origins())
}

func reportedRecords(t *testing.T, s *server) {
	bob, staff := s.member(t), s.staff(t)
	s.unlists(t, bob, 2, 0)
	for _, kind := range []string{"publication", "node", "demand"} {
		for _, id := range []int{2, 3, 99} {
			bob.post(t, reportPath, object{kind: id, "reason": "spam"}).invalid(kind)
		}
		staff.post(t, hidePath, object{kind: 99, "reason": "Rude"}).is(404)
		staff.post(t, restorePath, object{kind: 99, "reason": "Rude"}).is(404)
	}
}

func hiddenCover(t *testing.T, s *server) {
	staff := s.staff(t)
	lines := []string{robotLine, `{"kind":"bundle","id":70}`, lineOf("publication", 1, "en", `,"bundle":70,"cover":{"file":"pot.png"}`),
		lineOf("node", 1, "en", `,"cover":{"file":"pot.png"}`)}
	s.brings(t, lines...)
	address := func(kind string) string { return s.anyone().get(t, cardOf(kind, 1)).is(200).text("data.cover_image") }
	given := address("node")
	assert.Equal(t, given, address("publication"))
	served := func(status int) {
		t.Helper()
		s.anyone().fetches(t, given).is(status)
	}
	act := func(path, kind string) {
		t.Helper()
		staff.post(t, path, object{kind: 1, "reason": "Stolen"}).is(201)
	}
	act(hidePath, "node")
	served(200)
	act(hidePath, "publication")
	served(404)
	act(restorePath, "node")
	served(200)
	assert.Equal(t, given, address("node"))
	act(hidePath, "node")
	s.brings(t, lines...) // which stores the cover anew
	served(404)
	act(restorePath, "publication")
	assert.NotEqual(t, given, address("publication"))
	s.anyone().fetches(t, address("publication")).is(200)
	served(404)
}
