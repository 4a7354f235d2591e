// Package privacy holds the use cases that a person may ask an operator for: an export of all that is stored of the
// person, and its erasure. What belongs to a person, and what happens to it, is in package personaldata.
//
// Its tests are those of test/usecases/people whose files begin with its name.
package privacy

import (
	"context"
	"fmt"
	"time"

	"plaza/domain/access"
	"plaza/domain/media"
	"plaza/domain/payment"
	"plaza/domain/personaldata"
	"plaza/domain/user"
)

// Privacy implements the use cases.
type Privacy struct {
	accounts access.Accounts
	data     personaldata.Store
	ledger   payment.Ledger
	pictures media.Store
	now      func() time.Time
}

// New returns the use cases over the ports; now returns the time.
func New(accounts access.Accounts, data personaldata.Store, ledger payment.Ledger, pictures media.Store, now func() time.Time) *Privacy {
	return &Privacy{accounts: accounts, data: data, ledger: ledger, pictures: pictures, now: now}
}

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
// A request that was accepted before the account was closed may still store something. So Erase goes through all kinds
// until it finds nothing. Pictures are queued for deletion; their files are removed by package cleanup.
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
