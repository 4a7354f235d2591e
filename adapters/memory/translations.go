package memory

import (
	"context"
	"maps"
	"time"

	"plaza/domain/instant"
	"plaza/domain/localisation"
)

// Translations is the store as localisation.Cache.
type Translations struct{ s *Store }

// Translations returns the store's cache of translations.
func (s *Store) Translations() Translations { return Translations{s} }

func (v Translations) Get(
	ctx context.Context, keys []localisation.Key, now time.Time,
) (map[localisation.Key]string, error) {
	return write(ctx, v.s, func() (map[localisation.Key]string, error) {
		v.s.translations.prune(now)
		found := map[localisation.Key]string{}
		for _, key := range keys {
			if t, kept := v.s.translations.kept[key]; kept && now.Before(t.expires) {
				found[key] = t.text
			}
		}
		return found, nil
	})
}

func (v Translations) Claim(ctx context.Context, c localisation.Claim) (localisation.Claimed, error) {
	return write(ctx, v.s, func() (localisation.Claimed, error) {
		t := v.s.translations
		claimed := localisation.Claimed{Kept: map[localisation.Key]string{}}
		for _, key := range c.Keys {
			if text, kept := t.kept[key]; kept && c.Now.Before(text.expires) {
				claimed.Kept[key] = text.text
				continue
			}
			if by, is := t.claims[key]; is && c.Now.Before(by.until) {
				continue
			}
			t.claims[key] = claim{c.Holder, instant.Normalise(c.Until)}
			claimed.Mine = append(claimed.Mine, key)
		}
		return claimed, nil
	})
}

func (v Translations) Put(ctx context.Context, texts map[localisation.Key]string, expires time.Time) error {
	return exec(ctx, v.s, func() error {
		for key, text := range texts {
			v.s.translations.kept[key] = translation{text, expires}
			delete(v.s.translations.claims, key)
		}
		return nil
	})
}

func (v Translations) Release(ctx context.Context, h localisation.Holder, keys []localisation.Key) error {
	return exec(ctx, v.s, func() error {
		for _, key := range keys {
			if v.s.translations.claims[key].holder == h {
				delete(v.s.translations.claims, key)
			}
		}
		return nil
	})
}

func (v Translations) Spend(ctx context.Context, s localisation.Spending, budget int64) (bool, error) {
	return write(ctx, v.s, func() (bool, error) {
		spent, on := v.s.translations.spent, account{s.Translator, s.Day}
		if spent[on]+s.Characters > budget {
			return false, nil
		}
		spent[on] += s.Characters
		return true, nil
	})
}

func (v Translations) Refund(ctx context.Context, s localisation.Spending) error {
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
	holder localisation.Holder
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
	kept   map[localisation.Key]translation
	claims map[localisation.Key]claim // only texts being translated
	spent  map[account]int64
	sweep  int // size that triggers the next sweep
}

func newTranslations() translations {
	return translations{
		kept: map[localisation.Key]translation{}, claims: map[localisation.Key]claim{},
		spent: map[account]int64{}, sweep: firstSweep,
	}
}

func (t *translations) prune(now time.Time) {
	if len(t.kept) < t.sweep {
		return
	}
	maps.DeleteFunc(t.kept, func(_ localisation.Key, kept translation) bool {
		return !now.Before(kept.expires)
	})
	t.sweep = max(firstSweep, 2*len(t.kept))
}
