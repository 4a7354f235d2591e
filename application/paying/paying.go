// Package paying holds the use cases of orders: making and listing them, paying them with
// the mobile wallet, and taking in what comes of it.
//
// What is about to be asked of the wallet is stored before, and nothing is asked inside a
// change of the ledger: whoever is stopped anywhere is found again by Tend. Without a
// wallet it says of every request what it would be refused for, and refuses what is left.
package paying

import (
	"context"
	"log/slog"
	"time"

	"plaza/domain/payment"
	"plaza/domain/user"
)

// Limits are the times of paying.
type Limits struct {
	// Call is how long the wallet may take to answer, tries together.
	Call time.Duration
	// Lease is how long one server has a prepayment to itself. It is longer than Call; who
	// takes longer still is overtaken, and does no harm: the wallet takes what is sent to it
	// as often as it comes.
	Lease time.Duration
	// Interval is how often the wallet is asked after a prepayment that somebody may pay.
	Interval time.Duration
}

// NewLimits returns the limits that go with the time that the wallet may take, and with
// how often it is asked.
func NewLimits(call, interval time.Duration) Limits {
	return Limits{Call: call, Lease: 2 * call, Interval: interval}
}

// Log returns the logger of what the context belongs to: a request, with its id.
type Log func(context.Context) *slog.Logger

// Paying holds what the use cases work with.
type Paying struct {
	ledger    payment.Ledger
	directory user.Directory
	gateway   payment.Gateway // nil: there is no wallet
	limits    Limits
	now       func() time.Time
	log       Log
	queue     queue
}

// New returns the use cases over the ports; now tells the time. Without a gateway nothing
// can be paid.
func New(ledger payment.Ledger, directory user.Directory, gateway payment.Gateway, l Limits, now func() time.Time, log Log) *Paying {
	return &Paying{ledger: ledger, directory: directory, gateway: gateway, limits: l, now: now, log: log}
}
