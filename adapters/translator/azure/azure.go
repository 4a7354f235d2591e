// Package azure translates texts with Azure Translator, version 3 of its API.
package azure

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"

	"plaza/adapters/translator/provider"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/secret"
)

// URL is Azure's base URL.
const URL = "https://api.cognitive.microsofttranslator.com"

// limits are those of one request with one target language.
var limits = provider.Limits{Texts: 1000, Chars: 50_000}

// Azure's error codes consist of the status and three digits.
const (
	codeTooLong   = 400_077
	codeFreeSpent = 403_001
)

var codes = provider.Table{
	"zh-Hans": "zh-Hans", "zh-Hant": "zh-Hant", "no": "nb",
	"sr-Cyrl": "sr-Cyrl", "sr-Latn": "sr-Latn", "mn-Cyrl": "mn-Cyrl", "mn-Mong": "mn-Mong", "pt-PT": "pt-pt",
}

var region = regexp.MustCompile(`^[a-z0-9]{0,64}$`)

// Description describes the translator.
var Description = provider.Description{Name: "azure", ChargesCharacters: true, Open: New}

// New returns a translator, or all problems of the settings.
func New(s provider.Settings) (localisation.Translator, error) {
	if !region.MatchString(s.Region) {
		return nil, errors.New("azure: Region must be lower-case letters and digits, like westeurope")
	}
	return provider.NewKeyed(s, provider.Service{
		Name: "azure", URL: URL, Limits: limits, Dialect: dialect{key: s.Key, region: s.Region},
	})
}

type dialect struct {
	key    secret.String
	region string
}

type element struct {
	Text string `json:"Text"`
}

func (dialect) Codes(from, to locale.Tag) (provider.Codes, error) {
	return codes.Codes(codes, from, to)
}

func (d dialect) Ask(c provider.Codes, texts []string) provider.Question {
	query := url.Values{"api-version": {"3.0"}, "to": {c.To}, "textType": {"plain"}}
	if c.From != "" {
		query.Set("from", c.From)
	}
	header := http.Header{"Ocp-Apim-Subscription-Key": {d.key.Reveal()}}
	if d.region != "" {
		header.Set("Ocp-Apim-Subscription-Region", d.region)
	}
	body := make([]element, len(texts))
	for i, text := range texts {
		body[i].Text = text
	}
	return provider.Question{Path: "/translate?" + query.Encode(), Header: header, Key: d.key, Body: body}
}

func (dialect) Read(answer []byte) ([]string, error) {
	var all []struct {
		Translations []struct {
			Text string `json:"text"`
		} `json:"translations"`
	}
	if err := json.Unmarshal(answer, &all); err != nil {
		return nil, err
	}
	var texts []string
	for _, one := range all {
		if len(one.Translations) != 1 {
			return nil, errors.New("several target languages in the answer")
		}
		texts = append(texts, one.Translations[0].Text)
	}
	return texts, nil
}

// Judge reads Azure's error code. A 401 may have none.
func (dialect) Judge(_ int, answer []byte) error {
	var r struct {
		Error struct {
			Code int `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(answer, &r) != nil {
		return nil
	}
	switch r.Error.Code {
	case codeTooLong:
		return provider.ErrTooLong
	case codeFreeSpent:
		return provider.ErrQuota
	}
	return nil
}
