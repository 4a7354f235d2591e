package contract

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
)

var cacheRows = []row{
	{"PUB-06 a page that many read at once is one batch of each language", onePageManyReaders, everyStore},
	{"PUB-06 a month later a page is translated anew", aMonthLater, everyStore},
	{"PUB-06 a language that is not offered counts as no header", languagesOffered, oneStore},
	{"PUB-06 a spent budget leaves pages as they were written until the next day", dailyBudget, oneStore},
	{"PUB-07 a translator that does not work is asked but now and then", askedNowAndThen, oneStore},
}

// babel is a LibreTranslate server of the tests.
type babel struct {
	url    string
	answer http.HandlerFunc // of a request that asks for something else than all texts translated; nil
	holds  chan struct{}    // when it is closed, there are answers; nil: at once

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
	switch {
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	case b.answer != nil:
		b.answer(w, r)
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
func (on store) asking(t *testing.T, b *babel, change ...func(*bootstrap.Config)) (*server, person) {
	t.Helper()
	s := on.startWith(t, func(s *bootstrap.Config) {
		s.Translator, s.TranslatorURL = "libretranslate", b.url
		for _, c := range change {
			c(s)
		}
	})
	ada := s.member(t)
	s.languages(t, ada, "fr", "fr", "zh-CN")
	return s, ada
}

func (s *server) misses() (n int64) {
	for _, app := range s.apps {
		n += app.Translation.Counts().Misses
	}
	return n
}

func onePageManyReaders(t *testing.T, s *server) {
	const readers = 20
	b := newBabel(t)
	b.holds = make(chan struct{})
	s, ada := s.on.asking(t, b)
	var all sync.WaitGroup
	all.Go(func() { atOnce(readers, func(int) { ada.reading(t, "en") }) })
	require.Eventually(t, func() bool { return s.misses() == readers*6 }, time.Minute, time.Millisecond, "all of them miss all of it")
	close(b.holds)
	all.Wait()
	for _, app := range s.apps {
		app.Translation.Close()
	}
	assert.Equal(t, []bool{true, true, true}, ada.reading(t, "en").translated())
	ada.reading(t, "en").shows(object{
		"0.localized.title": "[en] publication 1", "0.localized.content": "[en] Of publication 1",
		"0.localized.__translator": object{"title": "libretranslate", "content": "libretranslate"},
	})
	assert.Equal(t, []string{"fr>en", "zh-Hans>en"}, b.requests())
	ada.reading(t, "en_GB")
	assert.Len(t, b.requests(), 2, "it is the same language")
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

func aMonthLater(t *testing.T, s *server) {
	b := newBabel(t)
	s, ada := s.on.asking(t, b)
	assert.Equal(t, []bool{true, true, true}, ada.reading(t, "en").translated())
	s.readAgain(t, b, ada)
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

func languagesOffered(t *testing.T, s *server) {
	b := newBabel(t)
	_, ada := s.on.asking(t, b, func(s *bootstrap.Config) {
		require.NoError(t, s.TranslatorLanguages.UnmarshalText([]byte("en, zh-Hant")))
	})
	for header, translated := range map[string][]bool{
		"en-AU": {true, true, true}, "zh_TW": {true, true, true}, "zh-CN": {false, false, false}, "es": {false, false, false},
	} {
		assert.Equal(t, translated, ada.reading(t, header).translated(), header)
	}
	assert.Equal(t, []string{"fr>en", "fr>zh-Hant", "zh-Hans>en", "zh-Hans>zh-Hant"}, b.requests())
}

func dailyBudget(t *testing.T, s *server) {
	b := newBabel(t)
	const page = 3 * int64(len("publication 1")+len("Of publication 1"))
	s, ada := s.on.asking(t, b, func(s *bootstrap.Config) { s.TranslatorBudget = new(int64(90)) })
	require.Greater(t, int64(90), page, "it is enough for one language")
	assert.Equal(t, []bool{true, true, true}, ada.reading(t, "en").translated())
	for range 2 { // at each of the servers
		assert.Equal(t, []bool{false, false, false}, ada.reading(t, "es").translated())
		assert.Equal(t, []bool{true, true, true}, ada.reading(t, "en").translated(), "it is kept")
	}
	assert.Len(t, b.requests(), 2)
	assert.NotZero(t, s.failures())
	s.clock.advance(12 * time.Hour) // to midnight
	require.Eventually(t, func() bool { return slices.Equal([]bool{true, true, true}, ada.reading(t, "es").translated()) },
		time.Minute, 50*time.Millisecond)
}

func askedNowAndThen(t *testing.T, s *server) {
	for name, answer := range map[string]http.HandlerFunc{
		"down":            func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "down", http.StatusServiceUnavailable) },
		"not ours to ask": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusForbidden) },
		"lying":           func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(`{"translatedText":["only one"]}`)) },
	} {
		b := newBabel(t)
		b.answer = answer
		s, ada := s.on.asking(t, b)
		for range 50 {
			assert.Equal(t, []bool{false, false, false}, ada.reading(t, "en").translated(), name)
		}
		for _, app := range s.apps {
			app.Translation.Close() // however many times it is tried
		}
		asked := len(b.requests())
		assert.NotZero(t, asked, name)
		assert.LessOrEqual(t, asked, 10*len(s.apps), name)
	}
}
