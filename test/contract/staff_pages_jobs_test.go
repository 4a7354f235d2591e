package contract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/domain/access"
	"plaza/domain/page"
	"plaza/domain/payment"
)

// staffJobRows show what support does at a page, each with a reason that the audit has.
var staffJobRows = []row{
	{"OFF-05 staff give an account another number", staffChangeNumber, oneStore},
	{"OFF-05 AUT-17 staff send a code for a new password, also to staff, and learn neither", staffSendCode, everyStore},
	{"OFF-05 staff export what is stored of a person", staffExport, oneStore},
	{"OFF-05 staff erase a person whose uid they type", staffErase, oneStore},
	{"OFF-05 staff create an order once, and close it", staffOrders, everyStore},
	{"OFF-05 OFF-02 the overview tells of imports with rejected lines for seven days, and a page of the lines", staffSeeRejects, oneStore},
	{"OFF-05 what can only fail is not offered", staffOffers, oneStore},
}

var staffJobSales = []sale{
	{"OFF-05 an order whose payment the wallet prepared is closed there, too, and a paid one is not closed", staffCloseAtWallet, oneStore},
	{"OFF-05 PAY-15 staff settle a difference, which stays settled while it is the same", staffSettle, everyStore},
	{"OFF-05 staff see the orders of which the wallet has told nothing", staffSeeDoubt, everyStore},
}

// does opens the page of the act on the person, and sends its form with a reason.
func (b *browser) does(of person, act string, fields ...string) *browser {
	b.Helper()
	at := fmt.Sprintf("people/%d/%s/", of.id, act)
	b.opens(at).shows(200, "Reason")
	return b.sends(at, append(b.hidden(), append([]string{"reason", "Asked by telephone"}, fields...)...)...)
}

// isRecorded asserts that the audit has the act, the latest of all, with the reason.
func (b *browser) isRecorded(act string) {
	b.Helper()
	b.opens("audit/").shows(200, act)
	_, row, _ := strings.Cut(b.body, "<tbody")
	row, _, _ = strings.Cut(row, "</tr>")
	assert.Contains(b, row, act)
	assert.Contains(b, row, "Asked by telephone")
}

// atWork is a browser in which the person has logged in.
func (s *server) atWork(t *testing.T, who person) *browser {
	t.Helper()
	return s.browser(t).logsIn(who).leads("").shows(200)
}

func staffChangeNumber(t *testing.T, s *server) {
	ada, bob, b := s.member(t), s.member(t), s.atWork(t, s.staff(t))
	b.does(ada, "phone", "username", "7").shows(400, "Enter a phone number in the form", `href="#username"`, `value="7"`)
	b.does(ada, "phone", "username", bob.phone).shows(400, "An account with this phone number exists.")
	b.does(ada, "phone", "username", newcomer(1), "reason", " ").shows(400, "This field may not be blank.")
	ada.get(t, profile).is(200)
	b.does(ada, "phone", "username", newcomer(1)).leads(fmt.Sprintf("people/%d/?done=phone", ada.id)).shows(200, newcomer(1))
	ada.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
	s.anyone().logsIn(t, newcomer(1), password).is(200)
	b.isRecorded("set the phone number")
}

func staffSendCode(t *testing.T, s *server) {
	ada, nora, b := s.member(t), s.staff(t), s.atWork(t, s.staff(t))
	for _, p := range []person{ada, nora} {
		b.does(p, "password").leads(fmt.Sprintf("people/%d/?done=password", p.id)).shows(200, "is on its way")
		code := s.receives(t, p.phone).Code.Reveal()
		assert.NotContains(t, b.body, code)
		b.isRecorded("sent a code for a new password")
		s.anyone().resets(t, p.phone, wrongFor(t, code, 0)).invalid("code")
		s.anyone().resets(t, p.phone, code).is(204)
		s.anyone().logsIn(t, p.phone, newPassword).is(200)
		s.anyone().resets(t, p.phone, code).invalid("code")
	}
	s.clock.advance(2 * time.Minute)
	b.does(nora, "password").leads(fmt.Sprintf("people/%d/?done=password", nora.id))
	code := s.receives(t, nora.phone).Code.Reveal()
	require.NoError(t, s.app.Signin.SetRoles(t.Context(), nora.id))
	s.anyone().resets(t, nora.phone, code).invalid("code")
}

