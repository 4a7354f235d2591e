package bunstore

import (
	"context"
	"io/fs"

	"github.com/uptrace/bun"
)

// dialect is what differs between the databases.
type dialect interface {
	// migrations is the folder of the schema.
	migrations() fs.FS
	// lock keeps everybody else who locks the name waiting until the transaction
	// ends.
	lock(ctx context.Context, tx bun.Tx, name string) error
	// place says where the database is, without what must be kept secret.
	place() string
	// unhurried lifts the limits of time for the rest of the transaction.
	unhurried(ctx context.Context, tx bun.Tx) error
	// tables is a query for how many tables there are of a name.
	tables() string
	// timestampType is the type of a column of instants.
	timestampType() string
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

	// among is the condition that the column has one of the values of the
	// parameter, which must come from listOf.
	among(column, parameter string) string
	listOf(values any) any
	// allOf and anyOf are the conditions that the list in the column has all, or
	// any, of the values of the parameter.
	allOf(column, parameter string) string
	anyOf(column, parameter string) string
	// list is where a hot read scans a list of texts into.
	list(into *[]string) any
	// values is a query for the values of a list, a row for each and its place, from
	// 1: the columns are value and place.
	values(parameter, typ string) string
	// platesOf is the column of the event's plates, for plateList to scan: they must
	// come with their event, in one statement.
	platesOf(event string) string
	// topOf follows a FROM clause: it joins to each of its rows the values, called
	// top.value, of the query's column id. The query may refer to the row, and its
	// limit holds for every row.
	topOf(query string) string
	// query runs a hot read and gives every row to fn. The statement is kept for the
	// next time, where that can be.
	query(ctx context.Context, statement string, args []any, fn func(scan func(...any) error) error) error

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
