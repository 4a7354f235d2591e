// Package apertium translates texts with APy, Apertium's self-hosted server.
//
// The server takes one text a request, drops the white space around it, uses asterisks as
// its own marks, and drops the end of long texts under load. So texts are sent in pieces
// that always arrive whole.
package apertium

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"

	"golang.org/x/text/language"

	"plaza/adapters/translator/provider"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/text"
)

// Translator implements localisation.Translator.
type Translator struct{ *provider.Translator }

// Description describes the translator.
var Description = provider.Description{
	Name: "apertium", Help: "a server of your own, at PLAZA_TRANSLATOR_URL", NeedsURL: true, Open: New,
}

// New returns a translator, or all problems of the settings. The server takes no key, so http is allowed for any host.
func New(s provider.Settings) (localisation.Translator, error) {
	s.Connection.Plain = true
	remote, err := provider.New(s.Connection, provider.Service{Name: "apertium", Limits: provider.Limits{Texts: 1}, Dialect: dialect{}})
	if err != nil {
		return nil, err
	}
	return &Translator{remote}, nil
}

// Translate implements localisation.Translator. A translation of marks alone is an error.
func (t *Translator) Translate(ctx context.Context, from, to locale.Tag, texts []string) ([]string, error) {
	cut := make([][]piece, len(texts))
	var words []string
	for i, s := range texts {
		cut[i] = pieces(s)
		for _, p := range cut[i] {
			words = append(words, p.sent())
		}
	}
	answers, err := t.Translator.Translate(ctx, from, to, words)
	if err != nil {
		return nil, err
	}
	translated := make([]string, len(texts))
	for i := range texts {
		for n, p := range cut[i] {
			translated[i] += p.translated(answers[n])
		}
		if text.IsBlank(translated[i]) && !text.IsBlank(texts[i]) {
			return nil, fmt.Errorf("%s: %w: a translation without words", t.Name(), provider.ErrInvalidAnswer)
		}
		answers = answers[len(cut[i]):]
	}
	return translated, nil
}

type dialect struct{}

// The server's codes are mostly those of ISO 639-3. A language of three countries has one
// code as a source and three as a target.
var (
	sources = provider.Table{"no": "nob", "fa": "pes", "ms": "zlm", "hr": "hbs", "bs": "hbs", "sr-Latn": "hbs"}
	targets = provider.Table{"no": "nob", "fa": "pes", "ms": "zlm", "hr": "hbs_HR", "bs": "hbs_BS", "sr-Latn": "hbs_SR"}
)

// Codes also fails for an unknown source language, because the server does not detect any.
func (dialect) Codes(from, to locale.Tag) (c provider.Codes, err error) {
	if c.From, err = code(sources, from); err != nil {
		return provider.Codes{}, err
	}
	if c.To, err = code(targets, to); err != nil {
		return provider.Codes{}, err
	}
	return c, nil
}

// code returns the three-letter code that newer language packages use. Table entries that
// are not ISO 639 codes stay unchanged.
func code(t provider.Table, tag locale.Tag) (string, error) {
	said, err := t.Code(tag)
	if err != nil {
		return "", err
	}
	if base, err := language.ParseBase(said); err == nil {
		return base.ISO3(), nil
	}
	return said, nil
}

// Ask requests text, not HTML. It lets the server mark unknown words: piece removes all
// marks, the server removes most.
func (dialect) Ask(c provider.Codes, texts []string) provider.Question {
	return provider.Question{Path: "/translate", Body: url.Values{
		"langpair": {c.From + "|" + c.To}, "q": texts, "format": {"txt"},
	}}
}

func (dialect) Read(answer []byte) ([]string, error) {
	var r struct {
		Data struct {
			Text string `json:"translatedText"`
		} `json:"responseData"`
	}
	err := json.Unmarshal(answer, &r)
	return []string{r.Data.Text}, err
}

// Judge reads the explanation, which alone tells whether the language pair is installed.
func (dialect) Judge(status int, answer []byte) error {
	var r struct {
		Explanation string `json:"explanation"`
	}
	if status == http.StatusBadRequest && json.Unmarshal(answer, &r) == nil && r.Explanation == "That pair is not installed" {
		return provider.ErrUnsupportedLanguage
	}
	return nil
}