func staffExport(t *testing.T, s *server) {
	ada, b := s.called(t, "Augusta", "Byron"), s.atWork(t, s.staff(t))
	ada.publishes(t, "Fog over the canal")
	b.does(ada, "export", "reason", "").shows(400, "This field")
	b.does(ada, "export").shows(200)
	assert.Equal(t, fmt.Sprintf(`attachment; filename="plaza-user-%d.zip"`, ada.id), b.header.Get("Content-Disposition"))
	assert.Contains(t, unzipped(t, []byte(b.body))["events.json"], "Fog over the canal")
	b.isRecorded("exported the person’s data")
}

func staffErase(t *testing.T, s *server) {
	ada, b := s.member(t), s.atWork(t, s.staff(t))
	event := ada.publishes(t, "Fog")
	b.does(ada, "erase", "uid", "7777").shows(400, "This is not the uid of the person.", `href="#uid"`)
	ada.get(t, profile).is(200)
	b.does(ada, "erase", "uid", fmt.Sprint(ada.id)).leads("people/?done=erase").shows(200, "is being erased")
	ada.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
	s.member(t).get(t, eventPath(event)).is(404)
	b.opens(fmt.Sprintf("people/%d/", ada.id)).shows(404)
	b.opens("audit/").shows(200, "erased the person")
}

func staffOrders(t *testing.T, s *server) {
	ada, b := s.member(t), s.atWork(t, s.staff(t))
	for field, says := range map[string]string{"amount": "Enter an amount like 12.50", "hours": "Enter whole hours", "subject": "This field"} {
		for _, wrong := range []string{"", "0x1", "100000.01", "5124097"} {
			if field == "subject" {
				wrong = strings.Repeat("Tea", 50)
				says = "no more than 127 bytes"
			}
			b.does(ada, "order", "amount", "12.5", "subject", "Tea <2>", "hours", "3", field, wrong).shows(400, says, fmt.Sprintf(`href="#%s"`, field))
		}
	}
	b.opens(fmt.Sprintf("people/%d/order/", ada.id))
	assert.Regexp(t, `name="once" value="\w{26}"`, b.body)
	form := append(b.hidden(), "reason", "Asked by telephone", "amount", "12.5", "subject", "Tea <2>", "hours", "3")
	for range 2 {
		b.sends(fmt.Sprintf("people/%d/order/", ada.id), form...).leads("money/order/1/?done=order").
			shows(200, "The order was created.", "Tea <2>", "¥12.50", "Close this order…")
	}
	assert.Len(t, ada.get(t, "/api/pay/order/").is(200).list("data"), 1, "a form that is sent twice")
	b.isRecorded("created an order")
	b.opens("money/order/1/")
	b.sends("money/order/1/", "reason", " ").shows(400, "This field may not be blank.", `href="#reason"`, `name="reason" value=" "`)
	b.opens("money/order/1/")
	b.sends("money/order/1/", "reason", "Asked by telephone").leads("money/order/1/?done=close").
		shows(200, "The order is closed.", "The order has ended")
	assert.NotContains(t, b.body, "Close this order…")
	ada.get(t, "/api/pay/order/1/").is(200).shows(object{"state": "closed"})
	b.isRecorded("closed an order")
	b.sends("money/order/1/", "reason", "Again").shows(409, "This order is closed.")
	b.opens("audit/?about="+fmt.Sprint(ada.id)).shows(200, "closed an order")
	assert.NotContains(t, b.body, "Again")
}

