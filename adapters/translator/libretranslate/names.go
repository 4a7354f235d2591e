package libretranslate

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"plaza/adapters/translator/provider"
	"plaza/domain/locale"
)

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
