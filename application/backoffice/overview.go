package backoffice

import (
	"context"
	"slices"
	"time"

	"plaza/application/telemetry"
	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/imported"
	"plaza/domain/page"
	"plaza/domain/verification"
)

// Waiting is how many things of a kind wait.
type Waiting struct {
	Key   string
	Area  access.Area // whose roles see it
	Count int
}

// Overview is what waits, and what came in on the last days. Its counts end at telemetry.MaxCount: one of so many means
// so many or more.
type Overview struct {
	At time.Time

	Waiting    []Waiting // what the actor may see
	Translator Budget
	Messages   Budget
	Jobs       []FailingJob
	Days       []telemetry.Day // the oldest first; the last one is today of the actor
}

// Budget is how much of a budget of today is spent.
type Budget struct {
	Name  string // of the translator
	Limit int64  // zero: no limit
	Spent int64
}

// Left returns what is left of the budget.
func (b Budget) Left() int64 { return max(0, b.Limit-b.Spent) }

// rejectsShown is how long an Overview shows that an import rejected lines.
const rejectsShown = 7 * 24 * time.Hour

// overviewDays is how many days an Overview has.
const overviewDays = 14

// Overview returns the overview for the actor, whose time zone its days have.
func (b *BackOffice) Overview(ctx context.Context, actor access.Actor) (Overview, error) {
	now := b.ports.Now()
	budget := b.ports.Translator()
	sample, err := b.ports.Sampler.Sample(ctx, telemetry.Query{Translator: budget.Translator, Day: budget.Day})
	if err != nil {
		return Overview{}, err
	}
	local, days := actor.Local(now), make([]time.Time, overviewDays+1)
	for n := range days {
		days[n] = calendar.DateOf(local).AddDays(n + 1 - overviewDays).Begin(local.Location())
	}
	recent, err := b.ports.Sampler.Recent(ctx, days)
	if err != nil {
		return Overview{}, err
	}
	taken, err := b.ports.Codes.Taken(ctx, verification.DayOf(now))
	if err != nil {
		return Overview{}, err
	}
	lately := imported.RunFilter{IsRejecting: true, Span: page.Span{From: now.Add(-rejectsShown)}}
	rejecting, err := b.ports.Imports.Runs(ctx, lately, page.Request{})
	if err != nil {
		return Overview{}, err
	}
	findings := 0
	for _, n := range sample.OpenFindings {
		findings = min(findings+n, telemetry.MaxCount)
	}
	waiting := []Waiting{
		{"reports", access.Reports, recent.OpenReports},
		{"due", access.Money, sample.RefundDue},            // came in twice or too late, and are not refunded
		{"disputed", access.Money, sample.Disputed},        // contradict their order, or have none
		{"abnormal", access.Money, sample.AbnormalRefunds}, // whose money did not arrive
		{"processing", access.Money, recent.Refunds},       // that the wallet has not confirmed
		{"open", access.Orders, recent.OpenOrders},         // wait for a payment
		{"unknown", access.Orders, recent.InDoubt},         // prepayments of which the wallet has not told whether they are paid
		{"findings", access.Money, findings},               // differences between a bill of the wallet and the ledger
		{"rejects", access.Imports, min(rejecting.Total, telemetry.MaxCount)},
	}
	return Overview{
		At: now, Waiting: slices.DeleteFunc(waiting, func(w Waiting) bool { return !actor.May(w.Area) }),
		Translator: Budget{Name: budget.Translator, Limit: budget.Characters, Spent: sample.Spent},
		Messages:   Budget{Limit: b.ports.Messages.Messages, Spent: taken.Messages},
		Jobs:       b.ports.Jobs.Failing(), Days: recent.Days,
	}, nil
}
