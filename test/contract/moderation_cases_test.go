package contract

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/test/pictures"
)

var caseRows = []row{
	{"MOD-05 reports of a thing are one item, and one decision decides them", oneCase, everyStore},
	{"MOD-05 what was reported stays as it was, whatever its author changes", keptAsReported, everyServer},
	{"MOD-05 the pictures of a report are there when their event is gone", keptPictures, everyServer},
	{"MOD-05 a comment is read with its event and the comments before it", commentInContext, oneStore},
	{"MOD-05 cases are filtered", filteredCases, everyStore},
	{"MOD-05 disabling an account decides the reports of the person", decidedByDisabling, everyStore},
	{"MOD-06 nobody judges themselves", judgesThemselves, everyStore},
	{"OFF-02 staff read what was reported as it was and as it is", staffPagesCases, oneStore},
	{"MOD-06 staff hide on the page what was not reported", hidesUnreported, oneStore},
	{"MOD-06 staff hide what has the picture at an address", hidesByAddress, everyStore},
	{"MOD-07 a person reads what became of their reports", ownReports, everyStore},
	{"NTF-03 the author and those who reported are told what staff did, and why", toldOfActs, everyStore},
}

func toldOfActs(t *testing.T, s *server) {
	ada, bob, eve, staff := s.member(t), s.member(t), s.member(t), s.staff(t)
	id, kept := ada.publishes(t, "Pills"), ada.publishes(t, "Tea")
	reports := map[string]int{}
	for _, who := range []person{bob, eve} {
		reports[fmt.Sprint(who.id)] = who.post(t, reportPath, object{"event": id, "reason": "spam"}).is(201).int("data.id")
	}
	harmless := bob.post(t, reportPath, object{"event": kept, "reason": "spam"}).is(201).int("data.id")
	staff.post(t, hidePath, object{"event": id, "reason": "Advertises"}).is(201)
	staff.post(t, decidePath, object{"report": staff.get(t, staffReports).is(200).int("data.0.id"), "reason": "It is tea"}).is(201)
	s.clock.advance(time.Second)
	staff.post(t, restorePath, object{"event": id, "reason": "Vitamins"}).is(201)
	tells := func(who person, want ...object) {
		t.Helper()
		list := who.get(t, notifications).is(200)
		assert.Len(t, list.list("data"), len(want))
		assert.Equal(t, len(want), list.int("unread_count"))
		for i, n := range want {
			for _, name := range []string{"user", "event", "comment"} {
				n[name] = nil
			}
			for name, value := range n {
				list.shows(object{fmt.Sprintf("%d.%s", i, name): value})
			}
		}
	}
	tells(ada,
		object{"kind": "restored", "subject.kind": "event", "subject.id": id, "reason": "Vitamins", "outcome": nil},
		object{"kind": "hidden", "subject.kind": "event", "subject.id": id, "reason": "Advertises", "outcome": nil})
	takenDown := func(report int) object {
		return object{"kind": "report_decided", "subject.kind": "report", "subject.id": report, "reason": nil, "outcome": "taken_down"}
	}
	tells(eve, takenDown(reports[fmt.Sprint(eve.id)]))
	tells(bob,
		object{"kind": "report_decided", "subject.kind": "report", "subject.id": harmless, "reason": nil, "outcome": "dismissed"},
		takenDown(reports[fmt.Sprint(bob.id)]))
	ada.send(t, "PUT", notifications+"read/", object{"up_to": ada.get(t, notifications).is(200).int("data.0.id")}).is(204)
	assert.Zero(t, ada.get(t, notifications).is(200).int("unread_count"))
	staff.post(t, hidePath, object{"event": id, "reason": "Again"}).is(201)
	assert.Equal(t, 1, ada.get(t, notifications).is(200).int("unread_count"), "each act tells")
}

func hidesUnreported(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	id := ada.publishes(t, "Pills")
	b := s.atWork(t, staff)
	b.opens("reports/").shows(200, "Hide something without a report")
	form := func(object any, reason string) []string {
		return []string{"report", "0", "kind", "event", "object", fmt.Sprint(object), "act", "hide", "reason", reason}
	}
	b.sends("reports/", form(id, "")...).shows(400, fmt.Sprintf(`name="object" value="%d"`, id), `href="#reason-0"`, `aria-invalid="true"`)
	b.sends("reports/", form(99999, "Advertises")...).shows(404, "Event not found.")
	bob.get(t, eventPath(id)).is(200)
	b.sends("reports/", form(id, "Advertises")...).leads("reports/?done=hide")
	bob.get(t, eventPath(id)).is(404)
	b.sends("reports/", form(id, "Again")...).shows(409, "It is hidden already.")
	assert.Equal(t, "Advertises", ada.get(t, hiddenPath).is(200).at("data.0.reason"))
}

