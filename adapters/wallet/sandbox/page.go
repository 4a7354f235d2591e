package sandbox

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"plaza/adapters/qrcode"
	"plaza/adapters/wallet/sandbox/ledger"
)

//go:embed page page.html
var pageFiles embed.FS

var pageTemplate = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"yuan": yuan, "escape": url.PathEscape, "name": func(op Operation) string { return operationNames[op] },
	"attempts": func(n int) string { return english.Plural(n, "attempt", "") },
}).ParseFS(pageFiles, "page.html"))

// pagePolicy is the Content-Security-Policy of the page. Its script and its styles are files, so that no text of an order can
// become one.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

const maxShown = 200

// operationNames are how the page calls the operations.
var operationNames = map[Operation]string{
	UnifiedOrder: "order", OrderQuery: "query", CloseOrder: "request to close",
	Prepay: "order of version 3", QueryTrade: "query of version 3", CloseTrade: "request to close of version 3",
	RefundOrder: "refund", RefundQuery: "query of a refund", TradeBill: "request for a bill", DownloadBill: "download of a bill",
	ListKeys: "request for certificates", Notify: "notification", NotifyRefund: "notification of a refund",
}

// page is what the template shows: one order, or all of them.
type page struct {
	Title    string
	Path     string // where the script and the reload link find the page; empty: nowhere
	Note     string // the outcome of a button
	Site     string // to which notifications of the order, or of the newest one, are sent
	Messages string // the path of the page of messages with codes; empty: none
	Order    *row
	// Orders are the newest, and More is the number of those that are not shown.
	Orders     []row
	More       int
	Payments   []trickInfo // with the notification
	Tricks     []trickInfo
	Operations []Operation
	Pending    []Misbehaviour
}

// row is an order as the page shows it. Alone: on a page of its own, with all details.
type row struct {
	ledger.Trade
	Path           string
	Now            time.Time
	Payable, Alone bool
	Link           string
	QR             *qrcode.Code
}

func (s pages) rowOf(t ledger.Trade) row {
	now := s.ledger.Now()
	return row{Trade: t, Path: payPath + url.PathEscape(t.OutTradeNo), Now: now, Payable: t.Payable(now) == nil}
}

// Site returns the origin to which notifications are sent.
func (r row) Site() string {
	u, err := url.Parse(r.NotifyURL)
	if err != nil || u.Host == "" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// moment is a point in time and how far away it is.
type moment struct{ ISO, Text string }

// Moment returns the time as the page shows it.
func (r row) Moment(at time.Time) moment {
	return moment{at.UTC().Format(time.RFC3339), humanize.RelTime(at, r.Now, "ago", "from now")}
}

// pages serve the pages of the sandbox, and do what their buttons say.
type pages struct{ *wallet }

func (s pages) routes(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { s.show(w, http.StatusOK, "", "") })
	mux.HandleFunc("GET "+payPath+"{no}", func(w http.ResponseWriter, r *http.Request) { s.show(w, http.StatusOK, r.PathValue("no"), "") })
	mux.HandleFunc("POST /sandbox/{button}/{no}", s.press)
	mux.HandleFunc("POST /sandbox/{button}", s.press)
	mux.HandleFunc("GET /sandbox/page/{name}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		http.ServeFileFS(w, r, pageFiles, "page/"+r.PathValue("name"))
	})
}

// pageOfAll returns the page with all orders.
func (s pages) pageOfAll() page {
	trades, payable := s.ledger.Trades(), 0
	p := page{Title: "Wallet sandbox", Path: "/", More: max(0, len(trades)-maxShown)}
	for _, t := range slices.Backward(trades[p.More:]) {
		p.Orders = append(p.Orders, s.rowOf(t))
		if p.Orders[len(p.Orders)-1].Payable {
			payable++
		}
	}
	if len(p.Orders) > 0 {
		p.Site = p.Orders[0].Site()
	}
	if payable > 0 {
		p.Title = fmt.Sprintf("(%d) Wallet sandbox", payable)
	}
	return p
}

