package contract

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/bootstrap/settings"
)

// babel is a LibreTranslate server of the tests.
type babel struct {
	url   string
	holds chan struct{} // when it is closed, there are answers; nil: at once

	mu    sync.Mutex
	asked []string // the languages of each request
}

func newBabel(t *testing.T) *babel {
	b := &babel{}
	door := httptest.NewServer(b)
	t.Cleanup(door.Close)
	b.url = door.URL
	return b
}

func (b *babel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet { // its languages
		_, _ = io.WriteString(w, `[{"code":"zh-Hans"}]`)
		return
	}
	var q struct {
		Q              []string
		Source, Target string
	}
	err := json.NewDecoder(r.Body).Decode(&q)
	b.mu.Lock()
	b.asked = append(b.asked, q.Source+">"+q.Target)
	b.mu.Unlock()
	if b.holds != nil {
		<-b.holds
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	for i, text := range q.Q {
		q.Q[i] = "[" + q.Target + "] " + text
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"translatedText": q.Q})
}

func (b *babel) requests() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Sorted(slices.Values(b.asked))
}

// asking is a server whose publications, two in French and one in Chinese, are
// translated by babel.
func (on store) asking(t *testing.T, b *babel, change ...func(*settings.Config)) (*server, person) {
	t.Helper()
	s := on.startWith(t, func(s *settings.Config) {
		s.Translator, s.TranslatorURL = "libretranslate", b.url
		for _, c := range change {
			c(s)
		}
	})
	ada := s.member(t)
	s.languages(t, ada, "fr", "fr", "zh-CN")
	return s, ada
}

// readAgain reads a page until it must be translated anew, a month later.
func (s *server) readAgain(t *testing.T, b *babel, ada person) {
	t.Helper()
	s.clock.advance(30*day - time.Second)
	assert.Equal(t, []bool{true, true, true}, ada.reading(t, "en").translated())
	assert.Len(t, b.requests(), 2)
	s.clock.advance(time.Second)
	assert.Equal(t, []bool{true, true, true}, ada.reading(t, "en").translated())
	assert.Equal(t, []string{"fr>en", "fr>en", "zh-Hans>en", "zh-Hans>en"}, b.requests())
}

func translationsOutlive(t *testing.T, s *server) {
	b := newBabel(t)
	s, ada := s.on.asking(t, b)
	assert.Equal(t, []bool{true, true, true}, ada.reading(t, "en").translated())
	s.again(t)
	assert.Equal(t, []bool{true, true, true}, ada.reading(t, "en").translated())
	assert.Len(t, b.requests(), 2)
	s.readAgain(t, b, ada)
}
