package contract

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/bootstrap/settings"
	"plaza/domain/feed"
	"plaza/domain/publication"
	"plaza/domain/ratelimit"
)

var publicationRows = []row{
	{"PUB-01 publications come with the latest update first", publicationsByUpdate, everyStore},
	{"PUB-01 only what is published and not deleted is listed", publicationsListed, everyStore},
	{"PUB-01 publications need the scope", publicationsNeedScope, oneStore},
	{"PUB-01 golden publications", goldenPublications, oneStore},
	{"PUB-02 publications of a category", publicationsOfCategory, everyStore},
	{"PUB-03 originals and translations without a published original", originOnly, everyStore},
	{"PUB-03 any value that is not blank asks for originals only", originOnlyValues, oneStore},
	{"PUB-04 localized is there for another language alone", localised, oneStore},
	{"PUB-05 two locales are the same language when base and script are", sameLanguages, oneStore},
	{"PUB-05 a header that is no locale counts as none", noLocales, oneStore},
	{"PUB-07 without a translator there is no localized", withoutTranslator, oneStore},
	{"PUB-08 only title and content are translated and by whom is named", titleAndContent, oneStore},
}

const publications = "/api/writing/bundle-data/get-publication-feed-items/"

// translating is a server with a translator that marks what it has translated, for readers
// of any number of languages.
func (on store) translating(t *testing.T) *server {
	t.Helper()
	return on.startWith(t, func(s *settings.Config) { s.Translator, s.LimitLanguages = "pseudo", ratelimit.Off })
}

// reading lists publications for who reads the language.
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

func publicationsListed(t *testing.T, s *server) {
	ada := s.member(t)
	s.storesItem(t, ada, 1, 0)
	s.unlists(t, ada, 2, 0)
	assert.Equal(t, words(1), ada.get(t, publications).is(200).column("data", "id"))
	s.unlists(t, ada, 1, 0)
	assert.Empty(t, ada.get(t, publications).is(200).list("data"))
}

func publicationsNeedScope(t *testing.T, s *server) {
	ada := s.member(t)
	s.anyone().get(t, publications).fails(401, "NOT_AUTHENTICATED")
	s.with("x").get(t, publications+"?page=x").fails(401, "AUTHENTICATION_FAILED")
	s.with(s.issue(t, ada, 0, "xfile_event", "pay_trade_order")).get(t, publications+"?page=x").fails(403, "PERMISSION_DENIED")
	s.with(s.issue(t, ada, 0, "writing_bundle")).get(t, publications).is(200)
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
		"": {1, 2, 3, 6}, "?category_id=": {1, 2, 3, 6}, "?category_id=%20": {1, 2, 3, 6}, "?category_id=4": {1, 2}, "?category_id=5": {3},
		"?category_id=6": {}, "?category_id=0": {}, "?category_id=-4": {}, "?category_id=99999999999999999999": {},
		"?category_id=4&origin_only=1": {1, 2},
	} {
		a := ada.get(t, publications+query).is(200)
		assert.Equal(t, words(want...), a.column("data", "id"), query)
		assert.Equal(t, len(want), a.int("pagination.total_count"), query)
	}
	for _, no := range []string{"x", "4.0", "4,5", "uncategory", "null", "1e1", "0x4", "%D9%A4", "--4"} {
		ada.get(t, publications+"?category_id="+no).invalid("category_id")
	}
	for _, category := range []int{4, 5} {
		shown := s.anyone().get(t, itemsOf(category)+"?type=publication").is(200)
		listed := ada.get(t, fmt.Sprintf("%s?category_id=%d", publications, category)).is(200)
		assert.ElementsMatch(t, shown.column("data", "id"), listed.column("data", "id"))
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

func originOnlyValues(t *testing.T, s *server) {
	ada := s.member(t)
	all, origins := s.family(t, ada)
	for _, on := range []string{"1", "true", "false", "0", "no", "null", "x"} {
		assert.Equal(t, words(origins...), ada.get(t, publications+"?origin_only="+on).is(200).column("data", "id"), on)
	}
	for _, off := range []string{"", "?origin_only", "?origin_only=", "?origin_only=%20"} {
		assert.Equal(t, words(all...), ada.get(t, publications+off).is(200).column("data", "id"), off)
	}
}

func localised(t *testing.T, s *server) {
	s = s.on.translating(t)
	ada := s.member(t)
	for i, language := range []string{"zh-CN", "en", "es"} {
		s.storesPublication(t, ada, 1+i, 0, func(p *publication.Publication) { p.Language = language })
	}
	a := ada.reading(t, "en")
	a.hasFields("data.0.localized", []string{"title", "content", "__translator", "__source_language", "language"})
	a.hasFields("data.0.localized.__translator", []string{"title", "content"})
	a.shows(object{
		"0.title": "publication 1", "0.localized.title": "⟦en⟧ publication 1", "0.localized.content": "⟦en⟧ Of publication 1",
		"0.localized.__source_language": "zh-CN", "0.localized.language": "en", "2.localized.__source_language": "es",
	})
	assert.False(t, a.has("data.1.localized"), "it is the reader's")
	for i := range 3 {
		assert.False(t, ada.get(t, publications).is(200).has(fmt.Sprintf("data.%d.localized", i)), "nobody asked")
	}
}

// languages puts one publication of each language into the store.
func (s *server) languages(t *testing.T, by person, languages ...string) {
	t.Helper()
	for i, language := range languages {
		s.storesPublication(t, by, 1+i, 0, func(p *publication.Publication) { p.Language = language })
	}
}

// translated is which of the publications come with a translation.
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
		"en": {false, false, true, true, true, true, true}, "en-GB": {false, false, true, true, true, true, true},
		"en_US": {false, false, true, true, true, true, true}, "zh": {true, true, false, false, true, true, true},
		"zh-SG": {true, true, false, false, true, true, true}, "zh-Hans": {true, true, false, false, true, true, true},
		"zh_TW": {true, true, true, true, false, false, true}, "zh-HK": {true, true, true, true, false, false, true},
		"zh-Hant-CN": {true, true, true, true, false, false, true}, "es": {true, true, true, true, true, true, false},
		"ja": {true, true, true, true, true, true, true},
	} {
		assert.Equal(t, translated, ada.reading(t, header).translated(), header)
	}
}

