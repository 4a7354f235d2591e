package contract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"plaza/test/pictures"

	"github.com/stretchr/testify/assert"
)

const (
	reportPath   = "/api/activity/report/"
	hiddenPath   = "/api/user/moderation/"
	staffReports = "/api/back-office/v1/report/"
	decidePath   = "/api/back-office/v1/decide/"
	hidePath     = "/api/back-office/v1/hide/"
	restorePath  = "/api/back-office/v1/restore/"
)

var moderationRows = []row{
	{"MOD-01 MOD-06 a thing is reported once", reportedOnce, everyStore},
	{"MOD-01 only what the caller may see is reported", reportedWrongly, oneStore},
	{"MOD-01 a block keeps nobody from reporting", reportedBlocked, everyStore},
	{"MOD-03 a hidden event is its author's alone until it is restored", hiddenEvent, everyStore},
	{"MOD-03 a hidden comment is its author's alone until it is restored", hiddenComment, everyStore},
	{"MOD-03 a hidden image is in no list, and its files are not served", hiddenImage, everyServer},
	{"OFF-01 staff decide reports", decidedReports, everyStore},
	{"OFF-01 staff hide with a reason, and once", hiddenWrongly, oneStore},
}

func reportedOnce(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	id := ada.publishes(t, "Fog")
	comment := ada.comments(t, id, "Rude")
	plate := ada.attaches(t, id).int("data.id")
	for i, body := range []object{{"event": id}, {"comment": comment}, {"user": ada.id}, {"plate": plate}, {"profile": ada.id}} {
		body["reason"], body["text"] = "abuse", "It's rude"
		first := bob.post(t, reportPath, body).is(201)
		again := bob.post(t, reportPath, body).is(200)
		assert.Equal(t, first.at("data"), again.at("data"))
		list := staff.get(t, staffReports).is(200)
		assert.Len(t, list.list("data"), i+1)
		last := fmt.Sprintf("data.%d.", i)
		assert.Equal(t, first.at("data.kind"), list.at(last+"kind"), "the first reported first")
		assert.EqualValues(t, bob.id, list.int(last+"texts.0.by.uid"))
		assert.EqualValues(t, ada.id, list.int(last+"owner.uid"))
		assert.Nil(t, list.at(last+"decided_at"))
	}
}

func reportedWrongly(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	private := ada.writes(t, object{"title": "Mine", "publish": true, "view_permission": 200}).is(201).int("data.id")
	comment := ada.comments(t, private, "Mine")
	plate := ada.attaches(t, private).int("data.id")
	for field, id := range map[string]int{
		"event": private, "comment": comment, "image": 99, "user": 99_999, "plate": plate, "profile": 99_999,
	} {
		bob.post(t, reportPath, object{field: id, "reason": "spam"}).invalid(field)
	}
	id := ada.publishes(t, "Fog")
	bob.post(t, reportPath, object{"event": id, "reason": "ugly"}).invalid("reason")
	bob.post(t, reportPath, object{"event": id}).invalid("reason")
	bob.post(t, reportPath, object{"event": id, "reason": "spam", "text": strings.Repeat("文", 2001)}).invalid("text")
	bob.post(t, reportPath, object{"event": id, "user": ada.id, "reason": "spam"}).invalid("event")
	bob.post(t, reportPath, object{"reason": "spam"}).invalid("event")
}

// reportedBlocked has a reporter who blocks, one who is blocked, and what neither may see for another reason than that.
func reportedBlocked(t *testing.T, s *server) {
	ada, bob, cleo := s.member(t), s.member(t), s.member(t)
	public, contacts := ada.publishes(t, "Fog"), ada.publishes(t, "Mist", object{"view_permission": 100})
	draft := ada.writes(t, object{"title": "Draft"}).int("data.id")
	reported := []object{{"event": public}, {"comment": ada.comments(t, public, "Rude")}, {"image": ada.keeps(t, "x")}, {"user": ada.id}}
	bob.blocks(t, ada)
	ada.blocks(t, cleo)
	for _, p := range []person{bob, cleo} {
		for _, body := range reported {
			body["reason"] = "abuse"
			p.post(t, reportPath, body).is(201)
		}
		for _, id := range []int{contacts, draft} {
			p.post(t, reportPath, object{"event": id, "reason": "abuse"}).invalid("event")
		}
		p.post(t, reportPath, object{"comment": ada.comments(t, contacts, "Mine"), "reason": "abuse"}).invalid("comment")
	}
}

