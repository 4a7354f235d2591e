package staff

import (
	"cmp"
	"slices"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/diary"
	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/publication"
	"plaza/domain/user"
	"plaza/domain/verification"
)

// eraseEvents first locks the counts of all, and then the events: removing an event locks the author's counts of notifications, for
// which a caller waits who comments on another of the events and holds the counts of that one, and what the author's profile counts,
// for which a caller waits who publishes another of the events.
func (v PersonalData) eraseEvents(tx *engine.Tx, _ user.ID, ids []int64) (int, error) {
	var b feedstore.ListingChanges
	there, err := v.lockCounts(tx, bun.List(ids)) // the others were removed meanwhile
	for _, id := range there {
		tx.Queue(diary.LockEvent, id)
	}
	for _, id := range there {
		if err == nil {
			_, err = diary.RemoveEvent(tx, id, &b)
		}
	}
	feedstore.WriteListings(v.DB, tx, b)
	return len(there), err
}

// lockCounts locks the counts of the events, which are a list or a query, in one order, and returns those that have any.
func (v PersonalData) lockCounts(tx *engine.Tx, events any) (locked []event.ID, err error) {
	err = v.DB.Selecting(tx).Table("event_counts").Column("event_id").Where("event_id IN (?)", events).Order("event_id").
		Scan(tx.Context(), &locked)
	return locked, err
}

// eraseComments counts what it has deleted: others may have deleted some since they were read.
func (v PersonalData) eraseComments(tx *engine.Tx, _ user.ID, ids []int64) (int, error) {
	on := tx.NewSelect().Table("comments").Column("event_id").Where("id IN (?)", bun.List(ids))
	if _, err := v.lockCounts(tx, on); err != nil {
		return 0, err
	}
	var deleted []diary.CommentRow
	_, err := tx.NewDelete().Model(&deleted).Where("id IN (?)", bun.List(ids)).Returning("event_id, hidden").Exec(tx.Context())
	counted := map[event.ID]int{}
	for _, c := range deleted {
		if !c.Hidden {
			counted[c.EventID]++
		}
	}
	for on, n := range counted {
		tx.Queue(diary.RecountComments, on, -n)
	}
	return len(ids), err
}

func (v PersonalData) eraseLikes(tx *engine.Tx, id user.ID, events []int64) (int, error) {
	if _, err := v.lockCounts(tx, bun.List(events)); err != nil {
		return 0, err
	}
	var removed []int64
	_, err := tx.NewDelete().Table("likes").Where("user_id = ? AND event_id IN (?)", id, bun.List(events)).
		Returning("event_id").Exec(tx.Context(), &removed)
	for _, on := range removed {
		tx.Queue(diary.CountLikes, on, -1)
	}
	return len(events), err
}

// eraseImages deletes an image as its owner would, which queues its file, and then its row.
func (v PersonalData) eraseImages(tx *engine.Tx, id user.ID, ids []int64) (int, error) {
	gone, err := engine.Written(tx.NewUpdate().Table("images").Set("deleted = created").
		Where("id IN (?) AND deleted IS NULL", bun.List(ids)).Exec(tx.Context()))
	if err != nil {
		return 0, err
	}
	tx.Queue("UPDATE image_counts SET kept = kept - $2 WHERE owner_id = $1", id, gone)
	_, err = tx.NewDelete().Table("images").Where("id IN (?)", bun.List(ids)).Exec(tx.Context())
	return len(ids), err
}

