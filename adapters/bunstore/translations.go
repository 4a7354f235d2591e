package bunstore

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/localisation"
)

// Translations implements localisation.Cache.
type Translations struct{ s *Store }

// Translations returns the cache of translations.
func (s *Store) Translations() Translations { return Translations{s} }

type translationRow struct {
	bun.BaseModel `bun:"table:translations,alias:t"`
	Key           []byte `bun:",pk"`
	Content       string
	Expires       engine.Time
}

type translationClaimRow struct {
	bun.BaseModel `bun:"table:translation_claims,alias:c"`
	Key           []byte `bun:",pk"`
	Holder        []byte
	Until         engine.Time
}

type translationDayRow struct {
	bun.BaseModel `bun:"table:translation_days,alias:d"`
	Translator    string      `bun:",pk"`
	Day           engine.Time `bun:",pk"`
	Characters    int64
}

// translationsStatement returns the hot read of translations: $1 keys, $2 the time.
func translationsStatement(d engine.Dialect) string {
	return "SELECT t.key, t.content FROM translations t WHERE " + d.AmongBytes("t.key", "$1") + " AND t.expires > $2"
}

func (v Translations) Get(
	ctx context.Context, keys []localisation.Key, now time.Time,
) (found map[localisation.Key]string, err error) {
	args := []any{v.s.Dialect.ListOf(bytesOf(keys)), v.s.Dialect.Instant(now)}
	read := engine.Step{Statement: v.s.hotReads.translations, Args: args, Row: func(scan func(...any) error) error {
		var key []byte
		var content string
		if err := scan(&key, &content); err != nil {
			return err
		}
		found[localisation.Key(key)] = content
		return nil
	}}
	err = v.s.ReadRows(ctx, read, func() { found = make(map[localisation.Key]string, len(keys)) })
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
	err = v.s.write(ctx, func(ctx context.Context, tx *listedTransaction) error {
		claimed = localisation.Claimed{Kept: map[localisation.Key]string{}}
		if len(keys) == 0 {
			return nil
		}
		rows := make([]translationClaimRow, len(keys))
		for i, key := range keys {
			rows[i] = translationClaimRow{Key: key, Holder: c.Holder[:], Until: engine.At(c.Until)}
		}
		var taken [][]byte
		if err := tx.NewInsert().Model(&rows).On("CONFLICT (key) DO UPDATE").
			Set("holder = EXCLUDED.holder").Set("until = EXCLUDED.until").
			Where("c.until <= ?", engine.At(c.Now)).
			Returning("key").Scan(ctx, &taken); err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		var kept []translationRow
		if err := tx.NewSelect().Model(&kept).Where("key IN (?)", bun.List(keys)).
			Where("expires > ?", engine.At(c.Now)).Scan(ctx); err != nil {
			return err
		}
		for _, row := range kept {
			claimed.Kept[localisation.Key(row.Key)] = row.Content
		}
		var alreadyCached [][]byte
		for _, key := range taken {
			if _, is := claimed.Kept[localisation.Key(key)]; is {
				alreadyCached = append(alreadyCached, key)
			} else {
				claimed.Mine = append(claimed.Mine, localisation.Key(key))
			}
		}
		return release(ctx, tx, alreadyCached, c.Holder)
	})
	return claimed, err
}

func release(ctx context.Context, tx *listedTransaction, keys [][]byte, h localisation.Holder) error {
	if len(keys) == 0 {
		return nil
	}
	_, err := tx.NewDelete().Model((*translationClaimRow)(nil)).
		Where("key IN (?)", bun.List(keys)).Where("holder = ?", h[:]).Exec(ctx)
	return err
}

func (v Translations) Release(ctx context.Context, h localisation.Holder, keys []localisation.Key) error {
	return v.s.write(ctx, func(ctx context.Context, tx *listedTransaction) error { return release(ctx, tx, bytesOf(keys), h) })
}

func (v Translations) Put(ctx context.Context, texts map[localisation.Key]string, expires time.Time) error {
	if len(texts) == 0 {
		return ctx.Err()
	}
	keys := bytesOf(slices.Collect(maps.Keys(texts)))
	rows := make([]translationRow, len(keys))
	for i, key := range keys {
		rows[i] = translationRow{Key: key, Content: texts[localisation.Key(key)], Expires: engine.At(expires)}
	}
	return v.s.write(ctx, func(ctx context.Context, tx *listedTransaction) error {
		if _, err := tx.NewInsert().Model(&rows).On("CONFLICT (key) DO UPDATE").Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewDelete().Model((*translationClaimRow)(nil)).Where("key IN (?)", bun.List(keys)).Exec(ctx)
		return err
	})
}

func (v Translations) Spend(ctx context.Context, s localisation.Spending, budget int64) (within bool, err error) {
	err = v.s.write(ctx, func(ctx context.Context, tx *listedTransaction) error {
		if within = s.Characters <= budget; !within { // the condition below only applies to existing rows
			return nil
		}
		row := translationDayRow{Translator: s.Translator, Day: engine.At(s.Day), Characters: s.Characters}
		within, err = engine.Affected(tx.NewInsert().Model(&row).On("CONFLICT (translator, day) DO UPDATE").
			Set("characters = d.characters + EXCLUDED.characters").
			Where("d.characters + EXCLUDED.characters <= ?", budget).Exec(ctx))
		return err
	})
	return within, err
}

func (v Translations) Refund(ctx context.Context, s localisation.Spending) error {
	return v.s.exec(ctx, v.s.Writer.NewUpdate().Model((*translationDayRow)(nil)).
		Set("characters = CASE WHEN characters > ? THEN characters - ? ELSE 0 END", s.Characters, s.Characters).
		Where("translator = ?", s.Translator).Where("day = ?", engine.At(s.Day)))
}
