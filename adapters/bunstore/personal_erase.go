package bunstore

import (
	"context"
	"errors"
	"slices"
	"time"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/personaldata"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// erasure is how the rows of a kind are erased from which nothing derives.
type erasure struct {
	table string
	key   string
	where string // the rows of the user $1 that remain to be erased
	set   string // what is blanked; empty: the row is deleted
}

// statement returns the statement that erases at most $2 rows. It repeats the condition outside of the limit, so that
// no plan reads the rows of everyone.
func (e erasure) statement() string {
	change := "DELETE FROM " + e.table
	if e.set != "" {
		change = "UPDATE " + e.table + " SET " + e.set
	}
	return change + " WHERE " + e.where + " AND (" + e.key + ") IN (SELECT " + e.key + " FROM " + e.table + " WHERE " + e.where +
		" LIMIT CAST($2 AS bigint)) RETURNING 1"
}

// erasable returns how kinds are erased from which nothing derives. The wallet may still ask about an open order, and
// about a prepayment that is not final.
func erasable() map[personaldata.Kind]erasure {
	return map[personaldata.Kind]erasure{
		personaldata.Sessions: {table: "tokens", key: "id", where: "user_id = $1"},
		personaldata.Follows:  {table: "subscriptions", key: "id", where: "(user_id = $1 OR followed_id = $1)"},
		personaldata.HowTos:   {table: "howtos", key: "category, robot_id", where: "robot_id = $1"},
		personaldata.Orders:   {table: "orders", key: "id", where: "user_id = $1 AND state <> 'open' AND subject <> ''", set: "subject = ''"},
		personaldata.Prepayments: {
			table: "prepayments", key: "id",
			where: "order_id IN (SELECT o.id FROM orders o WHERE o.user_id = $1) AND state IN ('closed', 'paid')" +
				" AND (open_id <> '' OR code_url <> '' OR mweb_url <> '' OR length(request) > 0)",
			set: "open_id = '', code_url = '', mweb_url = '', request = substr(request, 1, 0)",
		},
		personaldata.Refunds: {
			table: "refunds", key: "id",
			where: "payment_id IN (SELECT p.id FROM orders o JOIN payments p ON p.order_id = o.id WHERE o.user_id = $1)" +
				" AND state NOT IN ('processing', 'abnormal') AND reason <> ''", // with IN SQLite would read the refunds of everyone
			set: "reason = ''",
		},
		personaldata.IdempotencyKeys: {table: "idempotency_keys", key: "user_id, name", where: "user_id = $1"},
		personaldata.RateLimits:      {table: "rate_limits", key: "user_id, action", where: "user_id = $1"},
		personaldata.FailedLogins:    {table: "login_failures", key: "id", where: ofPhone},
		personaldata.LoginNetworks:   {table: "usual_sources", key: "phone, source", where: ofPhone},
	}
}

// remainingStatements returns the counts of the rows that remain to be erased.
func remainingStatements() map[personaldata.Kind]string {
	rows := map[personaldata.Kind]string{
		personaldata.Events: "events WHERE author_id = $1", personaldata.Comments: "comments WHERE author_id = $1",
		personaldata.Likes: "likes WHERE user_id = $1", personaldata.Images: imagesOfPerson("id"),
		personaldata.Publications: "publications WHERE author_id = $1", personaldata.Nodes: "nodes WHERE author_id = $1",
		personaldata.Demands: "demands WHERE author_id = $1", personaldata.Account: "users WHERE id = $1 AND " + notErased,
	}
	for kind, e := range erasable() {
		rows[kind] = e.table + " WHERE " + e.where
	}
	counts := map[personaldata.Kind]string{}
	for kind, from := range rows {
		counts[kind] = "SELECT COUNT(*) FROM " + from
	}
	return counts
}

// eraseSteps are the statements that erase what other rows derive from.
type eraseSteps struct {
	someEvents    string               // $1 author, $2 limit
	someComments  string               // $1 author, $2 limit
	someLikes     string               // $1 user, $2 limit
	someImages    string               // $1 owner, $2 limit
	someRecords   map[feed.Kind]string // $1 author, $2 limit
	lockAllCounts string               // $1 events
	deleteComment string               // $1 ids
	recountEvent  string               // $1 event, $2 comments removed
	deleteLikes   string               // $1 user, $2 events
	unlike        string               // $1 events
	hideImages    string               // $1 ids
	deleteImages  string               // $1 ids
	uncountImages string               // $1 owner, $2 number
	deleteRecords map[feed.Kind]string // $1 ids
	discardCover  string               // $1 key, $2 when it is due
	forgetCover   string               // $1 key
	phoneOf       string               // $1 user
	forgetLogins  []string             // $1 phone
	blankAccount  string               // $1 user, $2 phone, $3 no scopes
	afterAccount  []string             // $1 user
}

func newEraseSteps(d engine.Dialect) eraseSteps {
	some := func(columns, from, order string) string {
		return "SELECT " + columns + " FROM " + from + " ORDER BY " + order + " LIMIT CAST($2 AS bigint)"
	}
	s := eraseSteps{
		someEvents:    "SELECT id FROM events WHERE author_id = $1 LIMIT CAST($2 AS bigint)",
		someComments:  some("id, event_id", "comments WHERE author_id = $1", "event_id, id"),
		someLikes:     some("event_id", "likes WHERE user_id = $1", "event_id"),
		someImages:    some("i.id", imagesOfPerson("id"), "i.id + 0"),
		someRecords:   map[feed.Kind]string{},
		lockAllCounts: "SELECT event_id FROM event_counts WHERE " + d.Among("event_id", "$1") + " ORDER BY event_id " + d.ForUpdate(),
		deleteComment: "DELETE FROM comments WHERE " + d.Among("id", "$1") + " RETURNING event_id",
		recountEvent: "UPDATE event_counts SET comments = comments - $2, " +
			"commented = (SELECT max(c.created) FROM comments c WHERE c.event_id = $1) WHERE event_id = $1",
		deleteLikes:   "DELETE FROM likes WHERE user_id = $1 AND " + d.Among("event_id", "$2") + " RETURNING event_id",
		unlike:        "UPDATE event_counts SET likes = likes - 1 WHERE " + d.Among("event_id", "$1"),
		hideImages:    "UPDATE images SET deleted = created WHERE " + d.Among("id", "$1") + " AND deleted IS NULL RETURNING id",
		deleteImages:  "DELETE FROM images WHERE " + d.Among("id", "$1") + " RETURNING id",
		uncountImages: "UPDATE image_counts SET kept = kept - $2 WHERE owner_id = $1",
		deleteRecords: map[feed.Kind]string{},
		phoneOf:       "SELECT phone FROM users WHERE id = $1 AND " + notErased,
		forgetLogins:  []string{"DELETE FROM usual_sources WHERE phone = $1", "DELETE FROM login_failures WHERE phone = $1"},
		blankAccount: "UPDATE users SET phone = $2, password_hash = '', scopes = $3, staff = FALSE, disabled = TRUE, generation = generation + 1, " +
			"firstname = '', lastname = '', expertise = '', location = '', timezone = 'UTC', avatar = NULL, revision = revision + 1 " +
			"WHERE id = $1 AND " + notErased + " RETURNING id",
		afterAccount: []string{
			"DELETE FROM presence WHERE user_id = $1",
			"DELETE FROM image_counts WHERE owner_id = $1 AND kept = 0",
			"DELETE FROM picture_totals WHERE owner_id = $1 AND NOT EXISTS (SELECT 1 FROM pictures p WHERE p.owner_id = $1)",
			"DELETE FROM import_lines WHERE kind = 'user' AND source = (SELECT u.source FROM users u WHERE u.id = $1)",
		},
		discardCover: "INSERT INTO discards (key, due) SELECT CAST($1 AS text), CAST($2 AS " + d.TimestampType() + ") WHERE NOT EXISTS (" +
			"SELECT 1 FROM publications WHERE cover ->> 'key' = $1 UNION ALL SELECT 1 FROM nodes WHERE cover ->> 'key' = $1" +
			" UNION ALL SELECT 1 FROM demands WHERE cover ->> 'key' = $1) ON CONFLICT (key) DO NOTHING",
		forgetCover: "DELETE FROM import_covers WHERE picture ->> 'key' = $1 AND EXISTS (SELECT 1 FROM discards q WHERE q.key = $1)",
	}
	for kind, table := range recordTables {
		s.someRecords[kind] = some(table.List(), table.tableName()+" WHERE author_id = $1", "id")
		s.deleteRecords[kind] = "DELETE FROM " + table.tableName() + " WHERE " + d.Among("id", "$1")
	}
	return s
}

// numbersOf runs a read of one column of numbers.
func numbersOf[N ~int64](ctx context.Context, tx *listedTransaction, statement string, args ...any) (all []N, err error) {
	err = tx.Run(ctx, engine.Step{Statement: statement, Args: args, Row: func(scan func(...any) error) error {
		var value int64
		err := scan(&value)
		all = append(all, N(value))
		return err
	}})
	return all, err
}

func (v PersonalData) eraseEvents(ctx context.Context, tx *listedTransaction, id user.ID, limit int) (n int, err error) {
	ids, err := numbersOf[event.ID](ctx, tx, v.s.steps.someEvents, int64(id), int64(limit))
	slices.Sort(ids)
	for _, e := range ids {
		if _, err := v.s.removeEvent(ctx, tx, e); errors.Is(err, event.ErrNotFound) {
			continue // removed meanwhile
		} else if err != nil {
			return 0, err
		}
		n++
	}
	return n, err
}

// lockAllCounts locks the counts of the events in one order.
func (v PersonalData) lockAllCounts(ctx context.Context, tx *listedTransaction, events []event.ID) error {
	_, err := numbersOf[event.ID](ctx, tx, v.s.steps.lockAllCounts, v.s.Dialect.ListOf(engine.Numbers(events)))
	return err
}

// eraseComments counts what it has deleted: others may have deleted some since they were read.
func (v PersonalData) eraseComments(ctx context.Context, tx *listedTransaction, id user.ID, limit int) (int, error) {
	var ids []int64
	var events []event.ID
	err := tx.Run(ctx, engine.Step{Statement: v.s.steps.someComments, Args: []any{int64(id), int64(limit)}, Row: func(scan func(...any) error) error {
		var comment, on int64
		err := scan(&comment, &on)
		ids, events = append(ids, comment), append(events, event.ID(on))
		return err
	}})
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	if err := v.lockAllCounts(ctx, tx, engine.Distinct(events)); err != nil {
		return 0, err
	}
	deleted, err := numbersOf[event.ID](ctx, tx, v.s.steps.deleteComment, v.s.Dialect.ListOf(ids))
	if err != nil {
		return 0, err
	}
	removed := map[event.ID]int64{}
	for _, on := range deleted {
		removed[on]++
	}
	var recount []engine.Step
	for on, n := range removed {
		recount = append(recount, engine.Step{Statement: v.s.steps.recountEvent, Args: []any{int64(on), n}})
	}
	if len(recount) == 0 {
		return len(ids), nil // others have deleted all of them
	}
	return len(ids), tx.Run(ctx, recount...)
}

func (v PersonalData) eraseLikes(ctx context.Context, tx *listedTransaction, id user.ID, limit int) (int, error) {
	events, err := numbersOf[event.ID](ctx, tx, v.s.steps.someLikes, int64(id), int64(limit))
	if err != nil || len(events) == 0 {
		return 0, err
	}
	if err := v.lockAllCounts(ctx, tx, events); err != nil {
		return 0, err
	}
	removed, err := numbersOf[event.ID](ctx, tx, v.s.steps.deleteLikes, int64(id), v.s.Dialect.ListOf(engine.Numbers(events)))
	if err != nil {
		return 0, err
	}
	return len(events), tx.Run(ctx, engine.Step{Statement: v.s.steps.unlike, Args: []any{v.s.Dialect.ListOf(engine.Numbers(engine.Filled(removed)))}})
}

// eraseImages deletes an image as its owner would, which queues its file, and then its row.
func (v PersonalData) eraseImages(ctx context.Context, tx *listedTransaction, id user.ID, limit int) (int, error) {
	ids, err := numbersOf[int64](ctx, tx, v.s.steps.someImages, int64(id), int64(limit))
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	list := v.s.Dialect.ListOf(ids)
	hidden, err := numbersOf[int64](ctx, tx, v.s.steps.hideImages, list)
	if err != nil {
		return 0, err
	}
	return len(ids), tx.Run(ctx,
		engine.Step{Statement: v.s.steps.uncountImages, Args: []any{int64(id), int64(len(hidden))}},
		engine.Step{Statement: v.s.steps.deleteImages, Args: []any{list}, Row: func(scan func(...any) error) error { return scan(new(int64)) }},
	)
}

// eraseRecords returns the function that removes imported records of an author. It excludes imports, which read records
// before they change them.
func (v PersonalData) eraseRecords(k personaldata.Kind) func(context.Context, *listedTransaction, user.ID, int) (int, error) {
	kind := map[personaldata.Kind]feed.Kind{
		personaldata.Publications: feed.Publication, personaldata.Nodes: feed.Node, personaldata.Demands: feed.Demand,
	}[k]
	return func(ctx context.Context, tx *listedTransaction, id user.ID, limit int) (int, error) {
		if err := v.s.Dialect.Lock(ctx, tx, importLock); err != nil {
			return 0, err
		}
		var all []replacement
		err := tx.Run(ctx, engine.Step{Statement: v.s.steps.someRecords[kind], Args: []any{int64(id), int64(limit)}, Row: func(scan func(...any) error) error {
			id, record, err := scanRecord(kind, scan, v.s.Dialect)
			all = append(all, replacement{item{kind, id}, record, withdrawn(record)})
			return err
		}})
		if err != nil || len(all) == 0 {
			return 0, err
		}
		return len(all), v.removeRecords(ctx, tx, kind, all)
	}
}

// withdrawn returns the record as deleted, so that it is not listed.
func withdrawn(record feed.Listable) feed.Listable {
	switch r := record.(type) {
	case publication.Publication:
		r.Deleted = true
		return r
	case publication.Node:
		r.Deleted = true
		return r
	case demand.Demand:
		r.Deleted = true
		return r
	}
	return record
}

// removeRecords takes the records out of the feed as an import does, deletes their rows, and queues covers that no other
// record has.
func (v PersonalData) removeRecords(ctx context.Context, tx *listedTransaction, kind feed.Kind, all []replacement) error {
	feedOf := batchApply{s: v.s, tx: tx}
	if kind == feed.Publication {
		if err := feedOf.relistOrigins(ctx, all); err != nil {
			return err
		}
	}
	ids := make([]int64, len(all))
	steps := []engine.Step{{Statement: v.s.steps.deleteRecords[kind]}}
	for i, r := range all {
		feedOf.relist(r.at, r.old, r.next)
		ids[i] = r.at.id
		if key := coverKeyOf(r.old); key != "" {
			steps = append(steps,
				engine.Step{Statement: v.s.steps.discardCover, Args: []any{key, v.s.Dialect.Instant(engine.Time{Time: time.UnixMicro(0)})}},
				engine.Step{Statement: v.s.steps.forgetCover, Args: []any{key}})
		}
	}
	steps[0].Args = []any{v.s.Dialect.ListOf(ids)}
	return tx.Run(ctx, steps...)
}

// coverKeyOf returns the key of the cover's file, or empty.
func coverKeyOf(record feed.Listable) string {
	switch r := record.(type) {
	case publication.Publication:
		return string(r.Cover.Key)
	case publication.Node:
		return string(r.Cover.Key)
	case demand.Demand:
		return string(r.Cover.Key)
	}
	return ""
}

// eraseAccount also forgets logins that have succeeded or failed since those were erased: nothing leads
// from the account to its phone afterwards. A login waits for the lock, and then stores nothing.
func (v PersonalData) eraseAccount(ctx context.Context, tx *listedTransaction, id user.ID, _ int) (int, error) {
	var phone string
	err := tx.Run(ctx, engine.Step{Statement: v.s.steps.phoneOf, Args: []any{int64(id)}, ReadsOnly: true, Row: func(scan func(...any) error) error {
		return scan(&phone)
	}})
	if err != nil || phone == "" {
		return 0, err
	}
	var forget []engine.Step
	if v.s.steps.lockAttempts != "" {
		forget = append(forget, engine.Step{Statement: v.s.steps.lockAttempts, Args: []any{loginsOf(phone)}, ReadsOnly: true})
	}
	for _, statement := range v.s.steps.forgetLogins {
		forget = append(forget, engine.Step{Statement: statement, Args: []any{phone}})
	}
	if err := tx.Run(ctx, forget...); err != nil {
		return 0, err
	}
	n, err := rowsOf(ctx, tx, v.s.steps.blankAccount, int64(id), user.ErasedPhone(id).String(), v.s.Dialect.ListOf([]string{}))
	if err != nil || n == 0 {
		return 0, err
	}
	var steps []engine.Step
	for _, statement := range v.s.steps.afterAccount {
		steps = append(steps, engine.Step{Statement: statement, Args: []any{int64(id)}})
	}
	return n, tx.Run(ctx, steps...)
}
