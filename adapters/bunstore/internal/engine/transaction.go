package engine

import "errors"

// Step is a statement of a transaction, or a hot read. Its text is constant and its parameters are bound, so that the
// database can keep it prepared.
type Step struct {
	Statement string
	Args      []any
	Row       func(scan func(...any) error) error // receives every row; nil ignores them
	MustMatch bool                                // without a row, the transaction fails with Missed
	Missed    error                               // nil: errMissed
	columns   func(names []string) error          // receives the names of the columns before the first row
}

// ErrMissed reports that a step that must match returned no row.
var ErrMissed = errors.New("a step that must match found no row")

// Joining is what a store adds to one transaction.
type Joining struct {
	// Last queues what the transaction ends with. It is called when all else has run, in each try of the transaction. Its
	// error rolls the transaction back.
	Last func(tx *Tx) error
	// Ended is called once, with whether the transaction has committed.
	Ended func(committed bool)
}
