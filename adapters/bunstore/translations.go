package bunstore

import (
	"bytes"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"plaza/domain/publication"
)

// Translations is the store as publication.Cache.
type Translations struct{ s *Store }

// Translations returns the translations that the store keeps.
func (s *Store) Translations() Translations { return Translations{s} }

var _ publication.Cache = Translations{}

type translationRow struct {
	bun.BaseModel `bun:"table:translations,alias:t"`
	Key           []byte `bun:",pk"`
	Content       string
	Expires       moment
}

func (v Translations) Get(
	ctx context.Context, keys []publication.CacheKey, now time.Time,
) (map[publication.CacheKey]string, error) {
	raw := make([][]byte, len(keys))
	for i, key := range keys {
		raw[i] = key[:]
	}
	found := map[publication.CacheKey]string{}
	err := v.s.read(ctx, func(ctx context.Context) error {
		var rows []translationRow
		if err := v.s.reader.NewSelect().Model(&rows).
			Where("key IN (?)", bun.List(raw)).Where("expires > ?", moment{now}).Scan(ctx); err != nil {
			return err
		}
		clear(found)
		for _, row := range rows {
			found[publication.CacheKey(row.Key)] = row.Content
		}
		return nil
	})
	return found, err
}

// expiredOdds is how many Puts go by, on average, between two that also drop what
// has expired, and expiredMost how much one of them drops.
const (
	expiredOdds = 16
	expiredMost = 1000
)

func (v Translations) Put(ctx context.Context, texts map[publication.CacheKey]string, expires time.Time) error {
	if len(texts) == 0 {
		return v.s.read(ctx, func(context.Context) error { return nil })
	}
	var rows []translationRow
	for key, text := range texts {
		rows = append(rows, translationRow{Key: key[:], Content: text, Expires: moment{expires}})
	}
	// In one order, so that two who keep the same never wait for each other.
	slices.SortFunc(rows, func(a, b translationRow) int { return bytes.Compare(a.Key, b.Key) })
	err := v.s.write(ctx, func(ctx context.Context, tx *transaction) error {
		_, err := tx.NewInsert().Model(&rows).On("CONFLICT (key) DO UPDATE").Exec(ctx)
		return err
	})
	if err == nil && rand.IntN(expiredOdds) == 0 {
		v.sweep(ctx, expires.Add(-publication.CacheFor))
	}
	return err
}

// sweep drops some of what has expired by the instant. Nobody depends on it, so
// whoever is asked to do it is not told that it failed.
func (v Translations) sweep(ctx context.Context, now time.Time) {
	err := v.s.write(ctx, func(ctx context.Context, tx *transaction) error {
		_, err := tx.NewRaw("DELETE FROM translations WHERE key IN "+
			"(SELECT key FROM translations WHERE expires <= ? ORDER BY expires LIMIT ?)", moment{now}, expiredMost).Exec(ctx)
		return err
	})
	if err != nil && ctx.Err() == nil {
		v.s.log.Warn("translations that have expired could not be removed", "error", err)
	}
}