func noLocales(t *testing.T, s *server) {
	s = s.on.translating(t)
	ada := s.member(t)
	s.languages(t, ada, "en", "klingon?")
	for _, header := range []string{
		"", "   ", "*", "klingon!", "中文", "123", "-", "_", ",", ";q=1", "e", "en-", "english language", "zh-CHS", "zh-CHT", "und", "x-private",
		"<script>", "'; --", strings.Repeat("a", 5000), strings.Repeat("es-", 1000), "\xff\xfe", "CN", "null",
	} {
		assert.Equal(t, []bool{false, false}, ada.reading(t, header).translated(), "%.40q", header)
	}
	assert.Equal(t, []bool{true, false}, ada.reading(t, "es").translated(), "of what nobody knows the language of")
}

func withoutTranslator(t *testing.T, s *server) {
	for _, translator := range []string{"none", "auto"} {
		s := s.on.startWith(t, func(s *settings.Config) { s.Translator = translator })
		ada := s.member(t)
		s.languages(t, ada, "en", "zh-CN")
		for _, header := range []string{"es", "en", "zh-TW"} {
			assert.Equal(t, []bool{false, false}, ada.reading(t, header).translated(), header)
		}
	}
}

func titleAndContent(t *testing.T, s *server) {
	s = s.on.translating(t)
	ada := s.member(t)
	s.storesPublication(t, ada, 7, 0, longPublication)
	s.storesPublication(t, ada, 8, 0, func(p *publication.Publication) { p.Title, p.Summary, p.Language = " ", "Only this", "es" })
	plain, translated := ada.get(t, publications).is(200), ada.reading(t, "en_US")
	for i := range 2 {
		at := fmt.Sprintf("data.%d", i)
		item := translated.at(at).(object)
		localised := item["localized"]
		delete(item, "localized")
		assert.Equal(t, plain.at(at), item, "all else stays")
		sameJSON(t, object{"title": "pseudo", "content": "pseudo"}, localised.(object)["__translator"])
	}
	translated.shows(object{
		"0.localized.title": "⟦en-US⟧ 雾", "0.localized.content": "⟦en-US⟧ 湖上的雾", "0.localized.language": "en-US",
		"1.localized.title": " ", "1.localized.content": "⟦en-US⟧ Only this", "1.localized.__source_language": "es",
	})
}
