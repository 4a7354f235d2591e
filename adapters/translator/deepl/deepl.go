// Package deepl translates texts with DeepL's API, version 2.
package deepl

import (
	"encoding/json"
	"net/http"
	"strings"

	"plaza/adapters/translator/provider"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/secret"
)

// DeepL's base URLs: for paid keys, and for keys of the free plan, which end in :fx.
const (
	URL     = "https://api.deepl.com"
	FreeURL = "https://api-free.deepl.com"
)

// limits are those of one request.
var limits = provider.Limits{Texts: 50, Bytes: 128 << 10}

// statusQuota is DeepL's own status.
const statusQuota = 456

// DeepL distinguishes variants only of target languages.
var (
	sources = provider.Table{"zh-Hans": "zh", "zh-Hant": "zh", "no": "nb"}
	targets = provider.Table{
		"zh-Hans": "zh-hans", "zh-Hant": "zh-hant", "no": "nb",
		"en": "en-us", "en-GB": "en-gb", "en-IE": "en-gb", "en-AU": "en-gb", "en-NZ": "en-gb", "en-ZA": "en-gb", "en-IN": "en-gb",
		"pt": "pt-br", "pt-PT": "pt-pt", "pt-AO": "pt-pt", "pt-MZ": "pt-pt",
	}
)

// Description describes the translator.
var Description = provider.Description{Name: "deepl", ChargesCharacters: true, Open: New}

// New returns a translator, or all problems of the settings.
func New(s provider.Settings) (localisation.Translator, error) {
	url := URL
	if strings.HasSuffix(s.Key.Reveal(), ":fx") {
		url = FreeURL
	}
	return provider.NewKeyed(s, provider.Service{Name: "deepl", URL: url, Limits: limits, Dialect: dialect{key: s.Key}})
}

type dialect struct{ key secret.String }

// request has no tag_handling, so texts are plain text.
type request struct {
	Text   []string `json:"text"`
	Source string   `json:"source_lang,omitempty"`
	Target string   `json:"target_lang"`
}

func (dialect) Codes(from, to locale.Tag) (provider.Codes, error) {
	c, err := sources.Codes(targets, from, to)
	return provider.Codes{From: strings.ToUpper(c.From), To: strings.ToUpper(c.To)}, err
}

func (d dialect) Ask(c provider.Codes, texts []string) provider.Question {
	return provider.Question{
		Path:   "/v2/translate",
		Header: http.Header{"Authorization": {"DeepL-Auth-Key " + d.key.Reveal()}},
		Key:    d.key,
		Body:   request{Text: texts, Source: c.From, Target: c.To},
	}
}

func (dialect) Read(answer []byte) ([]string, error) {
	var r struct {
		Translations []struct {
			Text string `json:"text"`
		} `json:"translations"`
	}
	err := json.Unmarshal(answer, &r)
	var texts []string
	for _, t := range r.Translations {
		texts = append(texts, t.Text)
	}
	return texts, err
}

func (dialect) Judge(status int, _ []byte) error {
	if status == statusQuota {
		return provider.ErrQuota
	}
	return nil
}
