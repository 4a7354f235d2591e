package engine

import (
	"context"
	"io/fs"
	"time"

	"github.com/uptrace/bun"

	"plaza/domain/calendar"
)

// Dialect covers the differences between the databases.
type Dialect interface {
	// Migrations returns the folder of the migrations.
	Migrations() fs.FS
	// write runs a transaction of Write.
	write(ctx context.Context, s *DB, fn func(*Tx) error) error
	// ping returns nil if the database answers, is the one that was opened, and has the settings
	// that statements need.
	ping(ctx context.Context, db *bun.DB) error
	// PrepareBulk prepares the rest of the transaction for thousands of rows. It
	// prevents scans of whole tables, which may have been empty when a statement was
	// planned, and provides the memory and the time.
	PrepareBulk(ctx context.Context, tx bun.IConn, limit time.Duration) error
	// Instant, interval and date return bound parameters. An interval may be added to an instant.
	Instant(time.Time) any
	interval(time.Duration) any
	date(calendar.Date) any
	// Classify returns the class of a driver's error.
	Classify(err error) errorClass
	// IsDuplicate reports whether the error is a unique violation of the table's
	// column, or of any if the names are empty.
	IsDuplicate(err error, table, column string) bool

	// List returns the bound parameter for a list of bound ones, or the scan target for a list of texts or numbers.
	List(list any) any
	// KeysAtOnce returns how many keys a statement that runs for each of several keys takes: SQLite takes one at a time, because
	// repeated statements are cheaper there than a list. Key returns the parameter for so many.
	KeysAtOnce() int
	Key(list any) any
	// Query runs reads, in one round trip where the database supports it. It keeps the
	// prepared statements where possible.
	Query(ctx context.Context, reads ...Step) error
	// pools describes the pools of connections.
	pools(s *DB) []Pool
	// Backup writes a consistent copy into a new file.
	Backup(ctx context.Context, path string) error
}
