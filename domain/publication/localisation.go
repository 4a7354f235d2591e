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
	all := make([]byte, 0, len(text)+128)
	for _, part := range []string{text, from.Language(), to.Language(), translator} {
		all = binary.BigEndian.AppendUint64(all, uint64(len(part)))
		all = append(all, part...)
	}
	return sha256.Sum256(all)
}

// Lease is how long a claim lasts unless its holder renews it: so long a text waits when
// the server that was at it is gone (PUB-06).
const Lease = 10 * time.Second

// Holder names whoever is translating; made at random.
type Holder [16]byte

// Claim says who wants to translate what, and until when nobody else shall.
type Claim struct {
	Holder Holder
	Keys   []CacheKey
	Now    time.Time
	Until  time.Time
}

// Claimed is what becomes of a claim. A key in neither is somebody else's for now.
type Claimed struct {
	Mine []CacheKey          // for the holder to translate
	Kept map[CacheKey]string // translated meanwhile
}

// Spending is what a translator is given to do.
type Spending struct {
	Translator string
	Day        time.Time // DayOf it
	Characters int64
}

// DayOf is the day of UTC of the instant: budgets are for such days (PUB-06).
func DayOf(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

// Cache keeps translations, knows who is at which of them, and what was spent. All
// servers share it. Every implementation passes test/ports.Cache.
type Cache interface {
	// Get returns those of the translations that are kept and have not expired.
	Get(ctx context.Context, keys []CacheKey, now time.Time) (map[CacheKey]string, error)
	// Claim gives the holder those keys that are not kept, and that no other holder has
	// at the time: of many at once, one gets a key. Whoever has a key already has it
	// until the new instant.
	Claim(ctx context.Context, c Claim) (Claimed, error)
	// Put keeps the translations until they expire, in place of what was kept, and ends
	// all claims to them.
	Put(ctx context.Context, translations map[CacheKey]string, expires time.Time) error
	// Release ends the holder's claims to the keys, and no other's.
	Release(ctx context.Context, h Holder, keys []CacheKey) error
	// Spend adds to what the translator was given on the day, unless it would then be
	// more than the budget: false then, and nothing is added.
	Spend(ctx context.Context, s Spending, budget int64) (bool, error)
	// Refund takes back what was spent, as far as there is something.
	Refund(ctx context.Context, s Spending) error
}
