package contract

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox/ledger"
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
	ada, bob := s.called(t, "Augusta", "Byron"), s.called(t, "Bob", "Tables")
	id := ada.writes(t, object{"title": "Pills <b>", "content": "Buy them", "publish": true}).is(201).int("data.id")
	bob.post(t, reportPath, object{"event": id, "reason": "spam", "text": "It's \"an\" ad"}).is(201)
	bob.post(t, reportPath, object{"user": ada.id, "reason": "abuse"}).is(201)
	b := s.atWork(t, s.staff(t)).shows(200, `<a href="/back-office/reports/"><strong>2</strong> Open reports</a>`)
	b.opens("reports/").shows(200, fmt.Sprintf("Person %d</a>: abuse", ada.id),
		fmt.Sprintf(`<a href="/back-office/events/%d/">Event %[1]d</a>: spam`, id), "Pills <b>", "Buy them", `It's "an" ad`,
		"Augusta Byron", "Bob Tables", fmt.Sprintf(`href="/back-office/people/%d/disable/"`, ada.id))
	b.decides("hide", "Advertises").leads("reports/?done=hide").shows(200, "It is hidden.")
	b.decides("dismiss", "No abuse").leads("reports/?done=dismiss").shows(200, "The report is dismissed.", "No report is open.")
	bob.get(t, eventPath(id)).is(404)
	b.opens("reports/?state=decided").shows(200, "hidden", "Show it again", "Decided", "Dismissed", "No abuse", "Hidden", "Advertises")
	_, second, _ := strings.Cut(b.body, "</article>")
	b.body = second
	b.decides("restore", "A mistake").leads("reports/?done=restore&state=decided").shows(200, "It is shown again.", "Hide it")
	bob.get(t, eventPath(id)).is(200)
	b.opens(fmt.Sprintf("audit/?about=%d", ada.id)).shows(200, "restored", "hid", "dismissed a report", "Advertises")
}

func staffPagesReportsWrong(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	id := ada.publishes(t, "Fog")
	ada.post(t, reportPath, object{"event": id, "reason": "other"}).is(201)
	ada.post(t, reportPath, object{"user": staff.id, "reason": "other"}).is(201)
	report := staff.get(t, staffReports).is(200).int("data.0.id")
	b := s.atWork(t, staff)
	long := strings.Repeat("x", 501)
	b.opens("reports/").decides("hide", long).shows(400, long, fmt.Sprintf(`href="#reason-%d"`, report), `aria-invalid="true"`)
	assert.Equal(t, 1, strings.Count(b.body, long), "in the form of its report alone")
	for number, act := range map[string]string{fmt.Sprint(report): "forget", "x": "hide", "99": "hide"} {
		b.sends("reports/", "report", number, "kind", "event", "object", "99", "act", act, "reason", "x").shows(404)
	}
	b.sends("reports/", "report", "0", "kind", "event", "object", "x", "act", "hide", "reason", "x").shows(400, `href="#own-object"`)
	ada.get(t, eventPath(id)).is(200)
	assert.Empty(t, staff.get(t, acts).is(200).list("data"))
	b.opens("reports/")
	staff.post(t, decidePath, object{"report": report, "reason": "A colleague"}).is(201)
	b.decides("dismiss", "Mine").shows(409, "The report is decided already.")
	assert.Len(t, staff.get(t, acts).is(200).list("data"), 1)
}

// twice is a payment that came in for an order that was paid.
func (s *till) twice(t *testing.T) (order int, transaction string) {
	t.Helper()
	_, order, trade := s.settled(t)
	first := trade
	first.TransactionID = "4200000000000000000000000099"
	for _, paid := range []ledger.Trade{first, trade} {
		s.hears(t, letter(s.notice(paid, nil), walletKey)).isTaken()
		s.clock.advance(time.Second)
	}
	return order, trade.TransactionID
}

