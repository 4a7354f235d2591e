// Package libretranslate translates texts with LibreTranslate, a self-hosted server.
//
// Its operator sets its limits. Servers from before April 2025 have other codes for Chinese and
// for Brazilian Portuguese, so the server is asked which it names. It decodes entities, so translations are plain text and must
// never be used as HTML.
package libretranslate

import (
	"encoding/json"
	"errors"
	"fmt"

	"plaza/adapters/translator/provider"
	"plaza/adapters/upstream"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/secret"
)

// Config holds the settings of the server.
type Config struct {
	// Connection is the connection to the server. Without a key, http is allowed for any host.
	Connection provider.Connection
	// Key is required by some servers only.
	Key secret.String
	// Texts and Chars are the server's limits of one request, set with --batch-limit and
	// --char-limit. Zero means 50 texts and any number of characters.
	Texts, Chars int
}

const (
	defaultTexts = 50
	bodyLimit    = 1 << 20 // the usual limit of proxies in front of it
)

// codes are the newer servers' codes of languages with two scripts or two countries; it refuses
// zh-CN.
var codes = provider.Table{"zh-Hans": "zh-Hans", "zh-Hant": "zh-Hant", "pt-BR": "pt-BR", "no": "nb", "fil": "tl"}

// Description describes the translator.
var Description = provider.Description{
	Name: "libretranslate", Help: "a server of your own, at PLAZA_TRANSLATOR_URL", NeedsURL: true,
	Open: func(s provider.Settings) (localisation.Translator, error) {
		return New(Config{Connection: s.Connection, Key: s.Key})
	},
}

// New returns a translator, or all problems of the configuration.
func New(c Config) (*Translator, error) {
	c.Connection.Plain = !hasKey(c.Key)
	if hasKey(c.Key) {
		if err := upstream.CheckKey(c.Key); err != nil {
			return nil, fmt.Errorf("libretranslate: %w", err)
		}
	}
	if c.Texts < 0 || c.Chars < 0 {
		return nil, errors.New("libretranslate: Texts and Chars must not be negative")
	}
	limits := provider.Limits{Texts: defaultTexts, Chars: c.Chars, Bytes: bodyLimit}
	if c.Texts > 0 {
		limits.Texts = c.Texts
	}
	named := &names{}
	remote, err := provider.New(c.Connection, dialect{key: c.Key, limits: limits, names: named})
	if err != nil {
		return nil, err
	}
	return &Translator{Translator: remote, names: named}, nil
}

func hasKey(key secret.String) bool { return key.Reveal() != "" }

type dialect struct {
	key    secret.String
	limits provider.Limits
	names  *names
}

type request struct {
	Q      []string `json:"q"`
	Source string   `json:"source"`
	Target string   `json:"target"`
	Format string   `json:"format"`
	Key    string   `json:"api_key,omitempty"`
}

func (dialect) Name() string              { return "libretranslate" }
func (d dialect) Limits() provider.Limits { return d.limits }

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
