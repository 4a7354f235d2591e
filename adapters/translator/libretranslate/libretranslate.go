// Package libretranslate translates texts with LibreTranslate, a self-hosted server.
//
// Its operator sets its limits. Servers from before April 2025 have other codes for Chinese and
// for Brazilian Portuguese, so the server is asked which it names. It decodes entities, so translations are plain text and must
// never be used as HTML.
package libretranslate

import (
	"encoding/json"
	"fmt"

	"plaza/adapters/translator/provider"
	"plaza/adapters/upstream"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/secret"
)

// limits are the server's usual ones of a request, and those of proxies in front of it.
var limits = provider.Limits{Texts: 50, Bytes: 1 << 20}

// codes are the newer servers' codes of languages with two scripts or two countries; it refuses
// zh-CN.
var codes = provider.Table{"zh-Hans": "zh-Hans", "zh-Hant": "zh-Hant", "pt-BR": "pt-BR", "no": "nb", "fil": "tl"}

// Description describes the translator.
var Description = provider.Description{
	Name: "libretranslate", Help: "a server of your own, at PLAZA_TRANSLATOR_URL", NeedsURL: true, Open: New,
}

// New returns a translator, or all problems of the settings. Without a key, http is allowed for any host.
func New(s provider.Settings) (localisation.Translator, error) {
	s.Connection.Plain = s.Key.IsZero()
	if !s.Connection.Plain {
		if err := upstream.CheckKey(s.Key); err != nil {
			return nil, fmt.Errorf("libretranslate: %w", err)
		}
	}
	named := &names{}
	remote, err := provider.New(s.Connection, provider.Service{
		Name: "libretranslate", Limits: limits, Dialect: dialect{key: s.Key, names: named},
	})
	if err != nil {
		return nil, err
	}
	return &Translator{Translator: remote, names: named}, nil
}

type dialect struct {
	key   secret.String
	names *names
}

type request struct {
	Q      []string `json:"q"`
	Source string   `json:"source"`
	Target string   `json:"target"`
	Format string   `json:"format"`
	Key    string   `json:"api_key,omitempty"`
}

func (dialect) Codes(from, to locale.Tag) (provider.Codes, error) {
	return codes.Codes(codes, from, to)
}

func (d dialect) Ask(c provider.Codes, texts []string) provider.Question {
	source := "auto"
	if c.From != "" {
		source = d.names.of(c.From)
	}
	return provider.Question{Path: "/translate", Key: d.key, Body: request{
		Q: texts, Source: source, Target: d.names.of(c.To), Format: "text", Key: d.key.Reveal(),
	}}
}

func (dialect) Read(answer []byte) ([]string, error) {
	var r struct {
		Texts []string `json:"translatedText"`
	}
	err := json.Unmarshal(answer, &r)
	return r.Texts, err
}

// Judge relies on the status alone.
func (dialect) Judge(int, []byte) error { return nil }
