package memory

import (
	"context"
	"maps"
	"slices"
	"time"

	"plaza/domain/instant"
	"plaza/domain/publication"
)

// Translations is the store as publication.Cache.
type Translations struct{ s *Store }

// Translations returns the store's cache of translations.
func (s *Store) Translations() Translations { return Translations{s} }

var _ publication.Cache = Translations{}

func (v Translations) Get(
	ctx context.Context, keys []publication.CacheKey, now time.Time,
) (map[publication.CacheKey]string, error) {
	return write(ctx, v.s, func() (map[publication.CacheKey]string, error) {
		v.s.translations.prune(now)
		found := map[publication.CacheKey]string{}
		for _, key := range keys {
			if t, kept := v.s.translations.kept[key]; kept && now.Before(t.expires) {
				found[key] = t.text
			}
		}
		return found, nil
	})
}

func (v Translations) Claim(ctx context.Context, c publication.Claim) (publication.Claimed, error) {
	return write(ctx, v.s, func() (publication.Claimed, error) {
		t := v.s.translations
		claimed := publication.Claimed{Kept: map[publication.CacheKey]string{}}
		for _, key := range c.Keys {
			if text, kept := t.kept[key]; kept && c.Now.Before(text.expires) {
				claimed.Kept[key] = text.text
				continue
			}
			if by, is := t.claims[key]; is && by.holder != c.Holder && c.Now.Before(by.until) {
				continue
			}
			t.claims[key] = claim{c.Holder, instant.Normalise(c.Until)}
			if !slices.Contains(claimed.Mine, key) {
				claimed.Mine = append(claimed.Mine, key)
			}
		}
		return claimed, nil
	})
}

func (v Translations) Put(ctx context.Context, texts map[publication.CacheKey]string, expires time.Time) error {
	return exec(ctx, v.s, func() error {
		for key, text := range texts {
			v.s.translations.kept[key] = translation{text, expires}
			delete(v.s.translations.claims, key)
		}
		return nil
	})
}

func (v Translations) Release(ctx context.Context, h publication.Holder, keys []publication.CacheKey) error {
	return exec(ctx, v.s, func() error {
		for _, key := range keys {
			if v.s.translations.claims[key].holder == h {
				delete(v.s.translations.claims, key)
			}
		}
		return nil
	})
}

func (v Translations) Spend(ctx context.Context, s publication.Spending, budget int64) (bool, error) {
	return write(ctx, v.s, func() (bool, error) {
		spent, on := v.s.translations.spent, account{s.Translator, s.Day}
		if spent[on]+s.Characters > budget {
			return false, nil
		}
		spent[on] += s.Characters
		return true, nil
	})
}

func (v Translations) Refund(ctx context.Context, s publication.Spending) error {
	return exec(ctx, v.s, func() error {
		spent, on := v.s.translations.spent, account{s.Translator, s.Day}
		spent[on] = max(spent[on]-s.Characters, 0)
		return nil
	})
}

// translation is a translated text with its expiry.
type translation struct {
	text    string
	expires time.Time
}

// claim is the holder of a claim on a text, with its expiry.
type claim struct {
	holder publication.Holder
	until  time.Time
}

// account is the key under which spending is counted.
type account struct {
	translator string
	day        time.Time
}

// translations drops expired texts whenever the map has doubled since the last sweep, so that
// unused ones don't fill the memory.
type translations struct {
	kept   map[publication.CacheKey]translation
	claims map[publication.CacheKey]claim // only texts being translated
	spent  map[account]int64
	sweep  int // size that triggers the next sweep
}

func newTranslations() translations {
	return translations{
		kept: map[publication.CacheKey]translation{}, claims: map[publication.CacheKey]claim{},
		spent: map[account]int64{}, sweep: firstSweep,
	}
}

func (t *translations) prune(now time.Time) {
	if len(t.kept) < t.sweep {
		return
	}
	maps.DeleteFunc(t.kept, func(_ publication.CacheKey, kept translation) bool {
		return !now.Before(kept.expires)
	})
	t.sweep = max(firstSweep, 2*len(t.kept))
}
