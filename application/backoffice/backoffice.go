// Package backoffice holds the use cases of staff: finding people and changing their accounts, and looking at imports,
// at what waits, and at what staff have done (OFF-01). Money has packages of its own.
//
// Each act has a reason, and changes an account by the use cases of the command line. No admin can take that role from
// themselves, so a platform keeps one, unless two take it from each other at once. What is only looked at costs a bounded number
// of statements and rows, however much is stored.
//
// Its tests are those of test/contract whose files begin with its name.
package backoffice

import (
	"context"
	"slices"
	"time"

	"plaza/application/telemetry"
	"plaza/domain/access"
	"plaza/domain/audit"
	"plaza/domain/event"
	"plaza/domain/imported"
	"plaza/domain/localisation"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/payment"
	"plaza/domain/publication"
	"plaza/domain/user"
	"plaza/domain/userimage"
	"plaza/domain/verification"
)

// Ports are what the use cases need.
type Ports struct {
	Accounts   access.Accounts
	Directory  user.Directory
	Tokens     access.Tokens
	Imports    imported.Store
	HowTos     publication.HowTos
	Audit      audit.Log
	Ledger     payment.Ledger
	Events     event.Reader
	Written    event.Repository
	Discussion event.Discussion
	Images     userimage.Repository
	Moderation moderation.Store
	Addresses  media.Addresses
	Changes    AccountChanges
	Describe   Describe
	Sampler    telemetry.Sampler
	Codes      verification.Store
	Messages   verification.Budget
	Translator TranslatorBudget
	Jobs       Jobs
	Now        func() time.Time
}

// AccountChanges are the use cases that change accounts. signin.Signin has them.
type AccountChanges interface {
	SetDisabled(ctx context.Context, id user.ID, disabled bool) error
	SetRights(ctx context.Context, id user.ID, scopes []access.Scope, roles []access.Role) error
	EndSessions(ctx context.Context, id user.ID) error
}

// Describe returns the public info of members, in their order. people.People has it.
type Describe func(members []*user.Member) []user.Info

// TranslatorBudget returns the most that the translator may be given today. translation.Translation has it.
type TranslatorBudget func() localisation.Spending

// Jobs tells which background jobs of this server fail.
type Jobs interface {
	// Failing returns the jobs whose last round failed, in the order of their names.
	Failing() []FailingJob
}

// FailingJob is a background job whose last round failed.
type FailingJob struct {
	Name     string
	Failures int       // rounds since the last that succeeded
	Since    time.Time // the end of the first of them
}

// BackOffice implements the use cases.
type BackOffice struct{ ports Ports }

// New returns the use cases over the ports.
func New(p Ports) *BackOffice { return &BackOffice{p} }

// Begin returns a context that carries the record of an act of staff, and of its reason (MOD-04). It returns the faults of the
// reason and readErr together.
func (b *BackOffice) Begin(ctx context.Context, r audit.Record, readErr error) (context.Context, error) {
	r.At = b.ports.Now()
	ctx = audit.With(ctx, r)
	return ctx, audit.CheckReason(ctx, &r.Reason, readErr)
}

// BeginCopy is like Begin, for an act that changes no stored data. Its record is stored at once.
func (b *BackOffice) BeginCopy(ctx context.Context, r audit.Record, readErr error) (context.Context, error) {
	ctx, err := b.Begin(ctx, r, readErr)
	if err == nil {
		err = audit.Complete(ctx, b.ports.Audit)
	}
	return ctx, err
}

// Names returns the names of the people. Unknown ones, and those whose data was erased, have none.
func (b *BackOffice) Names(ctx context.Context, ids ...user.ID) (map[user.ID]string, error) {
	slices.Sort(ids)
	members, err := b.ports.Directory.Members(ctx, slices.Compact(ids))
	names := make(map[user.ID]string, len(members))
	for _, m := range members {
		names[m.ID] = m.FullName()
	}
	return names, err
}
