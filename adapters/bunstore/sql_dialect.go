package bunstore

import (
	"context"
	"io/fs"
	"time"

	"github.com/uptrace/bun"

	"plaza/domain/event"
)

// dialect is what differs between the databases.
type dialect interface {
	// migrations is the folder of the schema.
	migrations() fs.FS
	// transact calls fn in a transaction, and commits it with the last steps that fn
	// returns.
	transact(ctx context.Context, db *bun.DB, fn func(context.Context, *transaction) ([]step, error)) error
	// transactAll runs the steps in a transaction.
	transactAll(ctx context.Context, db *bun.DB, steps []step) error
	// insert runs the first step, which adds an event and comes back with its number,
	// and those that others returns for the number, or for what stands for it as long
	// as nobody knows it: in their texts it must be written by number.
	insert(ctx context.Context, db *bun.DB, first step, others func(id int64) ([]step, error)) (id int64, err error)
	number(parameter string) string
	// must is the text of a step that must write a row, from that of a statement and
	// the columns that it shall return; there is one column more, to be scanned and
	// ignored. Without a row nothing that the steps behind it would write is written.
	must(statement string, columns ...string) string
	// sure is the text of a step that always writes a row, unless the program has a bug.
	sure(statement string) string
	// unmissed ends the condition of every step that can stand behind one that must:
	// the step does nothing once that has missed. It is empty where a miss ends the
	// transaction.
	unmissed() string
	// values is what an INSERT INTO adds: one row, under the condition of unmissed.
	values(row string) string
	// lock keeps everybody else who locks the name waiting until the transaction
	// ends.
	lock(ctx context.Context, tx bun.IDB, name string) error
	// place says where the database is, without what must be kept secret.
	place() string
	// tryLock is lock, but doesn't wait: it reports whether the name is locked now.
	tryLock(ctx context.Context, tx bun.IDB, name string) (bool, error)
	// present is nil unless the database is known not to be the one that was opened.
	present() error
	// mayBegin is nil where a schema may be made.
	mayBegin() error
	// identify notes where the database is, once it has its schema, so that the next
	// start makes no other in its place.
	identify(ctx context.Context, s *Store) error
	// unhurried lifts the limits of time for the rest of the transaction, but for that of
	// waiting for a lock.
	unhurried(ctx context.Context, tx bun.IDB, lock time.Duration) error
	// outside runs a statement that makes or drops an index, outside of any transaction
	// and without limits of time. What it was cut off from before is in no way.
	outside(ctx context.Context, statement string) error
	// laden readies the rest of the transaction for thousands of rows: it reads no whole
	// tables, which may have been empty when a statement was planned, and has the memory
	// that it takes, and the time.
	laden(ctx context.Context, tx bun.IDB, limit time.Duration) error
	// columns is a query for the columns of the table of a name; none when it is missing.
	columns() string
	// timestampType is the type of a column of instants.
	timestampType() string
	// instant and date are bound parameters; an instant may be none.
	instant(dbTime) any
	date(event.Date) any
	// shard is the number of the writer's shard of what many count in, as SQL.
	shard() string
	// forUpdate ends a SELECT whose rows nobody else may change until the
	// transaction ends.
	forUpdate() string
	// optimism is how often Change reads, calls its function and writes if nobody
	// else has, before it keeps everybody else waiting instead.
	optimism() int
	// judge says what an error of the driver means.
	judge(err error) verdict
	// isDuplicate says whether the error is that of a value that must be unique in
	// the table's column, and is there already.
	isDuplicate(err error, table, column string) bool
	// collides says whether the error is that of any value that must be unique, and has
	// come in meanwhile.
	collides(err error) bool

	// among is the condition that the column has one of the values of the
	// parameter, which must come from listOf.
	among(column, parameter string) string
	listOf(values any) any
	// amongBytes and listOfBytes are the same for bytes.
	amongBytes(column, parameter string) string
	listOfBytes(values [][]byte) any
	// allOf and anyOf are the conditions that the list in the column has all, or
	// any, of the values of the parameter.
	allOf(column, parameter string) string
	anyOf(column, parameter string) string
	// list is where a hot read scans a list into, of texts or of numbers.
	list(into any) any
	// platesOf is the column of the event's plates, for plateList to scan: they must
	// come with their event, in one statement.
	platesOf(event string) string
	// forEach is a FROM clause of what the query finds for every key, or pair of keys,
	// which it names {1} and {2}: the key's place is w.place, from 1, and a row that was
	// found is called top. The keys are the first parameters of the statement, which
	// must be put for as many at once as keysAtOnce, each as key makes it.
	forEach(query string, types ...string) string
	keysAtOnce() int
	key(list any) any
	// unnest is a FROM clause of rows called n, whose columns c1 and so on come from as
	// many parameters, lists of the types; empty where there is no such thing.
	unnest(types ...string) string
	// query runs a hot read and gives every row to fn. The statement is kept for the
	// next time, where that can be.
	query(ctx context.Context, statement string, args []any, fn func(scan func(...any) error) error) error

	// queryAll runs hot reads, in one round trip where the database has any.
	queryAll(ctx context.Context, reads []step) error

	// backup writes a consistent copy into a new file.
	backup(ctx context.Context, path string) error
	// integrity returns what the database finds wrong with itself.
	integrity(ctx context.Context, db *bun.DB) ([]string, error)
}

// verdict is what an error of the driver means.
type verdict int

const (
	ours  verdict = iota // a mistake of ours
	again                // nothing was done; it may succeed if it is tried again
	away                 // the database can't be reached, or can't serve now
	late                 // it took too long
	full                 // the disk takes no more, or must not be written to
)