func hidesByAddress(t *testing.T, s *server) {
	ada, staff := s.member(t), s.staff(t)
	raw := pictures.PNG(t, drawing(400, 300))
	plate := ada.attaches(t, ada.publishes(t, "Pills"))
	image := ada.post(t, images, object{"img": raw}).is(201)
	avatar := ada.sendsTo(t, "PUT", avatars, form{field: "avatar", file: raw}).is(200)
	for _, c := range []struct {
		kind, address string
		id            int
	}{
		{"plate", plate.text("data.photo"), plate.int("data.id")}, {"image", plate.text("data.photo"), 0},
		{"image", image.text("data.sizes.sm.path"), image.int("data.id")}, {"profile", avatar.text("data.avatar"), int(ada.id)},
	} {
		a := staff.post(t, hidePath, object{"address": c.address, "reason": "Advertises"})
		if c.id == 0 {
			a.fails(404, "RESOURCE_NOT_FOUND") // it leads nowhere any more
			continue
		}
		assertAct(t, a, "hidden", c.kind, c.id)
		s.anyone().fetches(t, c.address).is(404)
	}
	for _, wrong := range []string{"", "x", "https://example.com/media/", "://", "/api/xfile/event/1/"} {
		staff.post(t, hidePath, object{"address": wrong, "reason": "x"}).invalid("address")
	}
	another := ada.post(t, images, object{"img": raw}).is(201)
	for _, beside := range []string{"event", "image"} {
		staff.post(t, hidePath, object{"address": another.text("data.img"), beside: 1, "reason": "x"}).is(400)
	}
	b := s.atWork(t, staff)
	b.opens("reports/")
	own := func(address string) []string {
		return []string{"report", "0", "kind", "event", "object", address, "act", "hide", "reason", "Advertises"}
	}
	b.sends("reports/", own("/media/public/none.png")...).shows(404, "No plate, image or avatar has this address.")
	b.sends("reports/", own(another.text("data.img"))...).leads("reports/?done=hide")
	s.anyone().fetches(t, another.text("data.img")).is(404)
}

func oneCase(t *testing.T, s *server) {
	ada, staff := s.member(t), s.staff(t)
	id := ada.publishes(t, "Pills")
	for _, reason := range []string{"spam", "illegal", "spam"} {
		s.member(t).post(t, reportPath, object{"event": id, "reason": reason, "text": "Says " + reason}).is(201)
		s.clock.advance(time.Minute)
	}
	list := staff.get(t, staffReports).is(200)
	assert.Len(t, list.list("data"), 1)
	list.shows(object{"0.reasons.spam": 2, "0.reasons.illegal": 1, "0.reasons.abuse": 0, "0.changed": false, "0.decision": nil})
	assert.NotEqual(t, list.at("data.0.first_reported_at"), list.at("data.0.last_reported_at"))
	assert.Equal(t, []string{"Says spam", "Says illegal", "Says spam"}, list.column("data.0.texts", "text"))
	staff.post(t, decidePath, object{"report": list.int("data.0.id"), "reason": "Vitamins"}).is(201)
	assert.Empty(t, staff.get(t, staffReports).is(200).list("data"))
	staff.get(t, staffReports+"?state=decided").is(200).shows(object{
		"0.decision": "dismissed", "0.decided_by": staff.id, "0.decision_reason": "Vitamins",
	})
	s.member(t).post(t, reportPath, object{"event": id, "reason": "spam"}).is(201)
	assert.Len(t, staff.get(t, staffReports).is(200).list("data"), 1, "another case")
}

// keptAsReported has an event that says everything in HTML and in a picture.
func keptAsReported(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	id := ada.writes(t, object{"html_content": "<p>Buy <b>weapons</b></p>", "title": "Hm", "publish": true}).is(201).int("data.id")
	plate := ada.post(t, plates, object{"event": id, "photo": pictures.PNG(t, drawing(1500, 1200))}).is(201).int("data.id")
	bob.post(t, reportPath, object{"event": id, "reason": "illegal"}).is(201)
	reported := staff.get(t, staffReports).is(200)
	assert.Equal(t, "<p>Buy <b>weapons</b></p>", reported.at("data.0.subject_then.html_content"))
	s.anyone().fetches(t, reported.text("data.0.subject_then.pictures.0")).is(200)
	ada.delete(t, platePath(plate)).is(204)
	ada.patch(t, eventPath(id), object{"html_content": "<p>Tea</p>", "title": "Tea", "content": "Tea", "view_permission": 200}).is(200)
	s.member(t).post(t, reportPath, object{"user": ada.id, "reason": "illegal"}).is(201)
	changed := staff.get(t, staffReports).is(200)
	for _, field := range []string{"title", "content", "html_content", "pictures"} {
		assert.Equal(t, reported.at("data.0.subject_then."+field), changed.at("data.0.subject_then."+field), field)
	}
	changed.shows(object{"0.changed": true, "0.subject_now.title": "Tea", "0.subject_now.view_permission": 200,
		"0.subject_now.is_draft": false})
	assert.Empty(t, changed.list("data.0.subject_now.pictures"))
	s.anyone().fetches(t, changed.text("data.0.subject_then.pictures.0")).is(200)
}

