package ports_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/payment"
	"plaza/domain/secret"
	"plaza/test/ports"
)

// The toy is the smallest wallet that keeps the port: read it before you write another one.
// Its requests and answers are letters, {"Text": "…", "Mark": "…"}. The text is JSON in
// a string: JSON has many ways to write one thing, and only one of them can be signed. The
// mark is HMAC-SHA256 with the merchant's key, in hex, over the lines of one of these:
//
//	question, text                        what we ask
//	answer, letter of the question, text  what it says to that question, and to no other
//	notice, text                          its notification
//	params, app, time, nonce, package     client parameters of a terminal
//
// The first line keeps one from being taken for another: what we have signed comes back as
// no answer and no notice.

const toyKey, toyWay = "toy-merchant-key-5d0c", "This wallet takes 0 and 200."

func TestToyGateway_keeps_the_port(t *testing.T) {
	ports.Gateway(t, func(*testing.T) ports.Wallet {
		w := &toyWallet{bills: map[string]*toyBill{}, refunds: map[string]map[string]any{}}
		return ports.Wallet{
			Side: w, Pay: w.pay, Pass: func(life time.Duration) { w.ahead.Add(int64(life)) },
			RefundOutcome: w.endRefund, Forgeries: forgedToys, Secrets: []string{toyKey},
			EndTypes: []payment.EndType{payment.Native, payment.JSAPI},
			Gateway: func(address string, deadline time.Duration) payment.Gateway {
				return newToyGateway(address, secret.New(toyKey), deadline)
			},
		}
	})
}

func forgedToys(n payment.Notification) (all []payment.Notification) {
	var l toyLetter
	if json.Unmarshal(n.Body, &l) != nil {
		return nil
	}
	stranger := newToyGateway("", secret.New("another key"), 0)
	for _, mark := range []string{"", stranger.mark("notice", l.Text)} {
		letter, _ := json.Marshal(toyLetter{l.Text, mark}) // texts always can be written
		all = append(all, payment.Notification{Body: letter})
	}
	return all
}

// The suite has no terminal: each adapter tests that client parameters are signed as the wallet
// wants them.
func TestToyGateway_keeps_what_the_suite_can_not_see(t *testing.T) {
	g := newToyGateway("", secret.New(toyKey), 0)
	jsapi := payment.Intent{EndType: payment.JSAPI, App: payment.OfficialAccount, OpenID: "openid"}
	v, err := g.ClientParams(jsapi, payment.Ticket{PrepayID: "T-1"}, time.Now())
	require.NoError(t, err)
	require.Equal(t, new(toyWallet).sign("params", fmt.Sprintf("%s\n%d\n%s\nticket=T-1", v.AppID, v.Timestamp, v.Nonce)), v.Signature)
}

// toyGateway is the gateway of the toy.
type toyGateway struct {
	address string
	key     secret.String // however a gateway is printed, this shows nothing
	client  *http.Client
}

