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
	"strings"
	"unicode"

	"golang.org/x/text/language"

	"plaza/adapters/translator/provider"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/text"
)

// Translator implements localisation.Translator.
type Translator struct{ *provider.Translator }

// Description describes the translator.
var Description = provider.Description{Name: "apertium", NeedsURL: true, Open: New}

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
func (dialect) Codes(from, to locale.Tag) (provider.Codes, error) {
	c, err := sources.Codes(targets, from, to)
	if err == nil && c.From == "" {
		err = provider.ErrUnsupportedLanguage
	}
	return provider.Codes{From: iso3(c.From), To: iso3(c.To)}, err
}

// iso3 returns the three-letter code that newer language packages use. Table entries that
// are not ISO 639 codes stay unchanged.
func iso3(code string) string {
	if base, err := language.ParseBase(code); err == nil {
		return base.ISO3()
	}
	return code
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

// longest is the length up to which the server never splits a text, in characters. It splits
// longer texts differently under load, and drops everything after the tenth part.
const longest = 1000

// piece is a part of a text that is sent separately.
type piece struct {
	before, words, after string // the words, and the surrounding white space, which the server would drop
	star                 rune   // replaces asterisks, which the server would drop too
}

// pieces returns the text in pieces, one unless it is long.
func pieces(s string) []piece {
	var all []piece
	rest := []rune(s)
	for len(rest) > longest {
		n := end(rest[:longest])
		all = append(all, newPiece(string(rest[:n])))
		rest = rest[n:]
	}
	return append(all, newPiece(string(rest)))
}

// end returns the end of the first piece: after the last line break in the text's second
// half, else after the last sentence there, else after the last word.
func end(s []rune) int {
	for _, ends := range []func(i int) bool{
		func(i int) bool { return s[i] == '\n' },
		func(i int) bool { return unicode.IsSpace(s[i]) && strings.ContainsRune(".!?…", s[i-1]) },
		func(i int) bool { return unicode.IsSpace(s[i]) },
	} {
		for i := len(s) - 1; i >= len(s)/2; i-- {
			if ends(i) {
				return i + 1
			}
		}
	}
	return len(s)
}

func newPiece(s string) piece {
	tail := strings.TrimLeftFunc(s, unicode.IsSpace)
	words := strings.TrimRightFunc(tail, unicode.IsSpace)
	p := piece{before: s[:len(s)-len(tail)], words: words, after: tail[len(words):]}
	for p.star = '\ue000'; strings.ContainsRune(words, p.star); p.star++ { // a character that the text does not contain
	}
	return p
}

// sent returns the words as the server gets them.
func (p piece) sent() string { return strings.ReplaceAll(p.words, "*", string(p.star)) }

// translated returns the translated piece for the server's answer. It removes the server's
// marks: all asterisks, and signs that the words don't have.
func (p piece) translated(answer string) string {
	answer = strings.ReplaceAll(strings.TrimFunc(answer, unicode.IsSpace), "*", "")
	for _, mark := range []string{"#", "@"} {
		if !strings.Contains(p.words, mark) {
			answer = strings.ReplaceAll(answer, mark, "")
		}
	}
	return p.before + strings.ReplaceAll(answer, string(p.star), "*") + p.after
}
