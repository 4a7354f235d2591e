package sandbox

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

const (
	maxShown = 200
	maxWait  = 30 * time.Second
)

type page struct {
	Rows []row
	More int // number of trades not shown
	One  bool
	Note string
}

type row struct {
	No, Body, Amount, State, Kind, Path, NotPayable string
	Age                                             time.Duration
	Notified                                        bool
}

func (s *Server) rowOf(t Trade) row {
	now := s.now()
	r := row{
		No: t.OutTradeNo, Body: t.Body, Amount: fmt.Sprintf("¥%d.%02d", t.Amount/100, t.Amount%100),
		State: described[t.State], Kind: t.TradeType, Path: "/sandbox/pay/" + url.PathEscape(t.OutTradeNo),
		Age: now.Sub(t.Created).Round(time.Second), Notified: t.Notified,
	}
	if err := t.payable(now); err != nil {
		r.NotPayable = err.Error()
	}
	return r
}

func (s *Server) showAll(w http.ResponseWriter, _ *http.Request) {
	all := s.Ledger()
	p := page{More: max(0, len(all)-maxShown)}
	for i := len(all) - 1; i >= p.More; i-- {
		p.Rows = append(p.Rows, s.rowOf(all[i]))
	}
	s.show(w, http.StatusOK, p)
}

func (s *Server) showOne(w http.ResponseWriter, r *http.Request) {
	s.showTrade(w, http.StatusOK, r.PathValue("no"), "")
}

func (s *Server) showTrade(w http.ResponseWriter, status int, no, note string) {
	s.mu.Lock()
	t, there := s.trades[no]
	s.mu.Unlock()
	if !there {
		s.show(w, http.StatusNotFound, page{One: true, Note: ErrUnknown.Error()})
		return
	}
	s.show(w, status, page{One: true, Rows: []row{s.rowOf(t)}, Note: note})
}

func (s *Server) show(w http.ResponseWriter, status int, p page) {
	var out bytes.Buffer
	if err := pageTemplate.Execute(&out, p); err != nil {
		s.cfg.Log.Error("sandbox: rendering a page failed", "cause", err)
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // fails only when the client has disconnected
}

func (s *Server) payOne(w http.ResponseWriter, r *http.Request) {
	no := r.PathValue("no")
	_, err := s.Pay(no, PaymentOptions{})
	switch {
	case err == nil:
		http.Redirect(w, r, "/sandbox/pay/"+url.PathEscape(no), http.StatusSeeOther)
	case errors.Is(err, ErrPaid), errors.Is(err, ErrClosed), errors.Is(err, ErrExpired), errors.Is(err, ErrUnknown):
		s.showTrade(w, http.StatusConflict, no, err.Error())
	default:
		s.cfg.Log.Error("sandbox: storing a payment failed", "cause", err)
		s.showTrade(w, http.StatusInternalServerError, no, "the sandbox can't write its ledger")
	}
}

func (s *Server) showLedger(w http.ResponseWriter, _ *http.Request) { writeJSON(w, s.Ledger()) }

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // fails only when the client has disconnected
}

func (s *Server) takeMisbehaviour(w http.ResponseWriter, r *http.Request) {
	dec := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	dec.DisallowUnknownFields()
	var m Misbehaviour
	err := dec.Decode(&m)
	if err == nil && !errors.Is(dec.Decode(&struct{}{}), io.EOF) {
		err = errors.New("more than one JSON value")
	}
	if err == nil {
		err = s.Misbehave(m)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// showHeld answers with the number of held answers. With ?at_least=N it waits a while for
// that many.
func (s *Server) showHeld(w http.ResponseWriter, r *http.Request) {
	if text := r.URL.Query().Get("at_least"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			http.Error(w, "at_least must be an integer", http.StatusBadRequest)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), maxWait)
		defer cancel()
		if s.AwaitHeld(ctx, n) != nil {
			w.WriteHeader(http.StatusRequestTimeout)
			return
		}
	}
	writeJSON(w, map[string]int{"held": s.Held()})
}

func (s *Server) releaseHeld(w http.ResponseWriter, _ *http.Request) {
	s.Release()
	w.WriteHeader(http.StatusNoContent)
}
