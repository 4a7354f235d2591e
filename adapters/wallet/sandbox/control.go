package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

const maxWait = 30 * time.Second

func (s *Server) showLedger(w http.ResponseWriter, _ *http.Request) { writeJSON(w, s.Ledger()) }

func (s *Server) showRefunds(w http.ResponseWriter, _ *http.Request) { writeJSON(w, s.Refunds()) }

// showKey answers with the wallet's public key and its ID.
func (s *Server) showKey(w http.ResponseWriter, _ *http.Request) {
	id, text := s.PublicKey()
	writeJSON(w, map[string]string{"id": id, "key": string(text)})
}

// changeKeys makes a new certificate, retires the former ones, or chooses the keys that sign.
func (s *Server) changeKeys(w http.ResponseWriter, r *http.Request) {
	err := errors.New("version 3 is not served")
	if s.cfg.MerchantCert != nil {
		switch do := r.PathValue("do"); do {
		case "rotate":
			err = s.Rotate()
		case "retire":
			s.Retire()
			err = nil
		default:
			err = s.SignWith(KeyMode(do))
		}
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // fails only when the client has disconnected
}

func (s *Server) addMisbehaviour(w http.ResponseWriter, r *http.Request) {
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