// pageOf returns the page of an order.
func (s pages) pageOf(t ledger.Trade) page {
	one := s.rowOf(t)
	one.Alone = true
	if one.Payable && t.TradeType == "NATIVE" {
		one.Link = s.link(t)
		one.QR = qrcode.Of(one.Link)
	}
	return page{Title: "¥" + yuan(t.Amount) + " " + t.Body + ", wallet sandbox", Path: one.Path, Site: one.Site(), Order: &one}
}

// show shows the page of an order, or of all without a number, with a note.
func (s pages) show(w http.ResponseWriter, code int, no, note string) {
	var p page
	if t, err := s.ledger.Trade(no); no == "" {
		p = s.pageOfAll()
	} else if err == nil {
		p = s.pageOf(t)
	} else {
		p.Title, note, code = "Order not found", ledger.ErrUnknown.Text, http.StatusNotFound
	}
	pending := s.pending()
	p.Note, p.Messages, p.Pending = note, s.Messages, pending[:min(len(pending), maxShown)]
	p.Payments, p.Tricks, p.Operations = tricksOf(Notify), trickTable, signed
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, p); err != nil {
		s.Log.Error("sandbox: rendering a page failed", "cause", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(code)
	_, _ = w.Write(out.Bytes()) // fails only when the client has disconnected
}

// press does what a button says, and shows the order that it is about, or else all orders. Programs send the same forms.
func (s pages) press(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	err := r.ParseForm()
	no := cmp.Or(r.PathValue("no"), r.PostFormValue("out_trade_no"))
	if r.PathValue("button") == "refund" {
		no = cmp.Or(s.ledger.Number("", "", no), no)
	}
	if err != nil {
		err = fmt.Errorf("%w: the form can't be read or is too large", ledger.ErrImpossible)
	} else if err = s.pressed(r, no); err == nil {
		to := "/"
		if no != "" {
			to = payPath + url.PathEscape(no)
		}
		http.Redirect(w, r, to, http.StatusSeeOther)
		return
	}
	code, note := http.StatusConflict, err.Error() // the order or the refund has changed, or does not exist
	refused, known := errors.AsType[ledger.Refusal](err)
	switch {
	case errors.Is(err, ledger.ErrImpossible):
		code = http.StatusBadRequest
	case errors.Is(err, ledger.ErrJournal):
		s.Log.Error("sandbox: changing an order failed", "cause", err)
		code, note = http.StatusInternalServerError, ledger.ErrJournal.Error()
	case known:
		note = refused.Text
	}
	if r.PathValue("no") == "" {
		no = ""
	}
	s.show(w, code, no, note)
}

// Details of the tricks of buttons. The delay is longer than merchants usually wait.
const buttonDelay, buttonCopies = 8 * time.Second, 3

// pressed does what the button says. no is the order that it is about.
func (s pages) pressed(r *http.Request, no string) error {
	m := Misbehaviour{
		On: Operation(r.PostFormValue("on")), Do: Trick(r.PostFormValue("do")), No: no,
		Copies: buttonCopies, DelayMS: buttonDelay.Milliseconds(),
	}
	switch r.PathValue("button") {
	case "pay":
		_, err := s.ledger.Pay(no, func(*ledger.Trade) error {
			if m.On = Notify; m.Do == "" {
				return nil
			}
			return s.Misbehave(m)
		})
		return err
	case "decline":
		return s.ledger.Decline(no)
	case "expire":
		return s.ledger.Expire(no)
	case "refund":
		return s.ledger.EndRefund(r.PathValue("no"), ledger.RefundState(r.PostFormValue("state")))
	case "misbehave":
		return s.Misbehave(m)
	case "behave":
		s.Behave()
		return nil
	}
	return ledger.ErrImpossible
}
