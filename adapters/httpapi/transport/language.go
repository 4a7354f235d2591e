package transport

import (
	"net/http"
	"strings"

	"plaza/application/catalogue"
	"plaza/domain/fault"
	"plaza/domain/locale"
)

// Limits of Accept-Language, so that a long one costs little. Browsers send fewer than 200 bytes.
const (
	maxAcceptLanguage    = 512 // bytes; a longer one is not read
	maxAcceptedLanguages = 20  // further ones are not read
)

// PreferredLanguage returns the language of the catalogue that the client likes best (RFC 9110, 12.5.4), and English if it
// names none. Among equal weights the first counts. A star stands for the languages that are not named.
func PreferredLanguage(h http.Header) locale.Tag {
	size := 0
	for _, line := range h["Accept-Language"] {
		size += len(line)
	}
	best, weightOfBest := catalogue.English, 0.0
	if size == 0 || size > maxAcceptLanguage {
		return best
	}
	named, star := map[string]bool{}, 0.0
	items := strings.SplitN(strings.Join(h["Accept-Language"], ","), ",", maxAcceptedLanguages+1)
	for _, item := range items[:min(len(items), maxAcceptedLanguages)] {
		name, params, _ := strings.Cut(item, ";")
		if strings.TrimSpace(name) == "*" {
			star = weight(params)
			continue
		}
		tag, _ := locale.Parse(name)
		named[tag.Language()] = true
		if offered, is := offer(tag); is && weight(params) > weightOfBest {
			best, weightOfBest = offered, weight(params)
		}
	}
	for _, offered := range catalogue.Languages() {
		if !named[offered.Language()] && star > weightOfBest {
			best, weightOfBest = offered, star
		}
	}
	return best
}

// offer returns the language of the catalogue that is the same as the tag's: zh-Hans for zh-CN, and none for zh-TW.
func offer(tag locale.Tag) (offered locale.Tag, is bool) {
	for _, offered := range catalogue.Languages() {
		if locale.Same(offered, tag) {
			return offered, true
		}
	}
	return locale.Tag{}, false
}

// translated returns the error in the language that the client prefers, and sets the headers that tell of it (GEN-16).
// A client that states no preference gets no Content-Language.
func (e envelope) translated(h http.Header, req *http.Request) envelope {
	h.Add("Vary", "Accept-Language")
	if len(req.Header["Accept-Language"]) == 0 {
		return e
	}
	to := PreferredLanguage(req.Header)
	h.Set("Content-Language", to.String())
	switch said := e.Data.(type) {
	case detail:
		e.Data = detail{catalogue.Translate(to, said.Detail)}
	case fault.Fields:
		e.Data = catalogue.TranslateFields(to, said)
	}
	return e
}
