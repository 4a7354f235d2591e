// Package apertium has texts translated by APy, the server of Apertium, which anybody can
// run.
//
// It takes one text a request, drops the white space around it, takes asterisks for its own
// marks, and forgets the end of what is long while many ask. So a text is sent in pieces
// that come through whole, whoever else is asking.
package apertium

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"golang.org/x/text/language"

	"plaza/adapters/translator/provider"
	"plaza/domain/locale"
	"plaza/domain/publication"
)

// Config says which server to ask.
type Config struct {
	// Line leads to the server. It knows no keys, so http will do everywhere: it is often a
	// neighbour in one's own network.
	Line provider.Line
}

// Translator implements publication.Translator.
type Translator struct{ remote *provider.Translator }

var _ publication.Translator = (*Translator)(nil)

// New returns a translator, or what is wrong with the configuration.
func New(c Config) (*Translator, error) {
	c.Line.Plain = true
	remote, err := provider.New(c.Line, dialect{})
	if err != nil {
		return nil, err
	}
	return &Translator{remote}, nil
}

// Name implements publication.Translator.
func (t *Translator) Name() string { return t.remote.Name() }

// Translate implements publication.Translator.
func (t *Translator) Translate(ctx context.Context, from, to locale.Tag, texts []string) ([]string, error) {
	cut := make([][]piece, len(texts))
	var words []string
	for i, s := range texts {
		cut[i] = pieces(s)
		for _, p := range cut[i] {
			words = append(words, p.sent())
		}
	}
	answers, err := t.remote.Translate(ctx, from, to, words)
	if err != nil {
		return nil, err
	}
	translated := make([]string, len(texts))
	for i := range texts {
		for n, p := range cut[i] {
			translated[i] += p.translated(answers[n])
		}
		answers = answers[len(cut[i]):]
	}
	return translated, nil
}

// atOnce keeps the server busy while an answer is on its way. It works at one text after
// the other: with more than two, all come later.
const atOnce = 2

type dialect struct{}

func (dialect) Name() string            { return "apertium" }
func (dialect) Limits() provider.Limits { return provider.Limits{Texts: 1, AtOnce: atOnce} }

// Its own codes are mostly those of ISO 639-3. What is one language in three countries has
// one code as a source, and three as a target.
var (
	sources = provider.Table{"no": "nob", "fa": "pes", "ms": "zlm", "hr": "hbs", "bs": "hbs", "sr-Latn": "hbs"}
	targets = provider.Table{"no": "nob", "fa": "pes", "ms": "zlm", "hr": "hbs_HR", "bs": "hbs_BS", "sr-Latn": "hbs_SR"}
)

// Codes fails also for a language that is not known: the server guesses none.
func (dialect) Codes(from, to locale.Tag) (c provider.Codes, err error) {
	if c.From, err = code(sources, from); err != nil {
		return provider.Codes{}, err
	}
	if c.To, err = code(targets, to); err != nil {
		return provider.Codes{}, err
	}
	return c, nil
}

// code has three letters, as the packages of languages have that are not very old; what the
// table says that is no code of ISO 639 stays as it is.
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

// Ask wants text, not HTML. It lets the server mark the words that it does not know: pieces
// lose all marks, the server only most.
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

// Judge reads the explanation: whether a pair of languages is there, only the server knows.
func (dialect) Judge(status int, answer []byte) error {
	var r struct {
		Explanation string `json:"explanation"`
	}
	if status == http.StatusBadRequest && json.Unmarshal(answer, &r) == nil && r.Explanation == "That pair is not installed" {
		return provider.ErrUnspoken
	}
	return nil
}
