// Package libretranslate translates texts with LibreTranslate, a self-hosted server.
//
// Its operator sets its limits. Servers from before April 2025 have other codes for Chinese and
// for Brazilian Portuguese, so the server is asked which it names. It decodes entities, so translations are plain text and must
// never be used as HTML.
package libretranslate

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"plaza/adapters/translator/provider"
	"plaza/adapters/upstream"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/secret"
)

// limits are the server's usual ones of a request, and those of proxies in front of it.
var limits = provider.Limits{Texts: 50, Bytes: 1 << 20}

// codes are the newer servers' codes of languages with two scripts or two countries; it refuses
// zh-CN.
var codes = provider.Table{"zh-Hans": "zh-Hans", "zh-Hant": "zh-Hant", "pt-BR": "pt-BR", "no": "nb", "fil": "tl"}

// Description describes the translator.
var Description = provider.Description{Name: "libretranslate", NeedsURL: true, Open: New}

// New returns a translator, or all problems of the settings. Without a key, http is allowed for any host.
func New(s provider.Settings) (localisation.Translator, error) {
	s.Connection.Plain = s.Key.IsZero()
	if !s.Connection.Plain {
		if err := upstream.CheckKey(s.Key); err != nil {
			return nil, fmt.Errorf("libretranslate: %w", err)
		}
	}
	named := &names{}
	remote, err := provider.New(s.Connection, provider.Service{
		Name: "libretranslate", Limits: limits, Dialect: dialect{key: s.Key, names: named},
	})
	if err != nil {
		return nil, err
	}
	return &Translator{Translator: remote, names: named}, nil
}

type dialect struct {
	key   secret.String
	names *names
}

type request struct {
	Q      []string `json:"q"`
	Source string   `json:"source"`
	Target string   `json:"target"`
	Format string   `json:"format"`
	Key    string   `json:"api_key,omitempty"`
}

func (dialect) Codes(from, to locale.Tag) (provider.Codes, error) {
	return codes.Codes(codes, from, to)
}

func (d dialect) Ask(c provider.Codes, texts []string) provider.Question {
	source := "auto"
	if c.From != "" {
		source = d.names.of(c.From)
	}
	return provider.Question{Path: "/translate", Key: d.key, Body: request{
		Q: texts, Source: source, Target: d.names.of(c.To), Format: "text", Key: d.key.Reveal(),
	}}
}

func (dialect) Read(answer []byte) ([]string, error) {
	var r struct {
		Texts []string `json:"translatedText"`
	}
	err := json.Unmarshal(answer, &r)
	return r.Texts, err
}

// Judge relies on the status alone.
func (dialect) Judge(int, []byte) error { return nil }

// Translator implements localisation.Translator. Before the first text in a language whose code
// changed it asks the server for its languages.
type Translator struct {
	*provider.Translator
	names *names
}

func (t *Translator) Translate(ctx context.Context, from, to locale.Tag, texts []string) ([]string, error) {
	if c, err := codes.Codes(codes, from, to); err == nil && !locale.Same(from, to) && (former[c.From] != "" || former[c.To] != "") &&
		!t.BreakerOpen() {
		t.names.learn(ctx, t.Get)
	}
	return t.Translator.Translate(ctx, from, to, texts)
}

// former are the codes of servers from before April 2025, by the newer ones.
var former = map[string]string{"zh-Hans": "zh", "zh-Hant": "zt", "pt-BR": "pb"}

// names are the codes that the server calls languages by.
type names struct {
	mu    sync.Mutex
	asked time.Time       // when the server was asked last
	known bool            // whether it has answered
	old   map[string]bool // newer codes that it does not know, but the former ones
}

// of returns the server's code for a newer one.
func (n *names) of(code string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.old[code] {
		return former[code]
	}
	return code
}

// askAgain is how long a server is left alone that did not tell its languages.
const askAgain = 30 * time.Second

// learn asks the server for its languages, once. If the server does not answer, learn takes its codes to be
// the newer ones, and asks again after askAgain.
func (n *names) learn(ctx context.Context, get func(context.Context, string) ([]byte, error)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.known || ctx.Err() != nil || time.Since(n.asked) < askAgain {
		return
	}
	n.asked = time.Now()
	answer, err := get(ctx, "/languages")
	var all []struct {
		Code string `json:"code"`
	}
	if err != nil || json.Unmarshal(answer, &all) != nil {
		return
	}
	named := map[string]bool{}
	for _, one := range all {
		named[one.Code] = true
	}
	n.known, n.old = true, map[string]bool{}
	for newer, old := range former {
		n.old[newer] = !named[newer] && named[old]
	}
}
