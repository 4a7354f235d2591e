// Package privacy holds the use cases of a person's rights, for the person and for an operator whom the person asks: an
// export of all that is stored of the person, and its erasure. What belongs to a person, and what happens to it, is in package
// personaldata.
//
// Its tests are those of test/usecases/people whose files begin with its name.
package privacy

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"plaza/domain/access"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/personaldata"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
)

// Privacy implements the use cases.
type Privacy struct {
	accounts  access.Accounts
	data      personaldata.Store
	ledger    payment.Ledger
	pictures  media.Store
	deletions media.DeletionQueue
	leave     Leave
	now       func() time.Time
	closed    sync.Map // since when accounts that are Erasing are known to be closed
}

// New returns the use cases over the ports; now returns the time.
func New(
	accounts access.Accounts, data personaldata.Store, ledger payment.Ledger, pictures media.Store, deletions media.DeletionQueue,
	leave Leave, now func() time.Time,
) *Privacy {
	return &Privacy{accounts: accounts, data: data, ledger: ledger, pictures: pictures, deletions: deletions, leave: leave, now: now}
}

// Leave closes the account of an actor who has confirmed it. readErr has what could not be read of the request.
type Leave func(ctx context.Context, actor access.Actor, l access.Leaving, readErr error) error

// errOpenOrders is the fault of an erasure that would take the subject from what can still be paid.
var errOpenOrders = fault.New(fault.Conflict, "You have open orders. Pay them, or wait until they are closed.")

// eraseAtOnce is how long a request waits for its erasure. After it, ResumeErasures goes on.
const eraseAtOnce = 10 * time.Second

// EraseOwn erases the actor's account as Erase does (USR-07). When it returns nil the account is closed for good. Erasing
// what belongs to it goes on by itself if it takes long, fails, or the server ends.
func (p *Privacy) EraseOwn(ctx context.Context, actor access.Actor, l access.Leaving, readErr error) error {
	open, err := p.ledger.OpenOrders(ctx, actor.ID)
	switch {
	case err != nil:
		return err
	case readErr == nil && len(open) > 0:
		return errOpenOrders
	}
	if err := p.leave(ctx, actor, l, readErr); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), eraseAtOnce)
	defer cancel()
	_, _ = p.Erase(ctx, actor.ID) // else ResumeErasures goes on
	_ = p.RemoveFiles(ctx)        // those that it can't remove are left to package cleanup
	return nil
}

// RemoveFiles removes the files of all pictures that are queued for deletion.
func (p *Privacy) RemoveFiles(ctx context.Context) error {
	for {
		if n, err := media.RemoveDue(ctx, p.pictures, p.deletions, p.now()); n == 0 || err != nil {
			return err
		}
	}
}

// resumeBatch is how many users ResumeErasures asks for at once.
const resumeBatch = 100

// ResumeErasures goes on with all erasures that were interrupted, or whose user had open orders. One that fails does not
// stop the others.
func (p *Privacy) ResumeErasures(ctx context.Context) error {
	var failed error
	erasing := map[any]bool{}
	for last := user.ID(0); ; {
		ids, err := p.accounts.Erasing(ctx, last, resumeBatch)
		if err != nil {
			return errors.Join(failed, err)
		}
		if len(ids) == 0 {
			p.closed.Range(func(id, _ any) bool {
				if !erasing[id] { // another server has ended it
					p.closed.Delete(id)
				}
				return true
			})
			return failed
		}
		for _, id := range ids {
			erasing[id] = true
			_, err := p.Erase(ctx, id)
			_ = p.RemoveFiles(ctx)
			failed = errors.Join(failed, err)
			last = id
		}
	}
}

// exportLimits are how often a person may export their data (USR-07).
var exportLimits = ratelimit.Limits{
	ratelimit.Export:      {Count: 2, Period: time.Hour},
	ratelimit.ExportStart: {Count: 10, Period: time.Hour},
}

