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