func staffRefund(t *testing.T, s *till) {
	order, transaction := s.twice(t)
	b := s.atWork(t, s.staff(t)).shows(200, "Payments to be refunded")
	b.opens("money/").shows(200, "To be refunded", "Payment 2", "¥9.90")
	assert.NotContains(t, b.body, "Payment 1")
	b.opens(fmt.Sprintf("money/search/?q=%d", order)).shows(200, fmt.Sprintf(`href="/back-office/people/%d/"`, order)) // is a uid, too
	b.opens(fmt.Sprintf("money/search/?q=%%23%d", order)).leads(fmt.Sprintf("money/order/%d/", order)).
		shows(200, "Money came in that the order did not need", "Payment 1", "Payment 2", transaction, "Ordered")
	b.opens("money/search/?q="+transaction).leads("money/payment/2/").shows(200, "to be refunded", "Nothing was refunded.", `value="9.90"`)
	once := regexp.MustCompile(`name="once" value="([^"]+)"`).FindStringSubmatch(b.body)[1]
	form := []string{"amount", "9.9", "reason", "It came in twice", "once", once}
	confirm := "money/payment/2/?amount=9.9&reason=It+came+in+twice&once=" + once
	b.opens(confirm).shows(200, "Refund this?", "Refund ¥9.90 now", "It came in twice")
	b.opens(confirm+"&change=yes").shows(200, `value="9.9"`, `value="It came in twice"`, `id="amount"`)
	assert.Empty(t, s.box.Refunds(), "before it was confirmed")
	for range 2 {
		b.sends("money/payment/2/", form...).leads("money/payment/2/?done=refund").
			shows(200, "The refund was ordered.", "It came in twice", "All of it is refunded.")
	}
	require.Len(t, s.box.Refunds(), 1, "a form that is sent twice")
	b.opens("money/").shows(200, "Nothing here.")
	b.opens(fmt.Sprintf("money/order/%d/", order)).shows(200, "Refund ordered", "Ada Berg (")
	b.opens(fmt.Sprintf("people/%d/", order)).shows(200, "Payment 1", "Payment 2", "Refund 1", "It came in twice")
	b.opens("money/?list=refunds").shows(200, `<a href="/back-office/money/payment/2/">Refund 1</a>`)
	assert.Regexp(t, `act="POST /back-office/money/payment/\{id\}/" id=2 payment=2 amount=990 refund=1`, s.log.String())
}

func staffRefundWrong(t *testing.T, s *till) {
	s.twice(t)
	b := s.atWork(t, s.staff(t))
	b.opens("money/payment/2/").shows(200)
	for amount, says := range map[string]string{"": "Enter an amount like 12.50.", "0": "Enter an amount", "9.91": "At most ¥9.90 is left"} {
		query := url.Values{"amount": {amount}, "reason": {"Because <1>"}, "once": {"x"}}.Encode()
		b.opens("money/payment/2/?"+query).shows(400, says, `id="amount"`, "Because <1>")
	}
	for _, c := range []struct {
		path, amount, reason, once string
		status                     int
		says                       string
	}{
		{"2/", "1", " ", "x", 400, "This field may not be blank."}, {"2/", "1", "Because", "", 403, "Nothing was changed."},
		{"2/", "9.91", "Because", "x", 409, "Only 990 is left"}, {"7/", "1", "Because", "x", 404, "Payment not found."},
	} {
		b.sends("money/payment/"+c.path, "amount", c.amount, "reason", c.reason, "once", c.once).shows(c.status, c.says)
	}
	assert.Empty(t, s.box.Refunds())
}

func staffPagesChangeAccounts(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	at := fmt.Sprintf("people/%d/", ada.id)
	b := s.atWork(t, staff)
	b.opens("people/?q="+url.QueryEscape(ada.phone)).shows(200, fmt.Sprintf(`href="/back-office/%s"`, at))
	b.opens("people/?q=x").shows(400, "Enter at least one Chinese character", `value="x"`)
	b.opens(at+"disable/").shows(200, "Disable this account?", "Reason")
	b.sends(at+"disable/", "reason", "Spam").leads(at+"?done=disable").shows(200, "The account is disabled.", "Enable…")
	ada.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
	b.sends(at+"enable/", "reason", "It was not spam").leads(at+"?done=enable").shows(200, "The account is enabled.", "Disable…")
	ada.get(t, profile).is(200)
	b.opens(at + "rights/")
	assert.Equal(t, 3, strings.Count(b.body, " checked"), "all scopes, and no staff")
	b.sends(at+"rights/", "reason", "New here", "scopes", "xfile_event", "roles", "support").leads(at+"?done=rights").shows(200, "back_office",
		"xfile_event")
	assert.NotContains(t, b.body, "pay_trade_order")
	b.sends(at+"sessions/", "reason", "A lost telephone").leads(at+"?done=sessions").shows(200, "All sessions have ended.")
	ada.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
}

func staffPagesActsWrong(t *testing.T, s *server) {
	staff, ada := s.staff(t), s.member(t)
	own, at := fmt.Sprintf("people/%d/", staff.id), fmt.Sprintf("people/%d/", ada.id)
	b := s.atWork(t, staff)
	b.opens(own).shows(200, "This is your own account.")
	for _, c := range []struct {
		path   string
		fields []string
		status int
		says   []string
	}{
		{own + "disable/", []string{"reason", "Because <1>"}, 409, []string{"You cannot disable your own account.", ` value="Because <1>" required`}},
		{own + "rights/", []string{"reason", "x", "scopes", "xfile_event"}, 409,
			[]string{"You cannot take the role admin from your own account."}},
		{at + "disable/", []string{"reason", " "}, 400, []string{"This field may not be blank.", `href="#reason"`}},
		{at + "rights/", []string{"reason", "x", "scopes", "everything"}, 400, []string{"Unknown scope", `href="#scopes"`}},
		{"people/7777/disable/", []string{"reason", "x"}, 404, []string{"Account not found."}},
	} {
		b.sends(c.path, c.fields...).shows(c.status, c.says...)
	}
	ada.get(t, profile).is(200)
	b.sends(own+"sessions/", "reason", "A lost telephone").leads(own + "?done=sessions").shows(303)
}
