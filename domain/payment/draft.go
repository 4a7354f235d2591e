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
	// DefaultLife is how long an order can be paid whose maker does not say it.
	DefaultLife = 2 * time.Hour
)

// SubjectLimit bounds the subject of an order. Wallets accept no longer one.
var SubjectLimit = text.Limit{Bytes: 127}

// ErrNoPayer is the fault of an order for a user that does not exist.
var ErrNoPayer = fault.Field("user", "User not found.")

// Draft is an unchecked new order.
type Draft struct {
	User      user.ID
	Subject   string
	Amount    int64 // fen, the currency's minor unit
	Currency  string
	ExpiresIn time.Duration
}

// Order checks the draft and returns the open order. One fault reports all invalid
// fields; Order does not check whether the user exists.
func (d Draft) Order(now time.Time) (Order, error) {
	var wrong fault.Fields
	if d.User <= 0 {
		wrong.Merge(ErrNoPayer.Fields)
	}
	wrong.Add("subject", SubjectLimit.RequiredLine(&d.Subject))
	if d.Amount < MinAmount || d.Amount > MaxAmount {
		wrong.Add("amount", fmt.Sprintf("Ensure this value is between %d and %d, in the currency's minor units.",
			MinAmount, MaxAmount))
	}
	if d.Currency != CNY {
		wrong.Add("currency", "The only supported currency is "+CNY+".")
	}
	if d.ExpiresIn < MinLife || d.ExpiresIn > MaxLife {
		wrong.Add("expires_in", "Ensure this value is between 1 second and 366 days.")
	}
	if err := wrong.Err(); err != nil {
		return Order{}, err
	}
	return NewOrder(d.User, d.Subject, d.Amount, d.ExpiresIn, now), nil
}
