package sandbox

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"image/color"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/boombuler/barcode/qr"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

//go:embed page page.html
var pageFiles embed.FS

var pageTemplate = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"yuan": yuan, "escape": url.PathEscape, "name": func(op Operation) string { return operationNames[op] },
}).ParseFS(pageFiles, "page.html"))

// pagePolicy is the Content-Security-Policy of the page. Its script and its styles are files,
// so that no text of an order can become one.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

const maxShown = 200

// page is what the template shows: one order, or all of them.
type page struct {
	Title string
	Path  string // where the script and the reload link find the page; empty: nowhere
	Note  string // the outcome of a button
	Site  string // of the merchant of the order, or of the newest one
	Order *row
	// Messages is the path of the page of messages with codes; empty: none.
	Messages string
	// Orders are the newest, and More is the number of those that are not shown.
	Orders     []row
	More       int
	Payments   []trickInfo
	Tricks     []trickInfo
	Operations []Operation
	Pending    []string // misbehaviours
}

// row is an order as the page shows it. Alone: on a page of its own, with all details.
type row struct {
	Trade
	status
	Path           string
	Ordered        *moment
	Payable, Alone bool
	Link           string
	QR             *qrCode
	Refunds        []refundRow
}

// refundRow is a refund as the page shows it.
type refundRow struct {
	Refund
	status
	Outcomes any // the buttons that can end it
}

// status is how far an order or a refund is, and its notification.
type status struct {
	Class, Text  string
	Since        *moment
	Notification string
	Due          *moment // the next attempt
}

// moment is a point in time and how far away it is.
type moment struct{ ISO, Text string }

func momentOf(at, now time.Time) *moment {
	return &moment{at.UTC().Format(time.RFC3339), humanize.RelTime(at, now, "ago", "from now")}
}

// rowOf returns the row of a trade, with its refunds. The caller must hold the lock.
func (s *Server) rowOf(t Trade) row {
	now := s.now()
	why := t.payable(now)
	r := row{Trade: t, Ordered: momentOf(t.Created, now), Payable: why == nil, Path: "/sandbox/pay/" + url.PathEscape(t.OutTradeNo)}
	switch {
	case t.State == Success:
		r.status = status{Class: "paid", Text: "Paid", Since: momentOf(t.Paid, now)}
		r.Notification, r.Due = t.Delivery.progress(now)
	case t.State == Closed:
		r.status = status{Class: "closed", Text: "Closed by the merchant"}
	case why != nil:
		r.status = status{Class: "expired", Text: "Expired", Since: momentOf(t.ends(), now)}
	case t.State == Declined:
		r.status = status{Class: "declined", Text: "Declined; expires", Since: momentOf(t.ends(), now)}
	default:
		r.status = status{Class: "open", Text: "Not paid; expires", Since: momentOf(t.ends(), now)}
	}
	for _, no := range s.refundsOf[t.OutTradeNo] {
		r.Refunds = append(r.Refunds, rowOfRefund(s.refunds[no], now))
	}
	return r
}

func rowOfRefund(r Refund, now time.Time) refundRow {
	if r.State == RefundProcessing {
		return refundRow{r, status{Class: "open", Text: "is being processed since", Since: momentOf(r.Created, now)}, outcomes}
	}
	made := refundRow{Refund: r}
	switch r.State {
	case RefundSucceeded:
		made.status = status{Class: "paid", Text: "returned"}
	case RefundClosed:
		made.status = status{Class: "closed", Text: "closed without returning anything"}
	case RefundAbnormal:
		made.status, made.Outcomes = status{Class: "declined", Text: "lost"}, outcomes[:1]
	}
	made.Since = momentOf(r.Ended, now)
	if r.NotifyURL != "" {
		made.Notification, made.Due = r.Delivery.progress(now)
	}
	return made
}

// progress tells how far the notification is, and when the next attempt is due, if there is one.
func (d Delivery) progress(now time.Time) (text string, next *moment) {
	attempts := english.Plural(d.Attempts, "attempt", "")
	switch {
	case d.Notified:
		return "acknowledged by the merchant after " + attempts, nil
	case d.Next.IsZero():
		return "given up after " + attempts, nil
	case d.Attempts == 0:
		return "not sent yet; due", momentOf(d.Next, now)
	}
	return "not acknowledged after " + attempts + "; the next is due", momentOf(d.Next, now)
}

// site returns the origin to which notifications are sent.
func (d Delivery) site() string {
	u, err := url.Parse(d.NotifyURL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// qrCode is a QR code for an SVG element: its dark modules as a path, in modules, with the margin
// that readers need.
type qrCode struct {
	Size int
	Path string
}

const qrMargin = 4 // modules

// qrCodeOf returns the QR code of the text, or nil if the text is too long.
func (s *Server) qrCodeOf(text string) *qrCode {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		s.cfg.Log.Error("sandbox: drawing a QR code failed", "cause", err)
		return nil
	}
	var dark strings.Builder
	size := code.Bounds().Dx()
	for y := range size {
		for x := range size {
			if code.At(x, y) == color.Black {
				fmt.Fprintf(&dark, "M%d %dh1v1h-1z", x+qrMargin, y+qrMargin)
			}
		}
	}
	return &qrCode{size + 2*qrMargin, dark.String()}
}

func (s *Server) showAll(w http.ResponseWriter, _ *http.Request) {
	s.showPage(w, http.StatusOK, s.pageOfAll(""))
}

// pageOfAll returns the page with all orders and a note.
func (s *Server) pageOfAll(note string) page {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := page{Title: "Wallet sandbox", Path: "/", Note: note, More: max(0, len(s.numbers)-maxShown)}
	payable := 0
	for i := len(s.numbers) - 1; i >= p.More; i-- {
		r := s.rowOf(s.trades[s.numbers[i]])
		if r.Payable {
			payable++
		}
		p.Orders = append(p.Orders, r)
	}
	if len(p.Orders) > 0 {
		p.Site = p.Orders[0].site()
	}
	if payable > 0 {
		p.Title = fmt.Sprintf("(%d) Wallet sandbox", payable)
	}
	return p
}

func (s *Server) showOne(w http.ResponseWriter, r *http.Request) {
	s.showTrade(w, http.StatusOK, r.PathValue("no"), "")
}

// showTrade shows the page of an order with a note.
func (s *Server) showTrade(w http.ResponseWriter, code int, no, note string) {
	s.mu.Lock()
	t, there := s.trades[no]
	one := s.rowOf(t)
	s.mu.Unlock()
	if !there {
		s.showPage(w, http.StatusNotFound, page{Title: "Order not found", Note: ErrUnknown.text})
		return
	}
	one.Alone = true
	if one.Payable && t.TradeType == "NATIVE" {
		one.Link = s.link(t)
		one.QR = s.qrCodeOf(one.Link)
	}
	s.showPage(w, code, page{
		Title: "¥" + yuan(t.Amount) + " " + t.Body + ", wallet sandbox", Path: one.Path, Note: note, Site: t.site(), Order: &one,
	})
}

func (s *Server) showPage(w http.ResponseWriter, code int, p page) {
	p.Payments, p.Tricks, p.Operations, p.Pending = notificationTricks(), trickTable, signed, s.pendingMisbehaviours()
	p.Messages = s.cfg.Messages
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, p); err != nil {
		s.cfg.Log.Error("sandbox: rendering a page failed", "cause", err)
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

func (s *Server) showFile(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	http.ServeFileFS(w, r, pageFiles, "page/"+r.PathValue("name"))
}
