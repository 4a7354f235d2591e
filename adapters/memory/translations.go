package memory

import (
	"context"
	"maps"
	"time"

	"plaza/domain/publication"
)

// Translations is the store as publication.Cache.
type Translations struct{ s *Store }

// Translations returns the translations that the store keeps.
func (s *Store) Translations() Translations { return Translations{s} }

var _ publication.Cache = Translations{}

func (v Translations) Get(
	ctx context.Context, keys []publication.CacheKey, now time.Time,
) (map[publication.CacheKey]string, error) {
	done, err := v.s.write(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	v.s.translations.prune(now)
	found := map[publication.CacheKey]string{}
	for _, key := range keys {
		if t, kept := v.s.translations.kept[key]; kept && now.Before(t.expires) {
			found[key] = t.text
		}
	}
	return found, nil
}

func (v Translations) Put(ctx context.Context, texts map[publication.CacheKey]string, expires time.Time) error {
	done, err := v.s.write(ctx)
	if err != nil {
		return err
	}
	defer done()
	for key, text := range texts {
		v.s.translations.kept[key] = translation{text, expires}
	}
	return nil
}

// translation is a text until it expires.
type translation struct {
	text    string
	expires time.Time
}

// translations drops what has expired when there is twice as much as after the
// last time, so that what nobody reads any more doesn't fill the memory.
type translations struct {
	kept  map[publication.CacheKey]translation
	sweep int // size at which to look for what has expired
}

func newTranslations() translations {
	return translations{kept: map[publication.CacheKey]translation{}, sweep: firstSweep}
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