func newToyGateway(address string, key secret.String, deadline time.Duration) *toyGateway {
	return &toyGateway{address, key, &http.Client{
		Timeout: deadline, // also if the context ends later, and until the answer is read
		// Requests are sent to the wallet only.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func (g *toyGateway) mark(lines ...string) string {
	mac := hmac.New(sha256.New, []byte(g.key.Reveal()))
	mac.Write([]byte(strings.Join(lines, "\n")))
	return fmt.Sprintf("%x", mac.Sum(nil))
}

type toyLetter struct{ Text, Mark string }

type toyQuestion struct {
	Do, No, App, Nonce            string // Do is prepare, query, close, refund, ask or bill; No of the last two is that of a refund
	Way, Payer, Subject, Currency string // Way is code or browser; for prepare alone, like what follows
	Amount, Until                 int64  // it can't be paid after Until, even if it was not closed
	Payment, Reason               string // of refund
	From, Before                  int64  // of bill: the day
}

// toyAnswer is also what a notice says.
type toyAnswer struct {
	Result, Ticket, Code  string
	ID, No, App, Currency string // for what is paid alone, like what follows
	Amount, Paid          int64
	Lines                 []toyAnswer // of a bill; a refund has its number in Refund, and in Result how it stands
	Refund                string
}

func (a toyAnswer) receipt() payment.Receipt {
	return payment.Receipt{
		TransactionID: a.ID, TradeNo: payment.TradeNo(a.No), App: payment.WalletApp(a.App),
		Amount: a.Amount, Currency: a.Currency, Paid: time.Unix(a.Paid, 0).UTC(),
	}
}

func (g *toyGateway) Protocol() payment.Protocol { return "toy" }

func (g *toyGateway) BuildRequest(o payment.Order, i payment.Intent, no payment.TradeNo) ([]byte, error) {
	way, known := map[payment.EndType]string{payment.Native: "code", payment.JSAPI: "browser"}[i.EndType]
	if !known {
		return nil, fault.Field("end_type", toyWay)
	}
	return g.seal(toyQuestion{
		Do: "prepare", No: string(no), App: string(i.App), Way: way, Payer: i.OpenID,
		Subject: o.Subject, Amount: o.Amount, Currency: o.Currency, Until: o.Expires.Unix(),
	}), nil
}

func (g *toyGateway) seal(q toyQuestion) []byte {
	q.Nonce = rand.Text()      // what was said to an old question is no answer to this one
	text, _ := json.Marshal(q) // texts and numbers always can be written
	letter, _ := json.Marshal(toyLetter{string(text), g.mark("question", string(text))})
	return letter
}

func (g *toyGateway) Prepare(ctx context.Context, request []byte) (payment.Ticket, error) {
	a, err := g.send(ctx, request, "prepared")
	return payment.Ticket{PrepayID: a.Ticket, CodeURL: a.Code}, err
}

func (g *toyGateway) Query(ctx context.Context, app payment.WalletApp, no payment.TradeNo) (payment.Report, error) {
	a, err := g.send(ctx, g.seal(toyQuestion{Do: "query", No: string(no), App: string(app)}), "awaited", "paid", "closed")
	return map[string]payment.Report{ // what is awaited has the zero one, and so has an error
		"paid": {State: payment.WalletPaid, Receipt: a.receipt()}, "closed": {State: payment.WalletClosed},
	}[a.Result], err
}

func (g *toyGateway) Close(ctx context.Context, app payment.WalletApp, no payment.TradeNo) error {
	_, err := g.send(ctx, g.seal(toyQuestion{Do: "close", No: string(no), App: string(app)}), "closed")
	return err
}

// send returns an answer whose result is good. Any other one is an error that says what the
// wallet has done, or that this is open. Errors of net/http and json are left out: they
// quote what was said, and that may be anything.
func (g *toyGateway) send(ctx context.Context, request []byte, good ...string) (a toyAnswer, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, g.address, bytes.NewReader(request))
	if err != nil {
		return a, errors.New("the toy has no address")
	}
	response, err := g.client.Do(r)
	if err != nil {
		return a, fmt.Errorf("asking the toy: %w", payment.ErrWalletTimeout)
	}
	defer func() { _ = response.Body.Close() }() // what is read is read
	said, err := io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err != nil {
		return a, fmt.Errorf("hearing the toy: %w", payment.ErrWalletTimeout)
	}
	heard, signed := g.open(said, "answer", string(request))
	switch {
	case response.StatusCode != http.StatusOK || !signed:
		return a, fmt.Errorf("the toy, with status %d: %w", response.StatusCode, payment.ErrWalletBadResponse)
	case slices.Contains(good, heard.Result):
		return heard, nil
	}
	return a, fmt.Errorf("the toy: %w", cmp.Or(map[string]error{
		"paid": payment.ErrWalletPaid, "closed": payment.ErrWalletClosed, "unknown": payment.ErrWalletNotFound, "other": payment.ErrWalletOtherOrder,
		"no refund": payment.ErrRefundNotFound, "other refund": payment.ErrRefundDiffers, "too much": payment.ErrRefundTooMuch, "not made": payment.ErrBillNotReady,
	}[heard.Result], error(payment.ErrWalletBadResponse)))
}

// open reads a letter that the wallet has marked together with these lines.
func (g *toyGateway) open(letter []byte, lines ...string) (a toyAnswer, signed bool) {
	var l toyLetter
	signed = json.Unmarshal(letter, &l) == nil && hmac.Equal([]byte(g.mark(append(lines, l.Text)...)), []byte(l.Mark)) &&
		json.Unmarshal([]byte(l.Text), &a) == nil
	return a, signed
}

func (g *toyGateway) ClientParams(i payment.Intent, t payment.Ticket, now time.Time) (payment.ClientParams, error) {
	v := payment.ClientParams{EndType: i.EndType, PrepayID: t.PrepayID}
	switch i.EndType {
	case payment.Native:
		v.CodeURL = t.CodeURL
	case payment.JSAPI:
		v.AppID, v.Package, v.SignType = string(i.App), "ticket="+t.PrepayID, "toy"
		v.Timestamp, v.Nonce = now.Unix(), rand.Text()
		v.Signature = g.mark("params", v.AppID, fmt.Sprint(v.Timestamp), v.Nonce, v.Package)
	default:
		return payment.ClientParams{}, fault.Field("end_type", toyWay)
	}
	return v, nil
}

func (a toyAnswer) refund() payment.RefundReport {
	r := payment.RefundReport{
		No: payment.RefundNo(a.No), WalletID: a.Ticket, TransactionID: a.ID, State: payment.RefundState(a.Result), Amount: a.Amount, Currency: a.Currency,
	}
	if r.State == payment.RefundSucceeded {
		r.Succeeded = time.Unix(a.Paid, 0).UTC()
	}
	return r
}

func (g *toyGateway) Refund(ctx context.Context, r payment.RefundRequest) (payment.RefundReport, error) {
	return g.sendRefund(ctx, toyQuestion{
		Do: "refund", No: string(r.No), Payment: r.TransactionID, Amount: r.Amount, Currency: r.Currency, Reason: r.Reason,
	})
}

func (g *toyGateway) QueryRefund(ctx context.Context, _ payment.WalletApp, no payment.RefundNo) (payment.RefundReport, error) {
	return g.sendRefund(ctx, toyQuestion{Do: "ask", No: string(no)})
}

func (g *toyGateway) sendRefund(ctx context.Context, q toyQuestion) (payment.RefundReport, error) {
	a, err := g.send(ctx, g.seal(q), "processing", "succeeded", "closed", "abnormal")
	if err != nil {
		return payment.RefundReport{}, err
	}
	return a.refund(), nil
}

// Receive is never ErrNothingPaid: the toy notifies of payments and refunds only.
func (g *toyGateway) Receive(n payment.Notification) (payment.Notice, error) {
	a, signed := g.open(n.Body, "notice")
	if !signed {
		return payment.Notice{}, payment.ErrForged
	}
	if a.Result != "paid" {
		return payment.Notice{Refund: payment.RefundNo(a.No)}, nil
	}
	r := a.receipt()
	return payment.Notice{Receipt: &r}, nil
}

func (g *toyGateway) Acknowledge(taken bool) payment.Acknowledgement {
	return payment.Acknowledgement{Status: http.StatusOK, Body: fmt.Appendf(nil, `{"taken": %t}`, taken), MediaType: "application/json"}
}

// toyWallet is the wallet's side. It shares no line and no type with the gateway: a mistake
// that both make would not show.
type toyWallet struct {
	mu      sync.Mutex
	bills   map[string]*toyBill
	refunds map[string]map[string]any // what is said of them, by number
	ahead   atomic.Int64              // nanoseconds, of the real time
}

type toyBill struct {
	text  string         // of the question that made it: no other one may come under its number
	asked map[string]any // the same, read
	says  map[string]any // how it stands
}

func (w *toyWallet) sign(kind, rest string) string {
	mac := hmac.New(sha256.New, []byte(toyKey))
	_, _ = fmt.Fprintf(mac, "%s\n%s", kind, rest) // a hash takes everything
	return fmt.Sprintf("%x", mac.Sum(nil))
}

func (w *toyWallet) write(kind string, content map[string]any) []byte {
	text, _ := json.Marshal(content) // texts and numbers always can be written
	letter, _ := json.Marshal(map[string]any{"Mark": w.sign(kind, string(text)), "Text": string(text)})
	return letter
}

// ServeHTTP answers callers with the key. Other answers have no mark, so callers can't rely on them.
func (w *toyWallet) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	var letter, question map[string]any
	asked, err := io.ReadAll(r.Body)
	_ = json.Unmarshal(asked, &letter) // what can't be read,
	text, _ := letter["Text"].(string) // is not signed
	if err != nil || letter["Mark"] != w.sign("question", text) || json.Unmarshal([]byte(text), &question) != nil {
		http.Error(rw, "Who are you?", http.StatusUnauthorized)
		return
	}
	_, _ = rw.Write(w.write("answer\n"+string(asked), w.answer(text, question))) // who is gone asks again
}

