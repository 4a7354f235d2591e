package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/publication"
	"plaza/domain/user"
	"plaza/test/content"
	"plaza/test/faultproxy"
)

// faultyTranslator is a server whose translator is behind the line. Each round reads in
// another language.
type faultyTranslator struct {
	line      *faultproxy.Proxy
	now       *running
	key       string
	languages []string
}

func behindTranslator(t *testing.T) behindLine {
	translator := httptest.NewServer(http.HandlerFunc(shout))
	t.Cleanup(translator.Close)
	line := faultproxy.Start(t, "tcp", strings.TrimPrefix(translator.URL, "http://"))
	settings := []string{"--data-dir=" + t.TempDir()}
	reader := people(t, 0, settings).writers[0]
	publish(t, settings, user.ID(reader.uid))
	r := serve(t, append(settings, unlimited, "--translator=libretranslate", "--translator-url=http://"+line.Address())...)
	return behindLine{line, r, &faultyTranslator{line, r, reader.key, []string{"", "es", "fr", "de", "it", "pt", "nl"}}}
}

// shout translates into capital letters, as LibreTranslate answers.
func shout(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Q []string }
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for i, text := range asked.Q {
		asked.Q[i] = strings.ToUpper(text)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"translatedText": asked.Q})
}

// publish stores a publication.
func publish(t *testing.T, settings []string, author user.ID) {
	t.Helper()
	app := openApp(t, settings)
	defer func() { require.NoError(t, app.Close()) }()
	now := time.Now()
	stores := content.Stores{Accounts: app.Stores.Accounts, Directory: app.Stores.Directory, Imports: app.Stores.Imports}
	require.NoError(t, content.Import(t.Context(), stores, publication.Publication{
		ID: 1, Bundle: publication.Bundle{ID: 1}, Node: 1, Content: publication.Content{
			Title: "Tea", Summary: "How to make it", Author: author, Language: "en", Published: true, Created: now, Updated: now,
		},
	}))
}

func (f *faultyTranslator) breaks(_ *testing.T, fault faultproxy.Fault) {
	f.languages = f.languages[1:]
	f.line.Break(fault)
}

// isTranslated reports whether the publication comes translated. It asserts that it comes.
func (f *faultyTranslator) isTranslated(t *testing.T, language string) bool {
	header := http.Header{}
	if language != "" {
		header.Set("x-language-locale", language)
	}
	a := ask(f.now, f.key, http.MethodGet, "/api/writing/bundle-data/get-publication-feed-items/", header, nil)
	var list struct {
		Data []struct {
			Title     string
			Localized *struct{ Title string }
		}
	}
	if !assert.Equal(t, http.StatusOK, a.status, a.body) || !assert.NoError(t, json.Unmarshal([]byte(a.body), &list)) ||
		!assert.Len(t, list.Data, 1) {
		return false
	}
	assert.Equal(t, "Tea", list.Data[0].Title)
	if list.Data[0].Localized == nil {
		return false
	}
	return assert.Equal(t, "TEA", list.Data[0].Localized.Title)
}

func (f *faultyTranslator) suffer(t *testing.T, _ faultproxy.Fault) (succeeded int64) {
	t.Helper()
	return atOnce(2, func(n int) bool { return f.isTranslated(t, []string{"", f.languages[0]}[n]) })
}

func (f *faultyTranslator) works(t *testing.T) bool { return f.isTranslated(t, f.languages[0]) }

func (f *faultyTranslator) verify(*testing.T) {}

func (f *faultyTranslator) sessions(*testing.T) int { return 0 } // the translator is in this process

func (f *faultyTranslator) finish(*testing.T) {}
