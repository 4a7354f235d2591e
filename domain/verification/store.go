package verification

import (
	"context"
	"net/netip"
	"time"
)

// Use is what a limit counts. Its value is stored.
type Use string

const (
	Requested Use = "requested" // RequestLimits
	Tried     Use = "tried"     // TryLimits
)

// Request asks for a code.
type Request struct {
	Code State // of a new code
	// From is the first address of the caller's access.Source. (Package access imports this one.)
	From netip.Addr
	Expense
}

// Attempt is a try of a code.
type Attempt struct {
	Purpose Purpose
	Number  Number
	From    netip.Addr // as in Request
	Now     time.Time
}

// Spending uses a code up together with the change that it allows. Only Code.Verify makes one.
//
// The methods of other ports that store such a change take spendings as their last arguments, as
// methods that are limited take charges:
//
//	access.Accounts.Open(ctx, a, m, spendings...)       // sign_up
//	access.Accounts.Change(ctx, id, fn, spendings...)   // reset_password, change_phone, and
//	                                                    // erase, which begins with Account.Close
//
// In the step that stores the change, the store must
//   - spend the code as Code.Spend does, by one conditional write on its ID and status, and
//   - take back the latest counted try of the number from the address: it was not wrong.
//
// If the code is not Live any more, the step must store nothing and return ErrWrongCode. This is
// judged before ErrPhoneTaken, which only a caller with the code may learn. A step that returns
// an error spends nothing. So of two steps at once with one code, one stores its change, and a
// crash leaves both or neither.
type Spending struct {
	Code    ID
	Number  Number
	Purpose Purpose
	From    netip.Addr
}

// Taken is how many messages were taken of a budget.
type Taken struct {
	Messages int64
	Codes    map[string]int64 // by dialling code, all of them
}

// Store keeps codes, and counts requests and tries for all servers. It knows no accounts.
// Requests, tries and codes older than Kept are removed in time, because they name numbers. An
// erasure removes those of the person's number at once.
type Store interface {
	// Reserve counts the request in every Group of RequestLimits, takes the expense as Take does,
	// and stores the code as the only live one of its number and purpose: the one before is
	// Replaced. If a limit is full it must change nothing, neither counts nor codes, and return
	// ErrTooManyRequests with the time until all limits admit a request. If a budget is spent it
	// must change nothing and return ErrBudgetSpent; limits are judged first. Checking, counting
	// and storing must be one step, so that concurrent requests cannot exceed a limit. What a
	// server has counted whose clock ran ahead, by more than ratelimit.Skew, fills no limit.
	Reserve(ctx context.Context, r Request) error
	// Take takes the messages of the expense of the budgets of its day, in all and of the
	// dialling code. If one of them is spent it must take nothing and return ErrBudgetSpent.
	Take(ctx context.Context, e Expense) error
	// Try counts the try in the live code of the number and purpose, as Code.Try does, and returns
	// the code, or ErrWrongCode if the number has none or Code.Try fails. It counts the attempt as
	// wrong in every Group of TryLimits; if it returns no code, without the number. If a limit is
	// full it must count nothing and return ErrTooManyTries with the time until all limits admit a
	// try. The counts must be committed when Try returns, also with ErrWrongCode: of 50 tries at
	// once 50 are counted for the address, and 5 return the code. Limits ignore clocks that ran
	// ahead, as those of Reserve do.
	Try(ctx context.Context, a Attempt) (*Code, error)
	// Taken returns what was taken of the budget of the day (DayOf).
	Taken(ctx context.Context, day time.Time) (Taken, error)
}