func (w *toyWallet) answer(text string, q map[string]any) map[string]any {
	w.mu.Lock()
	defer w.mu.Unlock()
	no := fmt.Sprint(q["No"])
	if q["Do"] == "bill" {
		return w.answerBill(q["From"].(float64), q["Before"].(float64))
	}
	if q["Do"] == "refund" || q["Do"] == "ask" {
		return w.answerRefund(no, q)
	}
	if w.bills[no] == nil && q["Do"] == "prepare" {
		w.bills[no] = &toyBill{text, q, map[string]any{"Result": "awaited"}}
	}
	bill := w.bills[no]
	switch {
	case bill == nil:
		return map[string]any{"Result": "unknown"}
	case q["Do"] == "prepare" && text != bill.text:
		return map[string]any{"Result": "other"}
	case bill.says["Result"] != "awaited" || q["Do"] == "query":
	case q["Do"] == "close":
		bill.says = map[string]any{"Result": "closed"}
	case q["Way"] == "code":
		return map[string]any{"Result": "prepared", "Ticket": "T-" + no, "Code": "toy://pay/" + no}
	default:
		return map[string]any{"Result": "prepared", "Ticket": "T-" + no}
	}
	return bill.says
}

// answerRefund answers about a refund, which it makes if it is new.
func (w *toyWallet) answerRefund(no string, q map[string]any) map[string]any {
	known := w.refunds[no]
	if q["Do"] == "ask" || known != nil {
		switch {
		case known == nil:
			return map[string]any{"Result": "no refund"}
		case q["Do"] == "refund" && (known["ID"] != q["Payment"] || known["Amount"] != q["Amount"]):
			return map[string]any{"Result": "other refund"}
		}
		return known
	}
	transaction, _ := q["Payment"].(string)
	bill := w.bills[strings.TrimPrefix(transaction, "M-")]
	if bill == nil || bill.says["Result"] != "paid" {
		return map[string]any{"Result": "unknown"}
	}
	left := bill.says["Amount"].(float64)
	for _, r := range w.refunds {
		if r["ID"] == transaction && r["Result"] != "closed" {
			left -= r["Amount"].(float64)
		}
	}
	if q["Amount"].(float64) > left {
		return map[string]any{"Result": "too much"}
	}
	w.refunds[no] = map[string]any{
		"Result": "processing", "No": no, "Ticket": "B-" + no, "ID": transaction, "Amount": q["Amount"], "Currency": bill.says["Currency"],
		"Ordered": w.now(),
	}
	return w.refunds[no]
}