// BeginExport counts an export of the actor, or returns a Throttled fault. So no more run at once than are allowed. The
// caller must call end with the error of the export: one that broke does not count.
func (p *Privacy) BeginExport(ctx context.Context, actor access.Actor) (end func(ctx context.Context, broken error) error, err error) {
	id, now := int64(actor.ID), p.now()
	whole := exportLimits.Charge(id, ratelimit.Export, now)
	if err := p.data.Charge(ctx, exportLimits.Charge(id, ratelimit.ExportStart, now), whole); err != nil {
		return nil, err
	}
	return func(ctx context.Context, broken error) error {
		if broken == nil {
			return nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackAtMost)
		defer cancel()
		return errors.Join(broken, p.data.Charge(ctx, whole.Undone(p.now())))
	}, nil
}

// giveBackAtMost is how long it may take to store that an export broke.
const giveBackAtMost = 10 * time.Second

// Count is how many records of a kind an erasure has treated, or has to treat.
type Count struct {
	Kind    personaldata.Kind
	Erasure personaldata.Treatment
	Records int
}

// Preview returns what Erase would treat, without kinds of which nothing is left. It changes nothing.
func (p *Privacy) Preview(ctx context.Context, id user.ID) ([]Count, error) {
	if _, err := p.accounts.ByID(ctx, id); err != nil {
		return nil, err
	}
	var counts []Count
	for _, d := range personaldata.Kinds() {
		n, err := p.data.Remaining(ctx, id, d.Kind)
		if err != nil {
			return nil, fmt.Errorf("count %s of user %d: %w", d.Kind, id, err)
		}
		if n > 0 {
			counts = append(counts, Count{d.Kind, d.Erasure, n})
		}
	}
	return counts, nil
}

// batchSize is how many records are erased in one step. An event brings its comments, likes and plates along, so it is
// small.
const batchSize = 20

// longestRequest is longer than a request goes on that stores something: the slowest are uploads.
const longestRequest = 5 * time.Minute

// Erased is what an erasure has done.
type Erased struct {
	Counts []Count // without kinds of which nothing was left
	// OpenOrders are the orders that still may be paid. Their subjects stay until Erase runs again after they are
	// paid or closed.
	OpenOrders []payment.OrderID
}

// Erase closes the account, so that neither a password nor a token is accepted, and erases what belongs to the user in
// small steps. It may be interrupted at any point and run again; what is erased stays erased.
//
// A request that was accepted before the account was closed may still store something. So Erase goes through all kinds until it
// finds nothing, and the account stays Erasing for longestRequest, so that ResumeErasures finds what comes later. Pictures are queued
// for deletion; the caller removes their files.
func (p *Privacy) Erase(ctx context.Context, id user.ID) (Erased, error) {
	err := p.accounts.Change(ctx, id, func(a *access.Account) error {
		if !a.IsErased() {
			a.Close()
		}
		return nil
	})
	if err != nil {
		return Erased{}, err
	}
	total := map[personaldata.Kind]int{}
	for found := true; found; {
		found = false
		for _, d := range personaldata.Kinds() {
			n, err := p.eraseAll(ctx, id, d.Kind)
			total[d.Kind] += n
			if err != nil {
				return erased(total, nil), fmt.Errorf("erase %s of user %d: %w", d.Kind, id, err)
			}
			found = found || n > 0
		}
	}
	open, err := p.ledger.OpenOrders(ctx, id)
	if since, _ := p.closed.LoadOrStore(id, p.now()); err == nil && len(open) == 0 && p.now().Sub(since.(time.Time)) >= longestRequest {
		p.closed.Delete(id)
		err = p.accounts.Change(ctx, id, func(a *access.Account) error {
			a.Erasing = false
			return nil
		})
	}
	return erased(total, open), err
}

// eraseAll erases the records of a kind in batches, and returns how many.
func (p *Privacy) eraseAll(ctx context.Context, id user.ID, k personaldata.Kind) (total int, err error) {
	for {
		n, err := p.data.Erase(ctx, id, k, batchSize)
		total += n
		if err != nil || n == 0 {
			return total, err
		}
	}
}

func erased(total map[personaldata.Kind]int, open []payment.Order) (e Erased) {
	for _, d := range personaldata.Kinds() {
		if n := total[d.Kind]; n > 0 {
			e.Counts = append(e.Counts, Count{d.Kind, d.Erasure, n})
		}
	}
	for _, o := range open {
		e.OpenOrders = append(e.OpenOrders, o.ID)
	}
	return e
}
