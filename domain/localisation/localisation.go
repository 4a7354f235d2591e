// Package localisation models the machine translation of texts for readers: the port of a
// translator, and the port of the cache in which all servers share translations, claims to
// translate and the spending of a day.
package localisation

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"time"

	"plaza/domain/locale"
)

// Text is a text to translate.
type Text struct {
	Content  string
	Language locale.Tag // zero: unknown
}

// Translation is the translation of a text.
type Translation struct {
	Text       string
	Translator string     // the name of the translator that produced it (PUB-08)
	Language   locale.Tag // what it was made in: Translator.Target
}

// Translator translates texts. Every implementation passes test/ports.Translator.
type Translator interface {
	// Name returns the name of the translator for caches and readers.
	Name() string
	// Target returns the variant of the language that the translator writes for readers of the tag:
	// en-GB for en-IE, if it distinguishes two. It is the same language (locale.Same), and its own
	// target. The cache keeps translations by it, and readers are told it.
	Target(to locale.Tag) locale.Tag
	// Translate returns one translation per text, in the order of the texts. It must
	// respect the deadline of the context. The translations must be text, not markup.
	Translate(ctx context.Context, from, to locale.Tag, texts []string) ([]string, error)
}

// CacheFor is how long a translation is kept: one month of 30 days (PUB-06).
const CacheFor = 30 * 24 * time.Hour

// Key identifies a translation by its text, its two languages and its translator.
type Key [sha256.Size]byte

// KeyOf returns the key of the text's translation into a target of the translator
// (Translator.Target).
func KeyOf(t Text, to locale.Tag, translator string) Key {
	all := make([]byte, 0, len(t.Content)+128)
	for _, part := range []string{t.Content, t.Language.Language(), to.String(), translator} {
		all = binary.BigEndian.AppendUint64(all, uint64(len(part)))
		all = append(all, part...)
	}
	return sha256.Sum256(all)
}

// Holder is the random ID of the holder of a claim.
type Holder [16]byte

// Claim asks for the exclusive translation of keys until an instant.
type Claim struct {
	Holder Holder
	Keys   []Key
	Now    time.Time
	Until  time.Time
}

// Claimed is the result of a claim. A key in neither field is claimed already.
type Claimed struct {
	Mine []Key          // for the holder to translate
	Kept map[Key]string // already translated
}

// Spending is an amount of text that a translator is given on a day.
type Spending struct {
	Translator string
	Day        time.Time // DayOf it
	Characters int64
}

// DayOf returns the UTC day of the instant, the period of a budget (PUB-06).
func DayOf(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

// Cache stores translations, claims to translate, and spendings. All servers share it.
// Every implementation passes test/ports.Cache.
type Cache interface {
	// Get returns the stored translations of the keys that have not expired.
	Get(ctx context.Context, keys []Key, now time.Time) (map[Key]string, error)
	// Claim assigns to the holder the keys that have no stored translation and no claim.
	// Of concurrent calls, exactly one must get a key. A claim ends at its instant.
	Claim(ctx context.Context, c Claim) (Claimed, error)
	// Put stores the translations until they expire, replaces existing ones, and ends
	// all claims to their keys.
	Put(ctx context.Context, translations map[Key]string, expires time.Time) error
	// Release ends the holder's claims to the keys. Claims of other holders must stay.
	Release(ctx context.Context, h Holder, keys []Key) error
	// Spend adds to the spending of the translator on the day. If the sum would exceed
	// the budget, it must add nothing and return false.
	Spend(ctx context.Context, s Spending, budget int64) (bool, error)
	// Refund subtracts from the spending, but never below zero.
	Refund(ctx context.Context, s Spending) error
}
