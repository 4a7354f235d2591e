package bunstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/publication"
	"plaza/domain/user"
	"plaza/domain/verification"
)

func (v PersonalData) eraseEvents(ctx context.Context, tx *listedTransaction, _ user.ID, ids []int64) (n int, err error) {
	slices.Sort(ids)
	// Removing an event locks the author's counts of notifications. A caller who comments on another of the events holds the
	// counts of that one while it waits for those.
	if err := v.lockCounts(ctx, tx, v.s.Dialect.Among("event_id", "$1"), ids); err != nil {
		return 0, err
	}
	for _, e := range ids {
		if _, err := v.s.removeEvent(ctx, tx, event.ID(e)); errors.Is(err, event.ErrNotFound) {
			continue // removed meanwhile
		} else if err != nil {
			return 0, err
		}
		n++
	}
	return n, nil
}

// lockCounts locks the counts of the events in one order. The condition selects them by the ids, $1.
func (v PersonalData) lockCounts(ctx context.Context, tx *listedTransaction, of string, ids []int64) error {
	lock := "SELECT event_id FROM event_counts WHERE " + of + " ORDER BY event_id " + v.s.Dialect.ForUpdate()
	_, err := numbersOf(ctx, tx, lock, v.s.Dialect.ListOf(ids))
	return err
}

// eraseComments counts what it has deleted: others may have deleted some since they were read.
func (v PersonalData) eraseComments(ctx context.Context, tx *listedTransaction, _ user.ID, ids []int64) (int, error) {
	among := v.s.Dialect.Among("id", "$1")
	if err := v.lockCounts(ctx, tx, "event_id IN (SELECT event_id FROM comments WHERE "+among+")", ids); err != nil {
		return 0, err
	}
	const counted = "CASE WHEN hidden THEN 0 ELSE event_id END"
	deleted, err := numbersOf(ctx, tx, "DELETE FROM comments WHERE "+among+" RETURNING "+counted, v.s.Dialect.ListOf(ids))
	if err != nil {
		return 0, err
	}
	removed := map[int64]int64{}
	for _, on := range deleted {
		removed[on]++
	}
	delete(removed, 0)
	for on, n := range removed {
		tx.Queue(recountComments, on, -n)
	}
	return len(ids), nil
}

func (v PersonalData) eraseLikes(ctx context.Context, tx *listedTransaction, id user.ID, events []int64) (int, error) {
	d := v.s.Dialect
	if err := v.lockCounts(ctx, tx, d.Among("event_id", "$1"), events); err != nil {
		return 0, err
	}
	remove := "DELETE FROM likes WHERE user_id = $1 AND " + d.Among("event_id", "$2") + " RETURNING event_id"
	removed, err := numbersOf(ctx, tx, remove, int64(id), d.ListOf(events))
	if err != nil {
		return 0, err
	}
	return len(events), tx.Run(ctx, engine.Step{
		Statement: "UPDATE event_counts SET likes = likes - 1 WHERE " + d.Among("event_id", "$1"), Args: []any{d.ListOf(engine.Filled(removed))},
	})
}

// eraseImages deletes an image as its owner would, which queues its file, and then its row.
func (v PersonalData) eraseImages(ctx context.Context, tx *listedTransaction, id user.ID, ids []int64) (int, error) {
	among, list := v.s.Dialect.Among("id", "$1"), v.s.Dialect.ListOf(ids)
	gone, err := numbersOf(ctx, tx, "UPDATE images SET deleted = created WHERE "+among+" AND deleted IS NULL RETURNING id", list)
	if err != nil {
		return 0, err
	}
	return len(ids), tx.Run(ctx,
		engine.Step{Statement: "UPDATE image_counts SET kept = kept - $2 WHERE owner_id = $1", Args: []any{int64(id), int64(len(gone))}},
		engine.Step{Statement: "DELETE FROM images WHERE " + among, Args: []any{list}},
	)
}

// eraseRecords returns the function that erases imported records of the kind. It takes them out of the feed as an
// import does, deletes their rows, and queues covers that no other record has. It excludes imports, which read records
// before they change them, and then takes those that are still the author's.
func eraseRecords[Row recordRow](v PersonalData, kind feed.Kind) func(context.Context, *listedTransaction, user.ID, []int64) (int, error) {
	return func(ctx context.Context, tx *listedTransaction, id user.ID, ids []int64) (int, error) {
		tx.Lock(importLock)
		records, err := selectRecords[Row](ctx, tx.NewSelect().Where("id IN (?)", bun.List(ids)).Where("author_id = ?", id))
		if err != nil {
			return 0, err
		}
		feedOf := batchApply{s: v.s, tx: tx}
		for _, r := range records {
			gone := replacement{at: item{kind, r.id}, old: r.record}
			if p, is := r.record.(publication.Publication); is {
				p.Deleted = true
				gone.next = p
			}
			feedOf.replace(gone)
		}
		if err := feedOf.relistOrigins(ctx); err != nil {
			return 0, err
		}
		var covers []string
		_, err = tx.NewDelete().Model((*Row)(nil)).Where("id IN (?)", bun.List(ids)).Where("author_id = ?", id).
			Returning("COALESCE(cover ->> 'key', '')").Exec(ctx, &covers)
		if err != nil {
			return 0, err
		}
		return len(ids), tx.Run(ctx, v.discardCovers(covers)...)
	}
}

