package payment

import (
	"strconv"

	"plaza/domain/idempotency"
)

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