// now is the time in seconds, as JSON has numbers.
func (w *toyWallet) now() float64 {
	return float64(time.Now().Add(time.Duration(w.ahead.Load())).Unix())
}

func (w *toyWallet) endRefund(no payment.RefundNo, s payment.RefundState, told func(payment.Notification) payment.Acknowledgement) error {
	w.mu.Lock()
	r := w.refunds[string(no)]
	if r == nil || r["Result"] != "processing" {
		w.mu.Unlock()
		return errors.New("there is nothing to end")
	}
	r = maps.Clone(r)
	r["Result"], r["Paid"] = string(s), w.now()
	w.refunds[string(no)] = r
	w.mu.Unlock()
	told(payment.Notification{Body: w.write("notice", map[string]any{"Result": string(s), "No": string(no)})})
	return nil
}

// charge pays, once and in time.
func (w *toyWallet) charge(no string) (map[string]any, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	bill, now := w.bills[no], w.now()
	if bill == nil || bill.says["Result"] != "awaited" || now >= bill.asked["Until"].(float64) {
		return nil, errors.New("there is nothing to pay")
	}
	bill.says = maps.Clone(bill.asked)
	bill.says["Result"], bill.says["ID"], bill.says["Paid"] = "paid", "M-"+no, now
	return bill.says, nil
}

func (w *toyWallet) pay(no payment.TradeNo, told func(payment.Notification) payment.Acknowledgement) (taken bool, err error) {
	receipt, err := w.charge(string(no))
	if err != nil {
		return false, err
	}
	a := told(payment.Notification{Body: w.write("notice", receipt)}) // not under the lock: they may ask back
	var said struct{ Taken bool }
	return a.Status == http.StatusOK && a.MediaType == "application/json" && json.Unmarshal(a.Body, &said) == nil && said.Taken, nil
}
