package contract

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// decides sends the form of the report that the page shows first, with the act and the reason.
func (b *browser) decides(act, reason string) *browser {
	b.Helper()
	action := regexp.MustCompile(`action="/back-office/(reports/[^"]+)"`).FindStringSubmatch(b.body)
	require.NotNil(b, action, b.body)
	card, _, _ := strings.Cut(b.body[strings.Index(b.body, "<article"):], "</article>")
	assert.Contains(b, card, fmt.Sprintf(`value="%s" data-key=`, act))
	fields := []string{"act", act, "reason", reason}
	for _, field := range hiddenField.FindAllStringSubmatch(card, -1) {
		fields = append(fields, field[1], field[2])
	}
	return b.sends(html.UnescapeString(action[1]), fields...)
}

func staffPagesReports(t *testing.T, s *server) {
	staff, ada, bob := s.staff(t), s.called(t, "Augusta", "Byron"), s.called(t, "Bob", "Tables")
	id := ada.writes(t, object{"title": "Pills <b>", "content": "Buy them", "publish": true}).is(201).int("data.id")
	bob.post(t, reportPath, object{"event": id, "reason": "spam", "text": "It's \"an\" ad"}).is(201)
	bob.post(t, reportPath, object{"user": ada.id, "reason": "abuse"}).is(201)
	b := s.browser(t)
	b.logsIn(staff).leads("").shows(200, `<a href="/back-office/reports/"><strong>2</strong> open reports</a>`)
	b.opens("reports/").shows(200, fmt.Sprintf("Person %d: abuse", ada.id), fmt.Sprintf("Event %d: spam", id), "Pills <b>", "Buy them", `It's "an" ad`,
		"Augusta Byron", "Bob Tables", fmt.Sprintf(`href="/back-office/people/%d/disable/"`, ada.id))
	b.decides("dismiss", "No abuse").leads("reports/?done=dismiss&state=open").shows(200, "The report is dismissed.")
	b.decides("hide", "Advertises").leads("reports/?done=hide&state=open").shows(200, "It is hidden.", "No report is open.")
	bob.get(t, eventPath(id)).is(404)
	assert.Equal(t, "Advertises", ada.get(t, hiddenPath).is(200).text("data.0.reason"))
	b.opens("reports/?state=decided").shows(200, "hidden", "Show it again", "Decided")
	_, second, _ := strings.Cut(b.body, "</article>")
	b.body = second
	b.decides("restore", "A mistake").leads("reports/?done=restore&state=decided").shows(200, "It is shown again.", "Hide it")
	bob.get(t, eventPath(id)).is(200)
	list := staff.get(t, acts).is(200)
	assert.Equal(t, []string{"restored", "hidden", "report_decided"}, list.column("data", "act"))
	assert.Equal(t, []string{"A mistake", "Advertises", "No abuse"}, list.column("data", "reason"))
	assert.Equal(t, []string{fmt.Sprint(id), fmt.Sprint(id), "2"}, list.column("data", "object_id"))
	b.opens(fmt.Sprintf("audit/?about=%d", ada.id)).shows(200, "restored", "hid", "dismissed a report", "Advertises")
}

func staffPagesReportsWrong(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	id := ada.publishes(t, "Fog")
	ada.post(t, reportPath, object{"user": staff.id, "reason": "other"}).is(201)
	report := ada.post(t, reportPath, object{"event": id, "reason": "other"}).is(201).int("data.id")
	b := s.browser(t)
	b.logsIn(staff)
	b.opens("reports/").decides("hide", " ").shows(400, "This field may not be blank.", fmt.Sprintf(`href="#reason-%d"`, report), `aria-invalid="true"`)
	long := strings.Repeat("x", 501)
	b.decides("hide", long).shows(400, long)
	assert.Equal(t, 1, strings.Count(b.body, long), "in the form of its report alone")
	ada.get(t, eventPath(id)).is(200)
	assert.Empty(t, staff.get(t, acts).is(200).list("data"))
	b.sends("reports/", "report", fmt.Sprint(report), "kind", "event", "object", fmt.Sprint(id), "act", "forget", "reason", "x").shows(404)
	b.sends("reports/", "report", "x", "kind", "event", "object", fmt.Sprint(id), "act", "hide", "reason", "x").shows(404)
	b.sends("reports/", "report", "99", "kind", "event", "object", "99", "act", "hide", "reason", "x").shows(404, "Event not found.")

	b.opens("reports/")
	require.NoError(t, s.app.Signin.EndSessions(t.Context(), staff.id))
	b.decides("hide", "Kept").shows(401, "Your session had ended")
	b.sends("login/", append(b.hidden(), "username", staff.phone, "password", password)...).shows(200, "Nothing was changed: check it", `value="Kept"`)

	again := s.with(s.anyone().gets(t, staff))
	again.post(t, decidePath, object{"report": report, "reason": "A colleague"}).is(201)
	b.decides("dismiss", "Mine").shows(409, "The report is decided already.")
	assert.Len(t, again.get(t, acts).is(200).list("data"), 1)
}

func staffPagesQueue(t *testing.T, s *server) {
	ada, last := s.member(t), 0
	for i := range 22 {
		last = ada.post(t, reportPath, object{"event": ada.publishes(t, fmt.Sprint("Event ", i)), "reason": "other"}).is(201).int("data.id")
	}
	b := s.browser(t)
	b.logsIn(s.staff(t))
	b.opens("reports/").shows(200, "Older")
	_, second, _ := strings.Cut(b.body, "</article>")
	b.body = second
	b.decides("dismiss", "Fine").leads(fmt.Sprintf("reports/?done=dismiss&state=open#report-%d", last-2)).shows(200)
	older := func() string {
		next := regexp.MustCompile(`rel="next" href="([^"]+)"`).FindStringSubmatch(b.body)
		require.NotNil(t, next)
		return "reports/" + html.UnescapeString(next[1])
	}
	at := older()
	b.opens(at).shows(200)
	assert.Equal(t, 1, strings.Count(b.body, "<article"))
	b.decides("dismiss", "Fine").shows(303)
	b.asks("GET", b.header.Get("Location"), nil).shows(200, "The report is dismissed.")
	assert.Equal(t, 20, strings.Count(b.body, "<article"), "the first ones again")
}
