package memory

import (
	"context"
	"maps"
	"time"

	"plaza/domain/instant"
	"plaza/domain/localisation"
)

type Translations view

func (v Translations) Get(ctx context.Context, keys []localisation.Key, now time.Time) (map[localisation.Key]string, error) {
	return write(ctx, v.s, func() (map[localisation.Key]string, error) {
		maps.DeleteFunc(v.s.translations.kept, func(_ localisation.Key, t translation) bool { return !now.Before(t.expires) })
		found := map[localisation.Key]string{}
		for _, key := range keys {
			if t, kept := v.s.translations.kept[key]; kept {
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
