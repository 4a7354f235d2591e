//go:build soak

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"plaza/test/chromium"
	"strings"
	"testing"
)

func TestGuideInChromium(t *testing.T) {
	_, script := examples(t)
	browser := chromium.Start(t)
	var module string
	pages := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/guide.mjs" {
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
			fmt.Fprint(w, module)
			return
		}
		fmt.Fprint(w, `<!DOCTYPE html><link rel="icon" href="data:,">`)
	}))
	defer pages.Close()
	r := serve(t, append(demo, "--cors-origins="+pages.URL)...)
	module = strings.ReplaceAll(script.code, exampleServer, r.url)
	tab := chromium.Open(t, browser, pages.URL)
	script.prints(t, chromium.Evaluate[string](t, tab, `{
		const lines = []
		console.log = (...words) => lines.push(words.join(' '))
		import('/guide.mjs').then(() => lines.join('\n'))
	}`))
}