func keptPictures(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	id := ada.publishes(t, "Fog")
	ada.post(t, plates, object{"event": id, "photo": pictures.PNG(t, drawing(1500, 1200))}).is(201)
	image := ada.post(t, images, object{"img": dot}).is(201).int("data.id")
	for _, body := range []object{{"event": id}, {"image": image}} {
		body["reason"] = "illegal"
		bob.post(t, reportPath, body).is(201)
	}
	ada.delete(t, eventPath(id)).is(204)
	ada.delete(t, imagePath(image)).is(204)
	list := staff.get(t, staffReports).is(200)
	for i := range 2 {
		list.shows(object{fmt.Sprintf("%d.subject_now", i): nil, fmt.Sprintf("%d.changed", i): true})
		s.anyone().fetches(t, list.text(fmt.Sprintf("data.%d.subject_then.pictures.0", i))).is(200)
	}
	staff.post(t, hidePath, object{"event": id, "reason": "Advertises"}).is(404)
	staff.post(t, decidePath, object{"report": list.int("data.0.id"), "reason": "It is gone"}).is(201)
}

func commentInContext(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	id := ada.publishes(t, "Fog")
	for _, text := range []string{"Zero", "One", "Two", "Three"} {
		ada.comments(t, id, text)
		s.clock.advance(time.Second)
	}
	comment := bob.comments(t, id, "Rude")
	s.clock.advance(time.Second)
	ada.comments(t, id, "Later")
	ada.post(t, reportPath, object{"comment": comment, "reason": "abuse"}).is(201)
	list := staff.get(t, staffReports).is(200)
	list.shows(object{"0.subject_then.content": "Rude", "0.subject_now.event": id, "0.subject_now.event_title": "Fog"})
	assert.Equal(t, []string{"Three", "Two", "One"}, list.column("data.0.subject_now.comments_before", "content"))
	assert.EqualValues(t, ada.id, list.int("data.0.subject_now.comments_before.0.author.uid"))
}

func filteredCases(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	bob.post(t, reportPath, object{"event": ada.publishes(t, "Fog"), "reason": "spam"}).is(201)
	s.clock.advance(3 * time.Hour)
	bob.post(t, reportPath, object{"user": ada.id, "reason": "abuse"}).is(201)
	for query, want := range map[string][]string{
		"": {"event", "user"}, "?kind=event": {"event"}, "?kind=plate": {}, "?reason=abuse": {"user"}, "?older_than=2": {"event"},
		"?older_than=4": {}, "?kind=user&reason=spam": {},
	} {
		assert.Equal(t, want, staff.get(t, staffReports+query).is(200).column("data", "kind"), query)
	}
	assert.Equal(t, []any{"event", "user"}, staff.inParts(t, staffReports+"?state=open", "kind"))
	for field, query := range map[string]string{"kind": "?kind=tree", "reason": "?reason=ugly", "older_than": "?older_than=0"} {
		staff.get(t, staffReports+query).invalid(field)
	}
}

func decidedByDisabling(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	bob.post(t, reportPath, object{"user": ada.id, "reason": "abuse"}).is(201)
	staff.post(t, fmt.Sprintf("/api/back-office/v1/people/%d/disable/", ada.id), object{"reason": "Spammer"}).is(200)
	staff.get(t, staffReports+"?state=decided").is(200).shows(object{
		"0.decision": "account_disabled", "0.decided_by": staff.id, "0.decision_reason": "Spammer",
	})
	assert.Equal(t, "taken_down", bob.get(t, reportPath).is(200).at("data.0.state"))
}