// eraseRecords erases imported records of a kind. It takes them out of the feed as an
// import does, deletes their rows, and queues covers that no other record has. It excludes imports, which read records
// before they change them, and then takes those that are still the author's.
func eraseRecords[Row feedstore.RecordRow](
	v PersonalData, tx *engine.Tx, id user.ID, ids []int64,
) (int, error) {
	tx.Lock(feedstore.RecordsLock)
	records, err := feedstore.SelectRecords[Row](tx.Context(), tx.NewSelect().Where("id IN (?)", bun.List(ids)).Where("author_id = ?", id))
	if err != nil {
		return 0, err
	}
	var erased feedstore.Replacements
	for _, r := range records {
		var next feed.Listable
		if p, is := r.Record.(publication.Publication); is {
			p.Deleted = true
			next = p
		}
		erased.Replace(r.Record, next)
	}
	if err := erased.RelistOrigins(tx); err != nil {
		return 0, err
	}
	var covers []string
	_, err = tx.NewDelete().Model((*Row)(nil)).Where("id IN (?)", bun.List(ids)).Where("author_id = ?", id).
		Returning("COALESCE(cover ->> 'key', '')").Exec(tx.Context(), &covers)
	if covers = slices.DeleteFunc(covers, func(key string) bool { return key == "" }); len(covers) > 0 {
		feedstore.DiscardCovers(v.DB, tx, covers)
	}
	return len(ids), cmp.Or(err, erased.Write(v.DB, tx), erased.ReindexTranslations(v.DB, tx, nil))
}

// eraseReasons blanks the reasons and names of audit records, which themselves stay.
func (v PersonalData) eraseReasons(tx *engine.Tx, _ user.ID, ids []int64) (int, error) {
	_, err := tx.NewUpdate().Table("audit_reasons").Set("reason = '', by_name = '', about_name = ''").
		Where("record_id IN (?)", bun.List(ids)).Exec(tx.Context())
	return len(ids), err
}

// eraseAccount also forgets logins that have succeeded or failed since those were erased: nothing leads
// from the account to its phone afterwards. A login waits for the lock, and then stores nothing.
func (v PersonalData) eraseAccount(tx *engine.Tx, id user.ID, ids []int64) (int, error) {
	var phone string
	tx.Queue("SELECT phone FROM users WHERE id = $1", id).Into(&phone)
	if err := tx.Send(); err != nil {
		return 0, err
	}
	stored, err := people.PhoneOf(phone)
	if err != nil {
		return 0, err
	}
	people.LockFollows(tx, id) // who blocks locks the counts of the user's profile before those of their notifications
	tx.Lock(people.LoginsOf(phone))
	// Before the user: a comment or a like locks the counts of notifications before it refers to its user.
	tx.Queue("DELETE FROM notification_counts WHERE owner_id = $1 AND total = 0", id)
	number := verification.NumberOf(stored).Digits()
	tx.Queue("DELETE FROM usual_sources WHERE phone = $1", phone)
	tx.Queue(people.DeleteFailures, phone)
	tx.Queue("DELETE FROM codes WHERE number = $1", number)
	tx.Queue("DELETE FROM code_uses WHERE number = $1", number)
	tx.Queue(blankUser, id, user.ErasedPhone(id).String(), []string{})
	tx.Queue("DELETE FROM hidden_profiles WHERE user_id = $1", id)
	tx.Queue("DELETE FROM hidden_things WHERE kind = 'profile' AND object_id = $1", id)
	tx.Queue("DELETE FROM presence WHERE user_id = $1", id)
	// Behind the user: who follows the user refers to them before the counts of their profile.
	tx.Queue("DELETE FROM profile_counts WHERE owner_id = $1 AND events = 0 AND followers = 0 AND followed = 0", id)
	tx.Queue("DELETE FROM image_counts WHERE owner_id = $1 AND kept = 0", id)
	tx.Queue("DELETE FROM picture_totals WHERE owner_id = $1 AND NOT EXISTS (SELECT 1 FROM pictures p WHERE p.owner_id = $1)", id)
	return len(ids), people.ReplacePrefixes(tx, user.Member{ID: id}) // by none
}

// blankUser blanks the user $1, whose login name becomes $2 and whose scopes and roles become $3.
const blankUser = `
	UPDATE users
	SET phone = $2, password_hash = '', scopes = $3, roles = $3,
		factor_secret = NULL, factor_step = 0, recovery_codes = $3, disabled = TRUE, generation = generation + 1,
		firstname = '', lastname = '', expertise = '', location = '', bio = '', timezone = 'UTC', avatar = NULL, revision = revision + 1
	WHERE id = $1 AND phone NOT LIKE 'erased-%'`
