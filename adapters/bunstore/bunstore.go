// Package bunstore stores everything in a database: Postgres, or a SQLite file of its
// own.
//
// Models and queries are the same for both; package engine below holds the differences. Data that
// must stay consistent (an event, its listing, its counts) is written in one transaction. Correctness
// depends on nothing in the process, so any number of servers may share a database.
//
// A package for each subject has its ports, a file each. A hot read is one constant of SQL beside the method that
// runs it, in the words of each database where they differ; its rows are models of bun, by the columns' names. A transaction
// queues statements and sends them together (engine.Tx): one that must find or write a row fails it otherwise, and what code
// must know is sent before the rest. Shared counters of the feed are written last, in one order, so that writers cannot
// deadlock. Money waits for the wallet much longer than for the database, so bun builds most queries of payments.
package bunstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/uptrace/bun"

	"plaza/adapters/bunstore/diary"
	feedstore "plaza/adapters/bunstore/feed"
	"plaza/adapters/bunstore/imports"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/money"
	"plaza/adapters/bunstore/people"
	"plaza/adapters/bunstore/staff"
	"plaza/application/store"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/idempotency"
	"plaza/domain/instant"
	"plaza/domain/quota"
	"plaza/domain/verification"
)

// Store implements every store port over one database.
type Store struct {
	*engine.DB
	store.Ports // without quotas
}

// Open connects to the database. It retries with growing pauses until Patience has
// passed. It does not check the schema: see Migrate.
func Open(ctx context.Context, o engine.Options) (*Store, error) {
	db, err := engine.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	db.Joins, db.Refused = staff.AuditEntry, people.Throttled(db)
	s := &Store{DB: db}
	s.Ports = s.WithQuotas(quota.Limits{})
	return s, nil
}

// Options select a database and configure its use.
type Options = engine.Options

// Pool describes a pool of connections to the database.
type Pool = engine.Pool

// Migration is a migration and whether it is applied.
type Migration = engine.Migration

// ErrNewer is the error of a schema that this program is too old for.
var ErrNewer = engine.ErrNewer

// CheckFile returns why the file can't hold the embedded database, or nil.
func CheckFile(path string) error { return engine.CheckFile(path) }

// insertChore adds the chore $1, and returns a row, unless it is stored.
const insertChore = `
	INSERT INTO chores (name, done) VALUES ($1, FALSE)
	ON CONFLICT (name) DO NOTHING
	RETURNING TRUE`

// Begin records the start of a chore that runs once per database, such as loading the
// demo data. It reports true for first to exactly one caller on any server, and reports
// to the others whether the chore is done.
func (s *Store) Begin(ctx context.Context, chore string) (first, done bool, err error) {
	err = s.Write(ctx, func(tx *engine.Tx) error {
		first = false
		tx.Queue(insertChore, chore).Into(&first)
		tx.Queue("SELECT done FROM chores WHERE name = $1", chore).Into(&done)
		return nil
	})
	return first, done, err
}

// Finish records that the chore is done.
func (s *Store) Finish(ctx context.Context, chore string) error {
	return s.Exec(ctx, "UPDATE chores SET done = TRUE WHERE name = $1", chore)
}

// WithQuotas returns the ports of the store. They keep accounts within the quotas.
func (s *Store) WithQuotas(l quota.Limits) store.Ports {
	db, accounts := s.DB, people.Accounts{DB: s.DB, Limits: l}
	events, keys := diary.Events{DB: db, Limits: l}, people.Keys{DB: db}
	return store.Ports{
		Accounts: accounts, Directory: accounts, Tokens: people.Tokens{DB: db}, Throttle: people.Throttle{DB: db}, Codes: people.Codes{DB: db},
		Subscriptions: people.Subscriptions{DB: db, Limits: l}, Blocks: people.Blocks{DB: db, Limits: l},
		Events: events, EventReader: events, Discussion: events, Related: events, Images: diary.Images{DB: db, Limits: l},
		Notifications: people.Notifications{DB: db}, Moderation: staff.Moderation{DB: db}, Audit: staff.Audit{DB: db},
		Categories: feedstore.Categories{DB: db}, Feed: feedstore.Feed{DB: db}, Publications: feedstore.Publications{DB: db},
		HowTos: feedstore.HowTos{DB: db}, Translations: feedstore.Translations{DB: db}, Search: Search{diary.Search{DB: db}},
		Ledger: money.Ledger{Keys: keys}, Keys: keys, Deletions: diary.DeletionQueue{DB: db}, Room: people.Room{DB: db, Limits: l},
		Imports: imports.Store{DB: db}, Telemetry: staff.Telemetry{DB: db}, PersonalData: staff.PersonalData{DB: db},
	}
}

// Backup writes a consistent copy of the database into a new file while servers run. It
// returns a fault on Postgres, which has its own tools.
func (s *Store) Backup(ctx context.Context, path string) error {
	if err := audit.CheckCopy(ctx); err != nil {
		return err
	}
	return s.Explain(ctx, s.Dialect.Backup(ctx, path))
}

// sweepMost limits the rows that are removed from a table at once. It is small enough that other
// writers are not slowed.
const sweepMost = 1000

// expiredRows are the rows of a table whose time, in an indexed column, is at or before an instant.
type expiredRows struct {
	table, key, time string
	by               any // an engine.Time, or microseconds since 1970
}

func expired(now time.Time) []expiredRows {
	before := func(age time.Duration) engine.Time { return engine.At(instant.Normalise(now.Add(-age))) }
	longest := slices.MaxFunc(access.Limits(), func(a, b access.Limit) int { return cmp.Compare(a.Window, b.Window) }).Window
	return []expiredRows{
		{"login_failures", "id", "failed", before(longest)},
		{"usual_sources", "phone, source", "last_login", before(access.UsualFor)},
		{"rate_limits", "user_id, action", "until", now.UnixMicro()},
		{"idempotency_keys", "user_id, name", "since", before(idempotency.KeyLife)},
		{"codes", "id", "made", before(verification.Kept)},
		{"code_uses", "id", "at", before(verification.Kept)},
		{"code_days", "day, dialling_code", "day", before(2 * verification.Kept)},
		{"translations", "key", "expires", before(0)},
		{"translation_claims", "key", "until", before(0)},
		{"notifications", "id", "expires", before(0)},
		{"streams", "id", "until", before(0)},
		{"kept_versions", "id", "expires", before(0)},
		{"kept_pictures", "id", "expires", before(0)},
	}
}

// Sweep removes some of the rows that have expired by now, and reports whether there may be more. It
// skips rows that another transaction has locked, so it never waits for them and never takes part in a
// deadlock. Only for the counts of notifications it waits: a trigger locks them behind the notifications, as all writers do.
func (s *Store) Sweep(ctx context.Context, now time.Time) (more bool, err error) {
	for _, rows := range expired(now) {
		removed := 0
		sweepErr := s.Write(ctx, func(tx *engine.Tx) (err error) {
			oldest := tx.NewSelect().Table(rows.table).ColumnExpr(rows.key).Where("? <= ?", bun.Ident(rows.time), rows.by).
				Order(rows.time).Limit(sweepMost)
			removed, err = engine.Written(tx.NewDelete().Table(rows.table).
				Where("("+rows.key+") IN (?)", s.Locking(oldest, "UPDATE SKIP LOCKED")).Exec(tx.Context()))
			return err
		})
		if sweepErr != nil {
			err = errors.Join(err, fmt.Errorf("remove expired rows of %s: %w", rows.table, sweepErr))
		}
		more = more || removed == sweepMost && sweepErr == nil
	}
	return more, err
}
