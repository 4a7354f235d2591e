package sandbox

import (
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox/ledger"
)

// pressed sends the form as the page does.
func pressed(s *Server, path string, form url.Values) *httptest.ResponseRecorder {
	return pressedFrom(s, "Sec-Fetch-Site", "same-origin", path, form)
}

// pressedFrom sends the form from where the header says.
func pressedFrom(s *Server, header, value, path string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set(header, value)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

// TestPAY10_buttons_that_pay shows what the merchant receives, and after what time.
func TestPAY10_buttons_that_pay(t *testing.T) {
	type notice struct {
		after   time.Duration
		genuine bool
		amount  string
	}
	genuine := func(after time.Duration) notice { return notice{after, true, "990"} }
	forged := []notice{{0, false, "990"}, genuine(ledger.Pauses[0])}
	want := map[Trick][]notice{
		Lose:   {genuine(ledger.Pauses[0])},
		Delay:  {genuine(buttonDelay)},
		Late:   {genuine(ledger.Pauses[0])},
		Repeat: {genuine(0), genuine(0), genuine(0)},
		Forge:  forged,
		Amount: {{0, true, "991"}},
		Probe:  forged, Old: forged, OtherSerial: forged,
	}
	for trick, want := range want {
		t.Run(string(trick), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, m := bubble(t, 1)
				begun := time.Now()
				var mu sync.Mutex // copies of a notification arrive at once
				var got []notice
				m.answer = func(f fields) (int, string) {
					sum, err := sign(f, key, hmacSign)
					assert.NoError(t, err)
					mu.Lock()
					defer mu.Unlock()
					got = append(got, notice{time.Since(begun), sum == f["sign"], f["total_fee"]})
					if sum != f["sign"] {
						return http.StatusOK, "<xml><return_code>FAIL</return_code></xml>"
					}
					return http.StatusOK, yes
				}
				running(t, s)
				assert.Equal(t, http.StatusSeeOther, pressed(s, "/sandbox/pay/order-1", url.Values{"do": {string(trick)}}).Code)
				pass(time.Hour)
				synctest.Wait()
				assert.Equal(t, want, got)
				assert.Equal(t, ledger.Success, s.Trades()[0].State)
				assert.Empty(t, s.tricks.pending())
			})
		})
	}
	for _, info := range tricksOf(Notify) {
		assert.Contains(t, want, info.Do)
	}
	assert.Len(t, tricksOf(Notify), len(want))
}

func TestPAY11_buttons_that_refuse_the_payer(t *testing.T) {
	s := start(t, config(newClock()))
	placed(t, s, "order-1")
	require.Equal(t, http.StatusSeeOther, pressed(s, "/sandbox/decline/order-1", nil).Code)
	assert.Equal(t, "PAYERROR", ask(t, s, OrderQuery, about("order-1"))["trade_state"])
	assert.Empty(t, s.Ledger.Pending(), "the merchant is not notified")
	require.Equal(t, http.StatusSeeOther, pressed(s, "/sandbox/expire/order-1", nil).Code)
	for _, path := range []string{"/sandbox/pay/order-1", "/sandbox/decline/order-1", "/sandbox/expire/order-1"} {
		again := pressed(s, path, nil)
		assert.Equal(t, http.StatusConflict, again.Code)
		assert.Contains(t, again.Body.String(), ledger.ErrExpired.Error())
		assert.Contains(t, again.Body.String(), `data-path="/sandbox/pay/order-1"`, "the script asks for the page of the order")
	}
	placed(t, s, "order-1")
	assert.Equal(t, http.StatusSeeOther, pressed(s, "/sandbox/pay/order-1", nil).Code, "the merchant has ordered it again")
	for _, path := range []string{"/sandbox/decline/", "/sandbox/expire/"} {
		assert.Equal(t, http.StatusConflict, pressed(s, path+"order-1", nil).Code)
		assert.Equal(t, http.StatusNotFound, pressed(s, path+"nothing", nil).Code)
	}
	assert.Equal(t, ledger.Success, s.Trades()[0].State)
}

func TestButtons_that_the_page_does_not_have(t *testing.T) {
	s := start(t, config(newClock()))
	placed(t, s, "order-1")
	for _, form := range []url.Values{{"on": {"notify"}, "do": {"garbage"}}, {"on": {"else"}, "do": {"reset"}}, {"do": {"reset"}}, nil} {
		assert.Equal(t, http.StatusBadRequest, pressed(s, "/sandbox/misbehave", form).Code)
	}
	assert.Equal(t, http.StatusBadRequest, pressed(s, "/sandbox/pay/order-1", url.Values{"do": {"garbage"}}).Code)
	s.waiting = slices.Repeat([]Misbehaviour{{On: OrderQuery, Do: Reset}}, maxTricks)
	assert.Equal(t, http.StatusBadRequest, pressed(s, "/sandbox/pay/order-1", url.Values{"do": {"lose"}}).Code)
	assert.Equal(t, ledger.NotPaid, s.Trades()[0].State)
	for _, path := range []string{"/sandbox/misbehave", "/sandbox/behave", "/sandbox/decline/order-1", "/sandbox/expire/order-1"} {
		assert.Equal(t, http.StatusMethodNotAllowed, call(s, http.MethodGet, path, "").Code)
	}
}