func staffSeeRejects(t *testing.T, s *server) {
	s.brings(t, "no JSON")
	b := s.atWork(t, s.staff(t))
	const card = `<a href="/back-office/imports/?rejected=true"><strong>1</strong> Imports with rejected lines, in 7 days</a>`
	b.opens("").shows(200, card)
	b.opens("imports/").shows(200, "completed rejected", `href="/back-office/imports/1/">1</a>`)
	b.opens("imports/1/").shows(200, "Rejected lines", "Download as CSV", "found.jsonl")
	b.opens("imports/1/?format=csv").shows(200, "file,line,field,reason\r\n", ",1,,")
	assert.NotContains(t, b.body, "no JSON", "the line itself is in the file of rejects")
	s.clock.advance(7*24*time.Hour - time.Minute)
	b.logsIn(s.staff(t))
	b.opens("").shows(200, card)
	s.clock.advance(2 * time.Minute)
	b.opens("").shows(200, "<strong>0</strong> Imports with rejected lines")
}

func staffOffers(t *testing.T, s *server) {
	nora, ada := s.staff(t), s.member(t)
	b := s.atWork(t, nora)
	for _, p := range []person{nora, ada} {
		b.opens(fmt.Sprintf("people/%d/", p.id)).shows(200, "New password…", "Export…")
		for act, link := range map[string]string{"disable": "Disable…", "erase": "Erase…"} {
			assert.Equal(t, p.id == ada.id, strings.Contains(b.body, link), link)
			b.opens(fmt.Sprintf("people/%d/%s/", p.id, act)).shows(map[bool]int{true: 200, false: 404}[p.id == ada.id])
			b.opens(fmt.Sprintf("people/%d/", p.id))
		}
		assert.NotContains(t, b.body, "Enable…")
	}
	b.sends(fmt.Sprintf("people/%d/erase/", nora.id), "uid", fmt.Sprint(nora.id), "reason", "x").shows(400)
	nora.get(t, profile).is(200)
	b.logsIn(s.staff(t, access.Support))
	b.opens(fmt.Sprintf("people/%d/", nora.id)).shows(200, "Create an order…")
	for _, act := range []string{"phone", "password", "sessions", "disable", "export", "erase"} {
		assert.NotContains(t, b.body, fmt.Sprintf("people/%d/%s/", nora.id, act), "support would take over or shut out an admin")
		b.opens(fmt.Sprintf("people/%d/%s/", nora.id, act)).shows(403, "This needs the role admin.")
		b.opens(fmt.Sprintf("people/%d/", nora.id))
	}
	b.does(ada, "order", "amount", "1", "subject", "Tea", "hours", "3").leads("money/order/1/?done=order")
	for role, shows := range map[access.Role]bool{access.Cashier: false, access.Support: true} {
		b.logsIn(s.staff(t, role))
		b.opens("money/order/1/").shows(200)
		assert.Equal(t, shows, strings.Contains(b.body, "Close this order…"), role)
		b.sends("money/order/1/", "reason", " ").shows(map[bool]int{true: 400, false: 403}[shows])
	}
}

func staffCloseAtWallet(t *testing.T, s *till) {
	ada, order := s.sells(t)
	b := s.atWork(t, s.staff(t))
	at := fmt.Sprintf("money/order/%d/", order)
	ada.post(t, pay, paymentWith(byCode)).is(200)
	b.opens(at).shows(200)
	b.sends(at, "reason", "Too soon for the wallet").shows(409)
	b.opens("audit/?act=order_closed").shows(200, "Nothing is recorded.")
	s.clock.advance(payment.CloseAge)
	b.opens(at)
	b.sends(at, "reason", "Asked by telephone").leads(at+"?done=close").shows(200, "The wallet takes no payment any more")
	assert.Equal(t, ledger.Closed, s.trade(t).State)
	b.isRecorded("closed an order")
	_, second, _ := s.settled(t)
	s.hears(t, letter(s.notice(s.trade(t), nil), walletKey)).isTaken()
	at = fmt.Sprintf("money/order/%d/", second)
	b.sends(at, "reason", "It was paid").shows(409, "This order is already paid.")
}

