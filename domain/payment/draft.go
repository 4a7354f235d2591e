package payment

import (
	"fmt"
	"time"

	"plaza/domain/fault"
	"plaza/domain/text"
	"plaza/domain/user"
)

// Bounds of an order (PAY-12).
const (
	MinAmount = 1
	MaxAmount = 10_000_000 // in the currency's minor units
	MinLife   = time.Second
	MaxLife   = 366 * 24 * time.Hour
)

// SubjectLimit bounds what an order is for; wallets take no more.
var SubjectLimit = text.Limit{Bytes: 127}

// ErrNoPayer says that an order is for nobody.
var ErrNoPayer = fault.Field("user", "There is no such user.")

// Draft is what somebody wants an order to be.
type Draft struct {
	User      user.ID
	Subject   string
	Amount    int64 // fen, the currency's minor unit
	Currency  string
	ExpiresIn time.Duration
}

// Order checks the draft and returns the open order that it makes. All that is
// wrong is told at once, but for whether the user exists.
func (d Draft) Order(now time.Time) (Order, error) {
	var wrong fault.Fields
	if d.User <= 0 {
		wrong.Merge(ErrNoPayer.Fields)
	}
	d.Subject = text.Trim(d.Subject)
	wrong.Add("subject", SubjectLimit.RequiredProblem(d.Subject))
	if d.Amount < MinAmount || d.Amount > MaxAmount {
		wrong.Add("amount", fmt.Sprintf("Ensure this value is from %d to %d; it counts the currency's minor units.",
			MinAmount, MaxAmount))
	}
	if d.Currency != CNY {
		wrong.Add("currency", "The only currency is "+CNY+".")
	}
	if d.ExpiresIn < MinLife || d.ExpiresIn > MaxLife {
		wrong.Add("expires_in", "An order must be open for at least 1 second, and at most 366 days.")
	}
	if err := wrong.Err(); err != nil {
		return Order{}, err
	}
	return NewOrder(d.User, d.Subject, d.Amount, d.ExpiresIn, now), nil
}