func TestPAY14_buttons_that_end_a_refund(t *testing.T) {
	outcomes := []struct {
		State ledger.RefundState
		Label string
	}{{ledger.RefundSucceeded, "Let it succeed"}, {ledger.RefundClosed, "Close it"}, {ledger.RefundAbnormal, "Let it be lost"}}
	for _, c := range outcomes {
		s := start(t, config(newClock()))
		require.Empty(t, refunds(t, s, paid(t, s, "order-1"), "refund|1@*", 40))
		all := call(s, http.MethodGet, "/", "").Body.String()
		assert.Contains(t, all, "Refund of ¥0.40")
		assert.NotContains(t, all, c.Label)
		page := call(s, http.MethodGet, "/sandbox/pay/order-1", "").Body.String()
		assert.Contains(t, page, `<form method="post" action="/sandbox/refund/refund%7C1@%2A">`)
		assert.Contains(t, page, `<button name="state" value="`+string(c.State)+`">`+c.Label+"</button>")
		done := pressed(s, "/sandbox/refund/refund%7C1@%2A", url.Values{"state": {string(c.State)}})
		require.Equal(t, http.StatusSeeOther, done.Code, done.Body)
		assert.Equal(t, "/sandbox/pay/order-1", done.Header().Get("Location"))
		assert.Equal(t, c.State, s.Refunds()[0].State)
		page = call(s, http.MethodGet, "/sandbox/pay/order-1", "").Body.String()
		assert.Equal(t, c.State == ledger.RefundAbnormal, strings.Contains(page, outcomes[0].Label), "a lost one can still succeed")
		assert.Contains(t, page, "notification: not sent yet; due")
		again := pressed(s, "/sandbox/refund/refund%7C1@%2A", url.Values{"state": {string(ledger.RefundClosed)}})
		assert.Equal(t, http.StatusConflict, again.Code)
		assert.Contains(t, again.Body.String(), ledger.ErrRefundEnded.Error())
		assert.Contains(t, again.Body.String(), `data-path="/sandbox/pay/order-1"`)
	}
	s := start(t, config(newClock()))
	require.Empty(t, refunds(t, s, paid(t, s, "order-1"), "refund-1", 40))
	assert.Equal(t, http.StatusBadRequest, pressed(s, "/sandbox/refund/refund-1", url.Values{"state": {"else"}}).Code)
	assert.Equal(t, http.StatusNotFound, pressed(s, "/sandbox/refund/refund-2", url.Values{"state": {"SUCCESS"}}).Code)
	assert.Equal(t, ledger.RefundProcessing, s.Refunds()[0].State)
}

// TestPAY13_buttons_that_misbehave presses the button of every trick, for every operation that has it.
func TestPAY13_buttons_that_misbehave(t *testing.T) {
	s := start(t, config(newClock()))
	placed(t, s, "order-1")
	for _, info := range trickTable {
		for op, name := range operationNames {
			form := url.Values{"on": {string(op)}, "do": {string(info.Do)}, "out_trade_no": {"order-1"}}
			done := pressed(s, "/sandbox/misbehave", form)
			assert.Contains(t, signed, op)
			if !slices.Contains(info.On, op) {
				assert.Equal(t, http.StatusBadRequest, done.Code, form)
				continue
			}
			require.Equal(t, http.StatusSeeOther, done.Code, form)
			assert.Equal(t, "/sandbox/pay/order-1", done.Header().Get("Location"))
			page := html.UnescapeString(call(s, http.MethodGet, "/sandbox/pay/order-1", "").Body.String())
			assert.Contains(t, page, `<button name="do" value="`+string(info.Do)+`">`+info.Label+"</button>")
			assert.Contains(t, page, "<li>"+name+": "+info.Label+", for order-1</li>")
			assert.Equal(t, info.Do, s.next(op, "order-1").Do)
		}
	}
	require.Equal(t, http.StatusSeeOther, pressed(s, "/sandbox/misbehave", url.Values{"on": {"orderquery"}, "do": {"slow"}}).Code)
	want := Misbehaviour{On: OrderQuery, Do: Slow, Copies: 1, DelayMS: buttonDelay.Milliseconds()}
	assert.Equal(t, want, s.next(OrderQuery, "order-1"))
	require.NoError(t, s.Misbehave(want))
	assert.Equal(t, "/", pressed(s, "/sandbox/behave", nil).Header().Get("Location"))
	assert.Empty(t, s.tricks.pending())
}
