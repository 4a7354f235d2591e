package contract

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/feed"
	"plaza/domain/locale"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
)

var publicationRows = []row{
	{"PUB-01 publications come with the latest update first", publicationsByUpdate, everyStore},
	{"PUB-01 PUB-04 PUB-08 golden publications", goldenPublications, oneStore},
	{"PUB-02 publications of a category", publicationsOfCategory, everyStore},
	{"PUB-03 originals and translations without a published original", originOnly, everyStore},
	{"PUB-04 what is blank stays so in another language", localised, oneStore},
	{"PUB-05 two locales are the same language when base and script are", sameLanguages, oneStore},
	{"PUB-07 a translator that fails leaves the feed as it was written", translatorFails, oneStore},
}

const publications = "/api/writing/bundle-data/get-publication-feed-items/"

// translating is a server with a translator that marks what it has translated, for readers of any number of languages.
func (on store) translating(t *testing.T) *server {
	t.Helper()
	return on.startWith(t, func(s *settings.Config) { s.Translator, s.LimitLanguages = "pseudo", ratelimit.Off })
}

func (p person) reading(t *testing.T, locale string) answer {
	t.Helper()
	return p.saying("x-language-locale", locale).get(t, publications).is(200)
}

func publicationsByUpdate(t *testing.T, s *server) {
	ada := s.member(t)
	for id, updated := range map[int]time.Duration{5: 3 * time.Hour, 3: time.Hour, 9: 2 * time.Hour, 4: 2 * time.Hour, 7: 2*time.Hour +
		time.Microsecond} {
		s.storesPublication(t, ada, id, 0, func(p *publication.Publication) {
			p.Created, p.Updated = epoch.Add(-updated), epoch.Add(updated)
		})
	}
	assert.Equal(t, words(5, 7, 4, 9, 3), ada.get(t, publications).is(200).column("data", "id"))
}

func goldenPublications(t *testing.T, s *server) {
	s = s.on.translating(t)
	ada := s.member(t)
	s.storesPublication(t, ada, 7, 0, longPublication)
	s.clock.advance(-time.Minute)
	s.storesPublication(t, ada, 8, 0)
	known := facts{"<ada>": ada.id}
	ada.reading(t, "en").golden("publications", known)
	ada.reading(t, "en").golden("publications", known) // from the cache
	ada.get(t, publications).is(200).golden("feed-publications", known)
}

func publicationsOfCategory(t *testing.T, s *server) {
	ada := s.member(t)
	s.storesCategory(t, 4, 0, "Walks")
	s.storesCategory(t, 5, 4, "By night")
	for id, in := range map[int]feed.CategoryID{1: 4, 2: 4, 3: 5, 6: 0} {
		s.storesItem(t, ada, id, in)
	}
	s.unlists(t, ada, 20, 4)
	for query, want := range map[string][]int{
		"?category_id=%20": {1, 2, 3, 6}, "?category_id=4&origin_only=1": {1, 2}, "?category_id=5": {3}, "?category_id=0": {},
		"?category_id=-4": {}, "?category_id=99999999999999999999": {},
	} {
		a := ada.get(t, publications+query).is(200)
		assert.Equal(t, words(want...), a.column("data", "id"), query)
		assert.Equal(t, len(want), a.int("pagination.total_count"), query)
	}
	for _, no := range []string{"x", "4.0", "4,5", "uncategory", "%D9%A4"} {
		ada.get(t, publications+"?category_id="+no).invalid("category_id")
	}
}

// family puts originals and translations into the store and returns which of them
// are left when translations of what is published are not wanted.
func (s *server) family(t *testing.T, by person) (all, origins []int) {
	t.Helper()
	for _, p := range []struct {
		id         int
		bundle     publication.Bundle
		hide, kept bool
	}{
		{1, publication.Bundle{ID: 10}, false, true},
		{2, publication.Bundle{ID: 20, FirstOriginal: 20}, false, true},                // its own original
		{3, publication.Bundle{ID: 11, FirstOriginal: 10, Original: 10}, false, false}, // a translation of 1
		{4, publication.Bundle{ID: 12, FirstOriginal: 10, Original: 11}, false, false}, // and one of that
		{5, publication.Bundle{ID: 30}, true, false},
		{6, publication.Bundle{ID: 31, FirstOriginal: 30, Original: 30}, false, true},
		{7, publication.Bundle{ID: 41, FirstOriginal: 40}, false, true},               // of what is not there
		{8, publication.Bundle{ID: 32, FirstOriginal: 30, Original: 31}, false, true}, // its parent is published, the original is not
		{9, publication.Bundle{ID: 50, Original: 10}, false, true},                    // the first original decides
	} {
		s.storesPublication(t, by, p.id, 0, func(to *publication.Publication) { to.Bundle, to.Published = p.bundle, !p.hide })
		if !p.hide {
			all = append(all, p.id)
		}
		if p.kept {
			origins = append(origins, p.id)
		}
	}
	return all, origins
}