func hiddenEvent(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	id := ada.publishes(t, "Fog")
	shown := ada.get(t, eventPath(id)).is(200)
	bob.post(t, reportPath, object{"event": id, "reason": "spam"}).is(201)
	hidden := staff.post(t, hidePath, object{"event": id, "reason": "Advertises"}).is(201)
	assert.Equal(t, staff.get(t, acts).is(200).at("data.0"), hidden.at("data"))
	assertAct(t, hidden, "hidden", "event", id)
	assert.Equal(t, "Advertises", hidden.text("data.reason"))
	bob.get(t, eventPath(id)).is(404)
	bob.get(t, commentsOn(id)).is(404)
	bob.put(t, likePath(id)).is(404)
	assert.Empty(t, bob.get(t, fmt.Sprintf("/api/xfile/event/%d/view-list/", ada.id)).is(200).list("data"))
	own := ada.get(t, eventPath(id)).is(200)
	assert.Equal(t, shown.at("data.status"), own.at("data.status"))
	list := ada.get(t, hiddenPath).is(200)
	assert.Equal(t, "Advertises", list.at("data.0.reason"))
	assert.Equal(t, id, list.int("data.0.id"))
	assert.Empty(t, bob.get(t, hiddenPath).is(200).list("data"))
	assert.Empty(t, staff.get(t, staffReports+"?state=open").is(200).list("data"))
	assert.Len(t, staff.get(t, staffReports+"?state=decided").is(200).list("data"), 1)
	staff.post(t, restorePath, object{"event": id, "reason": "A mistake"}).is(201)
	assert.Equal(t, "Fog", bob.get(t, eventPath(id)).is(200).at("data.title"))
	assert.Empty(t, ada.get(t, hiddenPath).is(200).list("data"))
	assert.Equal(t, []string{"restored", "hidden"}, staff.get(t, acts).is(200).column("data", "act"))
}

// contents returns the texts of the comments on the event that the person sees in the list, within the event, and of which they
// are notified. The total must agree with the list.
func (p person) contents(t *testing.T, on int) (listed, within, notified []string) {
	t.Helper()
	list := p.get(t, commentsOn(on)).is(200)
	listed = list.column("data", "content")
	assert.Equal(t, len(listed), list.int("pagination.total_count"))
	within = p.reads(t, on).column("data.comments", "content")
	notices := p.get(t, notifications).is(200)
	assert.Equal(t, len(notices.list("data")), notices.int("unread_count"))
	for _, n := range notices.list("data") {
		if said, is := dig(n, "comment.content"); is {
			notified = append(notified, fmt.Sprint(said))
		}
	}
	return listed, within, notified
}

func hiddenComment(t *testing.T, s *server) {
	ada, bob, eve, staff := s.member(t), s.member(t), s.member(t), s.staff(t)
	id, other := ada.publishes(t, "Fog"), ada.publishes(t, "Mist")
	comment := bob.comments(t, id, "Rude")
	s.clock.advance(time.Second)
	later := bob.comments(t, other, "Later")
	s.clock.advance(time.Second)
	eve.comments(t, id, "Kind")
	eve.post(t, reportPath, object{"comment": comment, "reason": "abuse"}).is(201)
	assertAct(t, staff.post(t, hidePath, object{"comment": comment, "reason": "Rude"}), "hidden", "comment", comment)
	for who, want := range map[person][]string{ada: {"Kind"}, eve: {"Kind"}, bob: {"Kind", "Rude"}} {
		listed, within, _ := who.contents(t, id)
		assert.Equal(t, want, listed)
		assert.Equal(t, want, within)
	}
	_, _, notified := ada.contents(t, id)
	assert.Equal(t, []string{"Kind", "Later"}, notified)
	assert.Equal(t, 1, ada.reads(t, id).int("data.comment_count"))
	ada.delete(t, commentPath(comment)).is(404)
	ada.post(t, reportPath, object{"comment": comment, "reason": "abuse"}).invalid("comment")
	reported := staff.get(t, staffReports+"?state=decided").is(200)
	assert.Equal(t, "Rude", reported.at("data.0.subject_then.content"))
	assert.Equal(t, true, reported.at("data.0.is_hidden"))
	assert.Equal(t, "comment", bob.get(t, hiddenPath).is(200).at("data.0.kind"))
	bob.get(t, commentsOn(id)).is(200).shows(object{"1.content": "Rude", "1.is_hidden": true})
	assertAct(t, staff.post(t, restorePath, object{"comment": comment, "reason": "A mistake"}), "restored", "comment", comment)
	listed, within, notified := ada.contents(t, id)
	assert.Equal(t, [][]string{{"Kind", "Rude"}, {"Kind", "Rude"}, {"Kind", "Later", "Rude"}}, [][]string{listed, within, notified})
	assert.Equal(t, 2, ada.reads(t, id).int("data.comment_count"))
	assert.Empty(t, bob.get(t, hiddenPath).is(200).list("data"))

	assertAct(t, staff.post(t, hidePath, object{"comment": later, "reason": "Rude"}), "hidden", "comment", later)
	listed, within, _ = bob.contents(t, other)
	assert.Equal(t, [][]string{{"Later"}, {"Later"}}, [][]string{listed, within}, "it is the only one")
}