func judgesThemselves(t *testing.T, s *server) {
	ada, staff, other := s.member(t), s.staff(t), s.staff(t)
	own, theirs := staff.publishes(t, "Mine"), ada.publishes(t, "Hers")
	ada.post(t, reportPath, object{"event": own, "reason": "abuse"}).is(201)
	ada.post(t, reportPath, object{"user": staff.id, "reason": "abuse"}).is(201)
	staff.post(t, reportPath, object{"event": theirs, "reason": "abuse"}).is(201)
	for _, id := range staff.get(t, staffReports).is(200).list("data") {
		report := id.(map[string]any)["id"]
		staff.post(t, decidePath, object{"report": report, "reason": "I am right"}).is(409)
	}
	for _, id := range []int{own, theirs} {
		staff.post(t, hidePath, object{"event": id, "reason": "I am right"}).is(409)
		other.post(t, hidePath, object{"event": id, "reason": "Rude"}).is(201)
		staff.post(t, restorePath, object{"event": id, "reason": "I am right"}).is(409)
		other.post(t, restorePath, object{"event": id, "reason": "A mistake"}).is(201)
	}
	staff.post(t, reportPath, object{"user": ada.id, "reason": "abuse"}).is(201)
	staff.does(t, "disable/", ada).fails(409, "CONFLICT")
	other.does(t, "disable/", ada).is(200)
	refused := staff.saying("Accept-Language", "zh").post(t, hidePath, object{"event": own, "reason": "I am right"}).is(409)
	assert.Contains(t, string(refused.body), "请由其他工作人员处理")
	assert.Equal(t, []string{"account_disabled", "restored", "hidden", "restored", "hidden"}, staff.get(t, acts).is(200).column("data", "act"))
}

func staffPagesCases(t *testing.T, s *server) {
	ada, bob := s.called(t, "Augusta", "Byron"), s.member(t)
	id := ada.writes(t, object{"html_content": "<p>Buy \"weapons\"</p>", "title": "Hm", "publish": true}).is(201).int("data.id")
	ada.post(t, plates, object{"event": id, "photo": dot}).is(201)
	for range 2 {
		s.member(t).post(t, reportPath, object{"event": id, "reason": "illegal"}).is(201)
	}
	comment := ada.comments(t, id, "Rude")
	bob.post(t, reportPath, object{"comment": comment, "reason": "abuse"}).is(201)
	b := s.atWork(t, s.staff(t))
	b.opens("reports/").shows(200, fmt.Sprintf("Event %d</a>: illegal × 2", id), "As it was reported, and still is",
		`<iframe sandbox srcdoc="<p>Buy &#34;weapons&#34;</p>"`, `<label class="blurred"><input type="checkbox"> Show this picture`,
		"/media/private/", fmt.Sprintf(`<a href="/back-office/events/%d/">On event %[1]d</a>: Hm`, id))
	assert.NotContains(t, b.body, "As it is now")
	ada.patch(t, eventPath(id), object{"html_content": "", "title": "Tea", "view_permission": 200}).is(200)
	b.opens("reports/?kind=event").shows(200, "As it was reported", "weapons", "As it is now", "Tea", "private")
	assert.NotContains(t, b.body, "Comment ")
	b.opens("reports/?reason=spam").shows(200, "No report is open.", `<option value="spam" selected>`)
	b.opens("reports/?kind=comment&older_than=x").shows(200, fmt.Sprintf("Comment %d</a>: abuse", comment))
	bob.post(t, images, object{"img": dot}).is(201)
	ada.post(t, reportPath, object{"user": bob.id, "reason": "spam"}).is(201)
	b.opens("reports/?kind=user").shows(200, fmt.Sprintf("Person %d</a>: spam", bob.id))
}

func ownReports(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	var ids []int
	for _, title := range []string{"Fog", "Mist", "Rain"} {
		ids = append(ids, ada.publishes(t, title))
		bob.post(t, reportPath, object{"event": ids[len(ids)-1], "reason": "spam", "text": title}).is(201)
		s.clock.advance(time.Second)
	}
	staff.post(t, hidePath, object{"event": ids[0], "reason": "Advertises"}).is(201)
	staff.post(t, decidePath, object{"report": staff.get(t, staffReports).is(200).int("data.0.id"), "reason": "No ad"}).is(201)
	list := bob.get(t, reportPath).is(200)
	assert.Equal(t, []string{"open", "dismissed", "taken_down"}, list.column("data", "state"))
	assert.Equal(t, []string{"Rain", "Mist", "Fog"}, list.column("data", "text"))
	assert.Equal(t, 3, list.int("pagination.total_count"))
	assert.Equal(t, []string{"Fog"}, bob.get(t, reportPath+"?page=2&page_size=2").is(200).column("data", "text"))
	assert.Equal(t, []any{"Rain", "Mist", "Fog"}, bob.inParts(t, reportPath+"?state=", "text"))
	assert.Empty(t, ada.get(t, reportPath).is(200).list("data"), "reports of what is theirs")
}
