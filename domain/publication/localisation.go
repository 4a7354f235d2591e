package publication

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"plaza/domain/locale"
)

// CacheFor is how long a translation is kept: one month of 30 days (PUB-06).
const CacheFor = 30 * 24 * time.Hour

// Localised is a publication's title and content in another language (PUB-04).
type Localised struct {
	Title             string
	Content           string
	TitleTranslator   string // name of who translated it
	ContentTranslator string
	Source            locale.Tag // the language that it was written in
	Language          locale.Tag // the language that it is in now
}

// Translator translates texts. Every implementation passes test/ports.Translator.
type Translator interface {
	// Name is what the translator is called, in caches and to readers.
	Name() string
	// Translate returns the texts, in their order and as many, in the other
	// language. It must keep to the deadline of the context. What comes back is
	// text, never markup.
	Translate(ctx context.Context, from, to locale.Tag, texts []string) ([]string, error)
}

// CacheKey names a translation: what is translated, from and into what, by whom.
type CacheKey [sha256.Size]byte

// CacheKeyOf returns the key of the text's translation.
func CacheKeyOf(text string, from, to locale.Tag, translator string) CacheKey {
	h := sha256.New()
	for _, part := range []string{text, from.Language(), to.Language(), translator} {
		_ = binary.Write(h, binary.BigEndian, int64(len(part))) // a hash never fails
		h.Write([]byte(part))
	}
	return CacheKey(h.Sum(nil))
}

// Cache keeps translations. Every implementation passes test/ports.Cache.
type Cache interface {
	// Get returns those of the translations that are kept and have not expired.
	Get(ctx context.Context, keys []CacheKey, now time.Time) (map[CacheKey]string, error)
	// Put keeps the translations until they expire, in place of what was kept.
	Put(ctx context.Context, translations map[CacheKey]string, expires time.Time) error
}