func hiddenImage(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	made := ada.post(t, images, object{"img": pictures.PNG(t, drawing(1500, 1200)), "tags": []any{"tea"}}).is(201)
	id, address := made.int("data.id"), made.text("data.img")
	bob.post(t, reportPath, object{"image": id, "reason": "illegal"}).is(201)
	isShown := func(status, listed int) {
		t.Helper()
		for _, address := range []string{address, inSize(address, "sm"), inSize(address, "md")} {
			s.anyone().fetches(t, address).is(status)
		}
		for _, who := range []person{ada, bob} {
			paged := who.get(t, fmt.Sprintf("%s?uid=%d&tags__contains=tea&page=1", images, ada.id)).is(200)
			assert.Equal(t, listed, paged.int("pagination.total_count"))
			assert.Len(t, paged.list("data"), listed)
		}
	}
	isShown(200, 1)
	assertAct(t, staff.post(t, hidePath, object{"image": id, "reason": "Stolen"}), "hidden", "image", id)
	isShown(404, 0)
	assert.Equal(t, "image", ada.get(t, hiddenPath).is(200).at("data.0.kind"))
	reported := staff.get(t, staffReports+"?state=decided").is(200)
	assert.Equal(t, true, reported.at("data.0.is_hidden"))
	for _, subject := range []string{"then", "now"} {
		s.anyone().fetches(t, reported.text("data.0.subject_"+subject+".pictures.0")).is(200)
	}
	bob.post(t, reportPath, object{"image": id, "reason": "illegal"}).invalid("image")
	ada.patch(t, imagePath(id), object{"tags": []any{"rain", "tea"}}).is(200)
	isShown(404, 0)
	assertAct(t, staff.post(t, restorePath, object{"image": id, "reason": "A mistake"}), "restored", "image", id)
	isShown(200, 1)
}

func decidedReports(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	id := ada.publishes(t, "Fog")
	bob.post(t, reportPath, object{"event": id, "reason": "spam"}).is(201)
	report := staff.get(t, staffReports).is(200).int("data.0.id")
	staff.post(t, decidePath, object{}).invalid("report", "reason")
	staff.post(t, decidePath, object{"report": report, "reason": "No spam"}).is(201)
	staff.post(t, decidePath, object{"report": report, "reason": "No spam"}).is(409)
	staff.post(t, decidePath, object{"report": report + 1, "reason": "No spam"}).is(404)
	assert.NotNil(t, staff.get(t, staffReports+"?state=decided").is(200).at("data.0.decided_at"))
	staff.get(t, staffReports+"?state=any").invalid("state")
	bob.get(t, eventPath(id)).is(200)
	assert.Equal(t, []string{"report_decided"}, staff.get(t, acts).is(200).column("data", "act"))
}

func hiddenWrongly(t *testing.T, s *server) {
	ada, staff := s.member(t), s.staff(t)
	id := ada.publishes(t, "Fog")
	for _, path := range []string{hidePath, restorePath} {
		staff.post(t, path, object{"event": id, "reason": " "}).invalid("reason")
		staff.post(t, path, object{"reason": "Rude"}).invalid("event")
		staff.post(t, path, object{"event": id, "comment": 99, "reason": "Rude"}).invalid("event")
		for _, kind := range []string{"event", "comment", "image"} {
			staff.post(t, path, object{kind: 9999, "reason": "Rude"}).is(404)
		}
	}
	s.storesItem(t, ada, 1, 0)
	for kind, id := range map[string]any{
		"event": id, "comment": ada.comments(t, id, "x"), "image": ada.keeps(t), "plate": ada.attaches(t, id).int("data.id"),
		"profile": ada.id, "publication": 1, "node": 1, "demand": 1,
	} {
		for _, path := range []string{hidePath, restorePath} {
			staff.post(t, path, object{kind: id, "reason": "Rude"}).is(201)
			staff.post(t, path, object{kind: id, "reason": "Again"}).is(409)
		}
	}
}

// assertAct asserts that the answer is the audit record of the act on the object.
func assertAct(t *testing.T, a answer, act, object string, id any) {
	t.Helper()
	assert.Equal(t, []string{act, object, fmt.Sprint(id)}, []string{a.is(201).text("data.act"), a.text("data.object"),
		a.text("data.object_id")})
}
