// Package sandbox keeps messages instead of sending them: for the demo, whose page shows them, and
// for tests. Every person who sees the page can use the codes, so it is never a fallback for another
// sender.
package sandbox

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/dustin/go-humanize"

	"plaza/adapters/sms/provider"
	"plaza/domain/verification"
)

// Description describes the sender.
var Description = provider.Description{
	Name: "sandbox", Help: "sends nothing, and shows the messages on the page of the sandbox",
	Open: func(provider.Settings) (verification.Sender, error) { return New(time.Now), nil },
}

// kept is how many messages a sandbox keeps.
const kept = 50

// Message is a message that was to be sent.
type Message struct {
	verification.Message
	At time.Time
}

// Sandbox implements verification.Sender. It keeps the newest messages of this process.
type Sandbox struct {
	now func() time.Time

	mu       sync.Mutex
	messages []Message // oldest first
}

// New returns a sandbox without messages.
func New(now func() time.Time) *Sandbox { return &Sandbox{now: now} }

// Send implements verification.Sender. A message with the ID of one that is kept is that message.
func (s *Sandbox) Send(ctx context.Context, m verification.Message) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("sandbox: %w: %w", verification.ErrBusy, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.messages, func(kept Message) bool { return kept.ID == m.ID }) {
		return nil
	}
	s.messages = append(s.messages, Message{Message: m, At: s.now()})
	s.messages = slices.Delete(s.messages, 0, max(0, len(s.messages)-kept))
	return nil
}

// Messages returns the kept messages, newest first.
func (s *Sandbox) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	messages := slices.Clone(s.messages)
	slices.Reverse(messages)
	return messages
}

//go:embed page page.html
var pageFiles embed.FS

var pageTemplate = template.Must(template.ParseFS(pageFiles, "page.html"))

// pagePolicy is the Content-Security-Policy of the page. Its style sheet is a file, so that no text of a message can
// become one, and it has no script.
const pagePolicy = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// shown is a message as the page and the JSON list show it.
type shown struct {
	To      string               `json:"to"`
	Purpose verification.Purpose `json:"purpose"`
	Code    string               `json:"code"`
	Text    string               `json:"text"`
	At      time.Time            `json:"at"`
	Ago     string               `json:"-"`
}

// shownTo returns the messages to the number, or all without one, newest first.
func (s *Sandbox) shownTo(number string) []shown {
	now, all := s.now(), []shown{}
	for _, m := range s.Messages() {
		if to := m.To.E164(); number == "" || number == to {
			all = append(all, shown{
				To: to, Purpose: m.Purpose, Code: m.Code.Reveal(), Text: m.Text.Reveal(),
				At: m.At.UTC(), Ago: humanize.RelTime(m.At, now, "ago", "from now"),
			})
		}
	}
	return all
}

// Page returns the handler of the page of the newest messages at /sms/, and of the same as JSON at /sms/messages.json. Every
// person who reaches it can use the codes, so it must be served where only those who try the demo or run tests do.
func (s *Sandbox) Page() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sms/{$}", s.showPage)
	mux.HandleFunc("GET /sms/messages.json", s.showMessages)
	mux.HandleFunc("GET /sms/page/{name}", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFileFS(w, r, pageFiles, "page/"+r.PathValue("name"))
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

// showPage answers with the page. It reloads itself, unless it is asked to stay as it is.
func (s *Sandbox) showPage(w http.ResponseWriter, r *http.Request) {
	var out bytes.Buffer
	err := pageTemplate.Execute(&out, struct {
		Messages []shown
		Stays    bool
	}{s.shownTo(""), r.URL.Query().Has("stay")})
	w.Header().Set("Content-Security-Policy", pagePolicy)
	answer(w, "text/html; charset=utf-8", out.Bytes(), err)
}

// showMessages answers with the messages to the number of the parameter, or all without one.
func (s *Sandbox) showMessages(w http.ResponseWriter, r *http.Request) {
	list, err := json.Marshal(s.shownTo(r.URL.Query().Get("to")))
	answer(w, "application/json", list, err)
}

func answer(w http.ResponseWriter, mediaType string, content []byte, err error) {
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", mediaType)
	_, _ = w.Write(content) // fails only when the client has disconnected
}
