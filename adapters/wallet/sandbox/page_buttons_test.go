package sandbox

import (
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
)

// pressed sends the form as the page does.
func pressed(s *Server, path string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
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
	want := map[Trick][]notice{
		Lose:   {genuine(pauses[0])},
		Delay:  {genuine(lateNotification)},
		Late:   {genuine(pauses[0])},
		Repeat: {genuine(0), genuine(0), genuine(0)},
		Forge:  {{0, false, "990"}, genuine(pauses[0])},
		Amount: {{0, true, "991"}},
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
				assert.Equal(t, http.StatusSeeOther, pressed(s, "/sandbox/pay/order-1", url.Values{"notification": {string(trick)}}).Code)
				pass(time.Hour)
				synctest.Wait()
				assert.Equal(t, want, got)
				assert.Equal(t, Success, s.Ledger()[0].State)
				assert.Empty(t, s.pendingMisbehaviours())
			})
		})
	}
	s := start(t, config(newClock()))
	for _, c := range s.payments() {
		assert.Contains(t, want, c.Do)
	}
	assert.Len(t, s.payments(), len(want))
}

func TestPAY11_buttons_that_refuse_the_payer(t *testing.T) {
	s := start(t, config(newClock()))
	placed(t, s, "order-1")
	require.Equal(t, http.StatusSeeOther, pressed(s, "/sandbox/decline/order-1", nil).Code)
	assert.Equal(t, "PAYERROR", ask(t, s, OrderQuery, about("order-1"))["trade_state"])
	assert.Empty(t, s.pending, "the merchant is not notified")
	require.Equal(t, http.StatusSeeOther, pressed(s, "/sandbox/expire/order-1", nil).Code)
	for _, path := range []string{"/sandbox/pay/order-1", "/sandbox/decline/order-1", "/sandbox/expire/order-1"} {
		again := pressed(s, path, nil)
		assert.Equal(t, http.StatusConflict, again.Code)
		assert.Contains(t, again.Body.String(), ErrExpired.Error())
		assert.Contains(t, again.Body.String(), `data-path="/sandbox/pay/order-1"`, "the script asks for the page of the order")
	}
	placed(t, s, "order-1")
	assert.Equal(t, http.StatusSeeOther, pressed(s, "/sandbox/pay/order-1", nil).Code, "the merchant has ordered it again")
	for _, path := range []string{"/sandbox/decline/", "/sandbox/expire/"} {
		assert.Equal(t, http.StatusConflict, pressed(s, path+"order-1", nil).Code)
		assert.Equal(t, http.StatusNotFound, pressed(s, path+"nothing", nil).Code)
	}
	assert.Equal(t, Success, s.Ledger()[0].State)
}

func TestPAY13_buttons_for_answers(t *testing.T) {
	s := start(t, config(newClock()))
	placed(t, s, "order-1")
	for _, op := range answeredOperations {
		for _, c := range answerChoices {
			done := pressed(s, "/sandbox/answer", url.Values{"on": {string(op.On)}, "do": {string(c.Do)}, "out_trade_no": {"order-1"}})
			assert.Equal(t, http.StatusSeeOther, done.Code)
			assert.Equal(t, "/sandbox/pay/order-1", done.Header().Get("Location"))
			page := call(s, http.MethodGet, "/", "").Body.String()
			assert.Contains(t, page, "<li>"+op.Label+": "+c.Label+", for order-1</li>")
			assert.Equal(t, "/", pressed(s, "/sandbox/behave", nil).Header().Get("Location"))
			assert.Empty(t, s.pendingMisbehaviours())
		}
	}
	var offered []Trick
	for _, c := range answerChoices {
		offered = append(offered, c.Do)
	}
	assert.ElementsMatch(t, answers, offered, "every misbehaviour has a button")

	require.Equal(t, http.StatusSeeOther, pressed(s, "/sandbox/answer", url.Values{"on": {"orderquery"}, "do": {"slow"}}).Code)
	assert.Equal(t, Misbehaviour{On: OrderQuery, Do: Slow, Times: 1, DelayMS: lateAnswer.Milliseconds()}, s.nextMisbehaviour(OrderQuery, "order-1"))
}

func TestButtons_that_the_page_does_not_have(t *testing.T) {
	s := start(t, config(newClock()))
	placed(t, s, "order-1")
	for _, form := range []url.Values{{"on": {"notify"}, "do": {"garbage"}}, {"on": {"else"}, "do": {"reset"}}, {"do": {"reset"}}, nil} {
		assert.Equal(t, http.StatusBadRequest, pressed(s, "/sandbox/answer", form).Code)
	}
	assert.Equal(t, http.StatusBadRequest, pressed(s, "/sandbox/pay/order-1", url.Values{"notification": {"garbage"}}).Code)
	s.tricks = slices.Repeat([]Misbehaviour{{On: OrderQuery, Do: Reset, Times: 1}}, maxTricks)
	assert.Equal(t, http.StatusBadRequest, pressed(s, "/sandbox/pay/order-1", url.Values{"notification": {"lose"}}).Code)
	assert.Equal(t, NotPaid, s.Ledger()[0].State)
	for _, path := range []string{"/sandbox/answer", "/sandbox/behave", "/sandbox/decline/order-1", "/sandbox/expire/order-1"} {
		assert.Equal(t, http.StatusMethodNotAllowed, call(s, http.MethodGet, path, "").Code)
	}
}

func TestHeld_answers_are_sent_by_a_button(t *testing.T) {
	s := start(t, config(newClock()))
	require.Equal(t, http.StatusSeeOther, pressed(s, "/sandbox/answer", url.Values{"on": {"unifiedorder"}, "do": {"hold"}}).Code)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		ask(t, s, UnifiedOrder, order("order-1"))
	}()
	require.NoError(t, s.AwaitHeld(t.Context(), 1))
	assert.Contains(t, call(s, http.MethodGet, "/", "").Body.String(), "One answer is held")
	require.Equal(t, "/sandbox/pay/order-1", pressed(s, "/sandbox/behave", url.Values{"out_trade_no": {"order-1"}}).Header().Get("Location"))
	<-answered
	assert.NotContains(t, call(s, http.MethodGet, "/", "").Body.String(), "About to go wrong")
}
