// Package google translates texts with Google's Cloud Translation API, version 2, which
// needs only a key.
package google

import (
	"encoding/json"
	"net/http"

	"plaza/adapters/translator/provider"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/secret"
)

// URL is Google's base URL.
const URL = "https://translation.googleapis.com"

// limits are those of one request. Only that of texts is documented for this version. The other stays well below the limits
// of other versions.
var limits = provider.Limits{Texts: 128, Bytes: 128 << 10}

var codes = provider.Table{"zh-Hans": "zh-CN", "zh-Hant": "zh-TW"}

// Description describes the translator.
var Description = provider.Description{Name: "google", ChargesCharacters: true, Open: New}

// New returns a translator, or all problems of the settings.
func New(s provider.Settings) (localisation.Translator, error) {
	return provider.NewKeyed(s, provider.Service{Name: "google", URL: URL, Limits: limits, Dialect: dialect{key: s.Key}})
}

type dialect struct{ key secret.String }

// request always has a format: without one, Google parses the texts as HTML.
type request struct {
	Q      []string `json:"q"`
	Source string   `json:"source,omitempty"`
	Target string   `json:"target"`
	Format string   `json:"format"`
}

func (dialect) Codes(from, to locale.Tag) (provider.Codes, error) {
	return codes.Codes(codes, from, to)
}

// Ask sends the key in a header, because URLs get logged.
func (d dialect) Ask(c provider.Codes, texts []string) provider.Question {
	return provider.Question{
		Path:   "/language/translate/v2",
		Header: http.Header{"X-Goog-Api-Key": {d.key.Reveal()}},
		Key:    d.key,
		Body:   request{Q: texts, Source: c.From, Target: c.To, Format: "text"},
	}
}

func (dialect) Read(answer []byte) ([]string, error) {
	var r struct {
		Data struct {
			Translations []struct {
				Text string `json:"translatedText"`
			} `json:"translations"`
		} `json:"data"`
	}
	err := json.Unmarshal(answer, &r)
	var texts []string
	for _, t := range r.Data.Translations {
		texts = append(texts, t.Text)
	}
	return texts, err
}

// Judge reads the reason: an exhausted quota is a 403, as is a refused key, which may also
// be a 400.
func (dialect) Judge(status int, answer []byte) error {
	var r struct {
		Error struct {
			Errors []struct {
				Reason string `json:"reason"`
			} `json:"errors"`
			Details []struct {
				Reason string `json:"reason"`
			} `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(answer, &r) != nil || status != http.StatusForbidden && status != http.StatusBadRequest {
		return nil
	}
	for _, said := range append(r.Error.Errors, r.Error.Details...) {
		switch said.Reason {
		case "dailyLimitExceeded", "userRateLimitExceeded", "rateLimitExceeded", "quotaExceeded":
			return provider.ErrQuota
		case "keyInvalid", "API_KEY_INVALID":
			return provider.ErrKey
		}
	}
	return nil
}
