package feed

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/localisation"
)

// Translations implements localisation.Cache.
type Translations struct{ DB *engine.DB }

// translationsOf finds the translations of the keys $1 that have not expired at $2.
var translationsOf = engine.Text{
	Postgres: `
	SELECT key, content FROM translations WHERE key = ANY($1) AND expires > $2`,

	SQLite: `
	SELECT key, content FROM translations WHERE key IN (SELECT unhex(value) FROM json_each($1)) AND expires > $2`,
}

const (
	// claimTranslation takes the key $1 for the holder $2 until $3, and returns a row, unless another one has it at $4.
	claimTranslation = `
		INSERT INTO translation_claims AS c (key, holder, until) VALUES ($1, $2, $3)
		ON CONFLICT (key) DO UPDATE SET holder = EXCLUDED.holder, until = EXCLUDED.until
		WHERE c.until <= $4
		RETURNING TRUE`

	// releaseTranslation gives up the key $1 of the holder $2.
	releaseTranslation = `
		DELETE FROM translation_claims WHERE key = $1 AND holder = $2`

	// putTranslation stores the translation $2 of the key $1 until $3.
	putTranslation = `
		INSERT INTO translations (key, content, expires) VALUES ($1, $2, $3)
		ON CONFLICT (key) DO UPDATE SET content = EXCLUDED.content, expires = EXCLUDED.expires`

	// spend counts $3 more characters for the translator $1 on the day $2, and returns a row, unless that is more than $4 in
	// all. The condition applies to existing rows alone.
	spend = `
		INSERT INTO translation_days AS d (translator, day, characters) VALUES ($1, $2, $3)
		ON CONFLICT (translator, day) DO UPDATE SET characters = d.characters + EXCLUDED.characters
		WHERE d.characters + EXCLUDED.characters <= $4
		RETURNING TRUE`

	// refund counts $3 characters less for the translator $1 on the day $2.
	refund = `
		UPDATE translation_days SET characters = CASE WHEN characters > $3 THEN characters - $3 ELSE 0 END
		WHERE translator = $1 AND day = $2`
)

type translationRow struct {
	Key     []byte
	Content string
}

func (v Translations) Get(ctx context.Context, keys []localisation.Key, now time.Time) (map[localisation.Key]string, error) {
	rows, err := engine.All[translationRow](ctx, v.DB, v.DB.Pick(translationsOf), bytesOf(keys), now)
	found := make(map[localisation.Key]string, len(rows))
	for _, row := range rows {
		found[localisation.Key(row.Key)] = row.Content
	}
	return found, err
}

// bytesOf returns the keys in sorted order, so that concurrent writers of the same rows
// do not deadlock.
func bytesOf(keys []localisation.Key) [][]byte {
	raw := make([][]byte, len(keys))
	for i := range keys {
		raw[i] = keys[i][:]
	}
	slices.SortFunc(raw, bytes.Compare)
	return slices.CompactFunc(raw, bytes.Equal)
}

// Claim takes the keys first, cached or not, and reads the cache afterwards: so it
// can't miss a translation that was stored before the claim.
func (v Translations) Claim(ctx context.Context, c localisation.Claim) (claimed localisation.Claimed, err error) {
	keys := bytesOf(c.Keys)
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		claimed = localisation.Claimed{Kept: map[localisation.Key]string{}}
		taken := make([]bool, len(keys))
		for i, key := range keys {
			tx.Queue(claimTranslation, key, c.Holder, c.Until, c.Now).Into(&taken[i])
		}
		engine.Found(tx, tx.Queue(v.DB.Pick(translationsOf), keys, c.Now), func(row *translationRow) error {
			claimed.Kept[localisation.Key(row.Key)] = row.Content
			return nil
		})
		if err := tx.Send(); err != nil {
			return err
		}
		for i, key := range keys {
			_, kept := claimed.Kept[localisation.Key(key)]
			switch {
			case taken[i] && kept:
				tx.Queue(releaseTranslation, key, c.Holder)
			case taken[i]:
				claimed.Mine = append(claimed.Mine, localisation.Key(key))
			}
		}
		return nil
	})
	return claimed, err
}

func (v Translations) Release(ctx context.Context, h localisation.Holder, keys []localisation.Key) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		for _, key := range bytesOf(keys) {
			tx.Queue(releaseTranslation, key, h)
		}
		return nil
	})
}

func (v Translations) Put(ctx context.Context, texts map[localisation.Key]string, expires time.Time) error {
	return v.DB.Write(ctx, func(tx *engine.Tx) error {
		for _, key := range bytesOf(slices.Collect(maps.Keys(texts))) {
			tx.Queue(putTranslation, key, texts[localisation.Key(key)], expires)
			tx.Queue("DELETE FROM translation_claims WHERE key = $1", key)
		}
		return nil
	})
}

func (v Translations) Spend(ctx context.Context, s localisation.Spending, budget int64) (within bool, err error) {
	err = v.DB.Write(ctx, func(tx *engine.Tx) error {
		within = false
		if s.Characters <= budget {
			tx.Queue(spend, s.Translator, s.Day, s.Characters, budget).Into(&within)
		}
		return nil
	})
	return within, err
}

func (v Translations) Refund(ctx context.Context, s localisation.Spending) error {
	return v.DB.Exec(ctx, refund, s.Translator, s.Day, s.Characters)
}