// discardCovers returns the steps that queue those of the covers that no record has.
func (v PersonalData) discardCovers(keys []string) (steps []engine.Step) {
	discard := "INSERT INTO discards (key, due) SELECT CAST($1 AS text), CAST($2 AS " + v.s.Dialect.TimestampType() + ") WHERE NOT EXISTS (" +
		"SELECT 1 FROM publications WHERE cover ->> 'key' = $1 UNION ALL SELECT 1 FROM nodes WHERE cover ->> 'key' = $1" +
		" UNION ALL SELECT 1 FROM demands WHERE cover ->> 'key' = $1) ON CONFLICT (key) DO NOTHING"
	forget := "DELETE FROM import_covers WHERE picture ->> 'key' = $1 AND EXISTS (SELECT 1 FROM discards q WHERE q.key = $1)"
	due := v.s.Dialect.Instant(time.UnixMicro(0))
	for _, key := range keys {
		if key != "" {
			steps = append(steps, engine.Step{Statement: discard, Args: []any{key, due}}, engine.Step{Statement: forget, Args: []any{key}})
		}
	}
	return steps
}

// eraseReasons blanks the reasons of audit records, which themselves stay.
func (v PersonalData) eraseReasons(ctx context.Context, tx *listedTransaction, _ user.ID, ids []int64) (int, error) {
	return len(ids), tx.Run(ctx, engine.Step{
		Statement: "UPDATE audit_reasons SET reason = '' WHERE " + v.s.Dialect.Among("record_id", "$1"), Args: []any{v.s.Dialect.ListOf(ids)},
	})
}

// eraseAccount also forgets logins that have succeeded or failed since those were erased: nothing leads
// from the account to its phone afterwards. A login waits for the lock, and then stores nothing.
func (v PersonalData) eraseAccount(ctx context.Context, tx *listedTransaction, id user.ID, ids []int64) (int, error) {
	var phone string
	err := tx.Run(ctx, engine.Step{
		Statement: "SELECT phone FROM users WHERE id = $1", Args: []any{int64(id)}, ReadsOnly: true,
		Row: func(scan func(...any) error) error { return scan(&phone) },
	})
	if err != nil {
		return 0, err
	}
	stored, err := phoneOf(phone)
	if err != nil {
		return 0, err
	}
	tx.Lock(loginsOf(phone))
	// Before the user: a comment or a like locks the counts of notifications before it refers to its user.
	steps := []engine.Step{{Statement: "DELETE FROM notification_counts WHERE owner_id = $1 AND total = 0", Args: []any{int64(id)}}}
	blank := "UPDATE users SET phone = $2, password_hash = '', scopes = $3, staff = FALSE, disabled = TRUE, generation = generation + 1, " +
		"firstname = '', lastname = '', expertise = '', location = '', timezone = 'UTC', avatar = NULL, revision = revision + 1 " +
		"WHERE id = $1 AND " + notErased
	digits := verification.NumberOf(stored).Digits()
	steps = append(steps,
		engine.Step{Statement: "DELETE FROM usual_sources WHERE phone = $1", Args: []any{phone}},
		engine.Step{Statement: "DELETE FROM login_failures WHERE phone = $1", Args: []any{phone}},
		engine.Step{Statement: "DELETE FROM codes WHERE number = $1", Args: []any{digits}},
		engine.Step{Statement: "DELETE FROM code_uses WHERE number = $1", Args: []any{digits}},
		engine.Step{Statement: blank, Args: []any{int64(id), user.ErasedPhone(id).String(), v.s.Dialect.ListOf([]string{})}},
	)
	for _, statement := range []string{
		"DELETE FROM presence WHERE user_id = $1",
		"DELETE FROM image_counts WHERE owner_id = $1 AND kept = 0",
		"DELETE FROM picture_totals WHERE owner_id = $1 AND NOT EXISTS (SELECT 1 FROM pictures p WHERE p.owner_id = $1)",
	} {
		steps = append(steps, engine.Step{Statement: statement, Args: []any{int64(id)}})
	}
	if err := tx.Run(ctx, steps...); err != nil {
		return 0, err
	}
	return len(ids), v.s.replacePrefixes(ctx, tx, user.Member{ID: id}) // by none
}
