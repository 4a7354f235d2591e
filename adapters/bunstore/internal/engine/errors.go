package engine

import (
	"database/sql"
	"errors"
	"time"

	"plaza/domain/fault"
)

// Faults of a database that is unreachable or can't write. The cause is wrapped for the
// log.
var (
	ErrAway = fault.RetryAfter(fault.Unavailable, 2*time.Second, "The data can't be reached right now. Try again soon.")
	ErrFull = fault.RetryAfter(fault.Unavailable, time.Minute, "Nothing can be stored right now. Try again later.")
)

// errUnreplicated is the cause when Postgres gave up waiting for its synchronous replica.
var errUnreplicated = errors.New("the commit is on the primary but perhaps on no replica")

// ErrSettings is why a server does not start, and is not ready: the database has a setting with which
// Plaza would misread it, or could store nothing. The text says which.
var ErrSettings = errors.New("the database's settings do not fit Plaza")

// OrNotFound replaces the error of a query without rows by the given fault.
func OrNotFound(err error, notFound error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return notFound
	}
	return err
}

// errorClass classifies an error of the driver.
type errorClass int

const (
	internalError errorClass = iota // a bug in this program
	Retryable                       // nothing was written; a retry may succeed
	unavailable                     // the database is unreachable or can't serve now
	timedOut                        // a time limit passed
	diskFull                        // the disk is full or read-only
)
