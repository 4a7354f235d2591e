// Package telemetry models what operators watch of the stored state: payments and files that
// wait, the oldest open prepayment, the last import, and what a translator has been given. One
// Sample has all of it, so that sampling costs one cheap statement, however many servers
// sample. What a process counts by itself is no part of it.
package telemetry

import (
	"context"
	"time"

	"plaza/domain/imported"
	"plaza/domain/payment"
)

// MaxCount is where the counts of a Sample end: counting more costs more and tells an
// operator nothing new.
const MaxCount = 10_000

// Query names what a Sample looks up.
type Query struct {
	Translator string    // empty: none
	Day        time.Time // of the translator's spending: localisation.DayOf
}

// Sample is the state at one moment.
type Sample struct {
	RefundDue int // payments in the state of which something is not refunded, at most MaxCount
	Disputed  int // payments in the state, at most MaxCount
	// AbnormalRefunds are refunds in that state, at most MaxCount.
	AbnormalRefunds int
	// OpenFindings are the open findings of bills by kind, at most MaxCount each. Kinds without any are absent.
	OpenFindings map[payment.FindingKind]int
	// Reconciled is when the bill of the latest day that was compared, was compared last; zero: none was.
	Reconciled time.Time
	// OldestPrepayment is when the oldest prepayment that is alive was created; zero: none
	// is alive.
	OldestPrepayment time.Time
	OldestProtocol   payment.Protocol    // of the same
	Deletions        int                 // pictures in the deletion queue but those in the trash, at most MaxCount
	Spent            int64               // characters that the translator was given on the day
	Import           imported.Completion // the last one; zero: no import has been completed
}

// Age returns how old the oldest open prepayment is, or zero if none is open.
func (s Sample) Age(now time.Time) time.Duration {
	if s.OldestPrepayment.IsZero() {
		return 0
	}
	return max(0, now.Sub(s.OldestPrepayment))
}

// Remaining returns how much of the day's budget is left, in characters.
func (s Sample) Remaining(budget int64) int64 { return max(0, budget-s.Spent) }

// Recent is what only the back office looks at: what else waits, and what came in.
type Recent struct {
	OpenOrders int // at most MaxCount
	InDoubt    int // of the oldest MaxCount living prepayments, those in the states unknown and closing
	Refunds    int // in the state processing, at most MaxCount
	// OpenReports are the cases of reports that staff have not decided, at most MaxCount.
	OpenReports int
	Days        []Day
}

// Day has how much came in on a day, at most MaxCount each.
type Day struct {
	Day                      time.Time // its first instant
	Joined, Events, Comments int
}

// Sampler samples a store. Every implementation passes test/ports.Telemetry.
type Sampler interface {
	// Sample returns the state at one moment. It must read a bounded number of rows, however
	// many orders, payments and pictures are stored.
	Sample(ctx context.Context, q Query) (Sample, error)
	// Recent returns the state at one moment, with a day from each of the instants but the last to the next one. A day has
	// what was created on it and is still stored, drafts included. It must read a bounded number of rows, however much is
	// stored.
	Recent(ctx context.Context, days []time.Time) (Recent, error)
}
