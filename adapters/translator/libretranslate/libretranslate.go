// Package libretranslate has texts translated by a LibreTranslate server, which anybody
// can run.
//
// Its limits are its operator's. It turns entities into the characters that they stand
// for, so what comes back is text and must never be taken for HTML.
package libretranslate

import (
	"encoding/json"
	"errors"
	"fmt"

	"plaza/adapters/translator/provider"
	"plaza/domain/locale"
	"plaza/domain/secret"
)

// Config says which server to ask, and as whom.
type Config struct {
	// Line leads to the server. Without a key http will do everywhere: the server is often
	// a neighbour in one's own network.
	Line provider.Line
	// Key is only for servers that want one.
	Key secret.String
	// Texts and Chars are how much the server takes at once, as its operator set them with
	// --batch-limit and --char-limit. Zero: 50 texts, and as many characters as there are.
	Texts, Chars int
}

const (
	defaultTexts = 50
	bodyLimit    = 1 << 20 // what servers in front of it usually take
)

// codes are its own where a language has two scripts or two countries; zh-CN it refuses.
var codes = provider.Table{"zh-Hans": "zh-Hans", "zh-Hant": "zh-Hant", "pt-BR": "pt-BR", "no": "nb", "fil": "tl"}

// New returns a translator, or what is wrong with the configuration.
func New(c Config) (*provider.Translator, error) {
	c.Line.Plain = !hasKey(c.Key)
	if hasKey(c.Key) {
		if err := provider.CheckKey(c.Key); err != nil {
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
	return provider.New(c.Line, dialect{key: c.Key, limits: limits})
}

func hasKey(key secret.String) bool { return key.Reveal() != "" }

type dialect struct {
	key    secret.String
	limits provider.Limits
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
	if c.From == "" {
		c.From = "auto"
	}
	return provider.Question{Path: "/translate", Body: request{
		Q: texts, Source: c.From, Target: c.To, Format: "text", Key: d.key.Reveal(),
	}}
}

func (dialect) Read(answer []byte) ([]string, error) {
	var r struct {
		Texts []string `json:"translatedText"`
	}
	err := json.Unmarshal(answer, &r)
	return r.Texts, err
}

// Judge leaves all to the status.
func (dialect) Judge(int, []byte) error { return nil }
