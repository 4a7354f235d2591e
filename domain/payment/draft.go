package payment

import (
	"fmt"
	"strconv"
	"time"

	"plaza/domain/fault"
	"plaza/domain/idempotency"
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

// PayContent returns the content of a request to pay the order. Zero is the only open order.
func PayContent(i Intent, id OrderID) idempotency.Request {
	return idempotency.Request{Operation: "pay", Fields: []idempotency.Field{
		{Name: "end_type", Value: strconv.Itoa(int(i.EndType))}, {Name: "wallet_app_type", Value: string(i.App)},
		{Name: "open_id", Value: i.OpenID},
		{Name: "order_id", Value: strconv.FormatInt(int64(id), 10)},
	}}
}

// RefundContent returns the content of a request to refund a payment. An absent amount is empty.
func RefundContent(d RefundDraft) idempotency.Request {
	amount := ""
	if d.Amount != nil {
		amount = strconv.FormatInt(*d.Amount, 10)
	}
	return idempotency.Request{Operation: "refund", Fields: []idempotency.Field{
		{Name: "payment", Value: strconv.FormatInt(int64(d.Payment), 10)}, {Name: "amount", Value: amount}, {Name: "reason", Value: d.Reason},
	}}
}

// CreateContent returns the content of a request to create an order.
func CreateContent(d Draft) idempotency.Request {
	return idempotency.Request{Operation: "order", Fields: []idempotency.Field{
		{Name: "user", Value: strconv.FormatInt(int64(d.User), 10)}, {Name: "subject", Value: d.Subject},
		{Name: "amount", Value: strconv.FormatInt(d.Amount, 10)},
		{Name: "currency", Value: d.Currency}, {Name: "expires_in", Value: d.ExpiresIn.String()},
	}}
}
