package sandbox

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"html/template"
	"image/color"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/boombuler/barcode/qr"
	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"
)

//go:embed page
var pageFiles embed.FS

var pageTemplate = template.Must(template.ParseFS(pageFiles, "page/page.html"))

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
	// Orders are the newest, and More is the number of those that are not shown.
	Orders     []row
	More       int
	Payments   []choice
	Answers    []choice
	Others     []choice // misbehaviours of single operations
	Operations []operationName
	Pending    []string // misbehaviours
}

// row is an order as the page shows it. Alone: on a page of its own, with all details.
type row struct {
	No, PathNo, Path, Body, Amount, Kind string
	Class, Status, Rest                  string
	Since                                *moment
	Payable, Alone                       bool

	Link, TransactionID, Notification string
	Protocol                          Protocol
	QR                                *qrCode
	Ordered                           moment
	Next                              *moment
	Refunds                           []refundRow
}

// refundRow is a refund as the page shows it.
type refundRow struct {
	No, PathNo, ID, Amount, Class, Status string
	Since                                 *moment
	Notification                          string
	Next                                  *moment
	Outcomes                              any // the buttons that can end it
}

// moment is a point in time and how far away it is.
type moment struct{ ISO, Text string }

func momentOf(at, now time.Time) *moment {
	return &moment{at.UTC().Format(time.RFC3339), humanize.RelTime(at, now, "ago", "from now")}
}

func (s *Server) rowOf(t Trade) row {
	now := s.now()
	why := t.payable(now)
	r := row{
		No: t.OutTradeNo, PathNo: url.PathEscape(t.OutTradeNo), Body: t.Body, Amount: "¥" + yuan(t.Amount),
		Kind: t.TradeType, Protocol: t.Protocol, Refunds: s.refundRows(t, now), Payable: why == nil, Ordered: *momentOf(t.Created, now),
	}
	r.Path = "/sandbox/pay/" + r.PathNo
	switch {
	case t.State == Success && t.Notified:
		r.Class, r.Status, r.Since = "paid", "Paid", momentOf(t.Paid, now)
		r.Rest = "; the merchant knows"
	case t.State == Success:
		r.Class, r.Status, r.Since = "paid", "Paid", momentOf(t.Paid, now)
		r.Rest = "; the merchant does not know yet"
	case t.State == Closed:
		r.Class, r.Status = "closed", "Closed by the merchant"
	case why != nil:
		r.Class, r.Status, r.Since = "expired", "Expired", momentOf(t.ends(), now)
	case t.State == Declined:
		r.Class, r.Status, r.Since = "declined", "Declined; expires", momentOf(t.ends(), now)
	default:
		r.Class, r.Status, r.Since = "open", "Not paid; expires", momentOf(t.ends(), now)
	}
	return r
}

// refundRows returns the refunds of the trade.
func (s *Server) refundRows(t Trade, now time.Time) (rows []refundRow) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, no := range s.refundsOf[t.OutTradeNo] {
		r := s.refunds[no]
		row := refundRow{No: no, PathNo: url.PathEscape(no), ID: r.ID, Amount: "¥" + yuan(r.Amount), Since: momentOf(r.Ended, now)}
		switch r.State {
		case RefundProcessing:
			row.Class, row.Status, row.Since, row.Outcomes = "open", "is being processed since", momentOf(r.Created, now), outcomes
		case RefundSucceeded:
			row.Class, row.Status = "paid", "returned"
		case RefundClosed:
			row.Class, row.Status = "closed", "closed without returning anything"
		case RefundAbnormal:
			row.Class, row.Status, row.Outcomes = "declined", "lost", outcomes[:1]
		}
		if r.State != RefundProcessing && r.NotifyURL != "" {
			row.Notification, row.Next = notificationStatus(r.Delivery, now)
		}
		rows = append(rows, row)
	}
	return rows
}

// rowAlone returns the row with all details.
func (s *Server) rowAlone(t Trade) row {
	r, now := s.rowOf(t), s.now()
	r.Alone, r.TransactionID = true, t.TransactionID
	if t.State == Success {
		r.Notification, r.Next = notificationStatus(t.Delivery, now)
	}
	if r.Payable && t.TradeType == "NATIVE" {
		r.Link = s.link(t)
		r.QR = s.qrCodeOf(r.Link)
	}
	return r
}

// siteOf returns the origin to which notifications of the trade are sent.
func siteOf(t Trade) string {
	u, err := url.Parse(t.NotifyURL)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// notificationStatus tells how far the notification is, and when the next attempt
// is due, if there is one.
func notificationStatus(d Delivery, now time.Time) (text string, next *moment) {
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

func (s *Server) showAll(w http.ResponseWriter, r *http.Request) {
	s.showPage(w, r, http.StatusOK, s.pageOfAll(""))
}

// pageOfAll returns the page with all orders and a note.
func (s *Server) pageOfAll(note string) page {
	all := s.Ledger()
	p := page{Title: "Wallet sandbox", Path: "/", Note: note, More: max(0, len(all)-maxShown)}
	payable := 0
	for i := len(all) - 1; i >= p.More; i-- {
		r := s.rowOf(all[i])
		if r.Payable {
			payable++
		}
		p.Orders = append(p.Orders, r)
	}
	if len(all) > 0 {
		p.Site = siteOf(all[len(all)-1])
	}
	if payable > 0 {
		p.Title = fmt.Sprintf("(%d) Wallet sandbox", payable)
	}
	return p
}

func (s *Server) showOne(w http.ResponseWriter, r *http.Request) {
	s.showTrade(w, r, http.StatusOK, r.PathValue("no"), "")
}

// showTrade shows the page of an order with a note.
func (s *Server) showTrade(w http.ResponseWriter, r *http.Request, status int, no, note string) {
	s.mu.Lock()
	t, there := s.trades[no]
	s.mu.Unlock()
	if !there {
		s.showPage(w, r, http.StatusNotFound, page{Title: "Order not found", Note: ErrUnknown.Error()})
		return
	}
	one := s.rowAlone(t)
	s.showPage(w, r, status, page{
		Title: one.Amount + " " + one.Body + ", wallet sandbox", Path: one.Path, Note: note, Site: siteOf(t), Order: &one, Payments: s.payments(t.Protocol),
	})
}

// showPage writes the page. It has a version, so that a script that asks for it again and again
// gets it only when it has changed.
func (s *Server) showPage(w http.ResponseWriter, r *http.Request, status int, p page) {
	p.Answers, p.Others, p.Operations = answerChoices, otherChoices, answeredOperations
	p.Pending = s.pendingMisbehaviours()
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, p); err != nil {
		s.cfg.Log.Error("sandbox: rendering a page failed", "cause", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	version := fmt.Sprintf(`"%x"`, sha256.Sum256(out.Bytes()))
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("ETag", version)
	if status == http.StatusOK && r.Header.Get("If-None-Match") == version {
		status = http.StatusNotModified
		out.Reset()
	}
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // fails only when the client has disconnected
}

// pageTypes are the media types of the files that the page loads.
var pageTypes = map[string]string{
	"page.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml",
}

func (s *Server) showFile(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	content, err := pageFiles.ReadFile(path.Join("page", path.Base(name)))
	if pageTypes[name] == "" || err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", pageTypes[name])
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write(content) // fails only when the client has disconnected
}