func originOnly(t *testing.T, s *server) {
	ada := s.member(t)
	_, origins := s.family(t, ada)
	a := ada.get(t, publications+"?origin_only=1").is(200)
	assert.Equal(t, words(origins...), a.column("data", "id"))
	assert.Equal(t, len(origins), a.int("pagination.total_count"))
	s.storesPublication(t, ada, 1, 0, func(p *publication.Publication) { p.Bundle.ID, p.Deleted = 10, true })
	s.storesPublication(t, ada, 5, 0, func(p *publication.Publication) { p.Bundle.ID = 30 })
	assert.Equal(t, words(2, 3, 4, 5, 7, 9), ada.get(t, publications+"?origin_only=1").is(200).column("data", "id"))
}

func localised(t *testing.T, s *server) {
	s = s.on.translating(t)
	ada := s.member(t)
	s.storesPublication(t, ada, 1, 0, func(p *publication.Publication) { p.Title, p.Language = " ", "zh-CN" })
	ada.reading(t, "en_US").shows(object{"0.localized.title": " ", "0.localized.content": "⟦en-US⟧ Of publication 1"})
}

func (s *server) languages(t *testing.T, by person, languages ...string) {
	t.Helper()
	for i, language := range languages {
		s.storesPublication(t, by, 1+i, 0, func(p *publication.Publication) { p.Language = language })
	}
}

func (a answer) translated() []bool {
	a.t.Helper()
	var all []bool
	for i := range a.list("data") {
		all = append(all, a.has(fmt.Sprintf("data.%d.localized", i)))
	}
	return all
}

func sameLanguages(t *testing.T, s *server) {
	s = s.on.translating(t)
	ada := s.member(t)
	s.languages(t, ada, "en", "en_US", "zh-CN", "zh-Hans", "zh-TW", "zh_Hant", "es-MX")
	for header, translated := range map[string][]bool{
		"en_US": {false, false, true, true, true, true, true}, "zh-SG": {true, true, false, false, true, true, true},
		"zh-Hant-CN": {true, true, true, true, false, false, true}, "es": {true, true, true, true, true, true, false},
	} {
		assert.Equal(t, translated, ada.reading(t, header).translated(), header)
	}
}

type translator struct {
	calls     atomic.Int64
	translate func(ctx context.Context, texts []string) ([]string, error)
}

func (*translator) Name() string { return "told" }

func (*translator) Target(to locale.Tag) locale.Tag { return to.Base() }

func (tr *translator) Translate(ctx context.Context, _, _ locale.Tag, texts []string) ([]string, error) {
	tr.calls.Add(1)
	return tr.translate(ctx, texts)
}

// translatedBy is a server with the translator and one publication in French, and a reader of it.
func (on store) translatedBy(t *testing.T, tr *translator) (*server, person) {
	t.Helper()
	s := on.startAs(t, func(*settings.Config) {}, bootstrap.Parts{Translator: tr})
	ada := s.member(t)
	s.storesPublication(t, ada, 1, 0, func(p *publication.Publication) { p.Language = "fr" })
	return s, ada
}

func translatorFails(t *testing.T, s *server) {
	var again []func() bool // reads once more, and reports whether the translator was asked twice
	for name, answer := range map[string]func(context.Context, []string) ([]string, error){
		"is down":          func(context.Context, []string) ([]string, error) { return nil, errors.New("connection refused") },
		"returns too few":  func(context.Context, []string) ([]string, error) { return []string{"one"}, nil },
		"returns too many": func(context.Context, []string) ([]string, error) { return make([]string, 9), nil },
	} {
		tr := &translator{translate: answer}
		s, ada := s.on.translatedBy(t, tr)
		a := ada.reading(t, "en")
		assert.False(t, a.has("data.0.localized"), name)
		assert.Equal(t, "publication 1", a.text("data.0.title"), name)
		assert.EqualValues(t, 1, s.failures(), "%s: it is counted", name)
		id := a.header.Get("X-Request-ID")
		assert.Regexp(t, `level=WARN msg="translating[^\n]*request_id=`+id, s.log.String(), "%s: it is logged (GEN-10)", name)
		again = append(again, func() bool {
			ada.reading(t, "en")
			return tr.calls.Load() == 2
		})
	}
	for _, asks := range again { // after a failure the server asks no translator for a second; these seconds overlap
		require.Eventually(t, asks, time.Minute, 50*time.Millisecond, "nothing of it is kept")
	}
}

func translationsOutlive(t *testing.T, s *server) {
	tr := &translator{translate: func(_ context.Context, texts []string) ([]string, error) {
		return []string{"[en] " + texts[0], "[en] " + texts[1]}, nil
	}}
	s, ada := s.on.translatedBy(t, tr)
	for range 2 {
		assert.True(t, ada.reading(t, "en").has("data.0.localized"))
		assert.EqualValues(t, 1, tr.calls.Load())
		s.again(t)
	}
	s.clock.advance(30*day - time.Second)
	ada.reading(t, "en")
	assert.EqualValues(t, 1, tr.calls.Load())
	s.clock.advance(time.Second)
	assert.True(t, ada.reading(t, "en").has("data.0.localized"))
	assert.EqualValues(t, 2, tr.calls.Load(), "a month later")
}

func (s *server) failures() (n int64) {
	for _, app := range s.apps {
		n += app.Translation.Counts().Failures
	}
	return n
}