func staffSettle(t *testing.T, s *till) {
	found := payment.Finding{
		Day: billed, Kind: payment.FoundAmount, TransactionID: "t1", Expected: payment.Detail{Amount: 990, Currency: "CNY"},
		Found: payment.Detail{Number: "refund-1", Amount: 99, Currency: "CNY", Note: "closed"},
	}
	other := payment.Finding{Day: billed, Kind: payment.FoundRefund, TransactionID: "t2", RefundNo: "refund-2"}
	store := func(all ...payment.Finding) {
		require.NoError(t, s.app.Stores.Ledger.StoreFindings(t.Context(), s.clock.Now(), all))
	}
	store(found, other)
	b := s.atWork(t, s.staff(t))
	b.opens("").shows(200, `<a href="/back-office/money/?list=findings"><strong>2</strong> Differences from the wallet’s bills</a>`)
	b.opens("money/?list=findings").shows(200, "Another amount", "¥9.90", "refund-1 · ¥0.99 · closed", "2026-11-20")
	b.sends("money/?list=findings&format=csv", "finding", "1", "reason", " ").
		shows(400, "This field may not be blank.", `href="#reason"`, ` id="reason"`, `value=" "`)
	for _, none := range []string{"", "x", "77"} {
		b.sends("money/?list=findings", "finding", none, "reason", "x").shows(404, "No open difference has this number.")
	}
	b.sends("money/?list=findings", "finding", "1", "reason", "Asked by telephone").leads("money/?list=findings&done=settle").
		shows(200, "The difference is settled.", "A refund that differs")
	assert.NotContains(t, b.body, "refund-1")
	b.opens("money/?list=findings&state=resolved").shows(200, "refund-1 · ¥0.99 · closed", `<option value="resolved" selected>`)
	assert.NotContains(t, b.body, "Settle it")
	b.opens("money/?list=findings&state=all&kind=%27x").shows(200, "<code>t2</code>", "Settle it")
	b.opens("money/?list=findings&kind=refund&from=2026-11-20&to=2026-11-20&sort=oldest").shows(200, `<option value="refund" selected>`)
	for query, rows := range map[string]string{
		"":               "2,2026-11-20,refund,,t2,,,\r\n",
		"state=resolved": "1,2026-11-20,amount,,t1,990 CNY,\"refund-1: 99 CNY, closed\",", "from=2026-11-21": "", "to=2026-11-19": "",
	} {
		b.opens("money/?list=findings&format=csv&"+query).shows(200, "\ufeffid,day,kind,order,wallet_id,expected,found,resolved_at\r\n"+rows)
		if query != "" {
			assert.Equal(t, b.body, s.staff(t).exports(t, findings+"?format=csv&"+query))
		}
	}
	b.isRecorded("settled a difference")
	b.sends("money/?list=findings", "finding", "1", "reason", "x").shows(404)
	open := func() int {
		p, err := s.app.Stores.Ledger.Findings(t.Context(), payment.FindingFilter{State: payment.FindingOpen}, page.Request{})
		require.NoError(t, err)
		return p.Total
	}
	store(found)
	assert.Equal(t, 1, open(), "the same is found again")
	found.Found = payment.Detail{Amount: 991, Currency: "CNY"}
	store(found)
	assert.Equal(t, 2, open(), "something else is found")
}

func staffSeeDoubt(t *testing.T, s *till) {
	ada, order := s.sells(t)
	s.sells(t)
	s.misbehaves(t, sandbox.Misbehaviour{On: sandbox.UnifiedOrder, Do: sandbox.Garbage})
	ada.post(t, pay, paymentWith(byCode))
	b := s.atWork(t, s.staff(t))
	b.opens("money/?list=unknown").shows(200, fmt.Sprintf("Order %d", order))
	assert.Equal(t, 1, strings.Count(b.body, "<td role=\"cell\"><a "))
	b.opens("money/?list=nowhere").shows(404)
}
