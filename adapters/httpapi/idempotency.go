package httpapi

import (
	"strconv"

	"plaza/domain/fault"
	"plaza/domain/idempotency"
)

// idempotencyKey returns the request's key, or nil without one (PAY-09, GEN-13). It also returns
// readErr, or the fault of the key: of a body that could not be read there is no key. It calls
// content only for a key.
func (c *call) idempotencyKey(content func() idempotency.Request, readErr error) (*idempotency.Key, error) {
	const name = "Idempotency-Key"
	keys := c.gin.Request.Header.Values(name)
	switch {
	case readErr != nil || len(keys) == 0:
		return nil, readErr
	case len(keys) > 1:
		return nil, fault.Field(name, "Send exactly one key.")
	}
	return idempotency.NewKey(c.actor.ID, keys[0], content())
}

// sentFields are the fields of a body that were sent, in the order of the calls.
type sentFields []idempotency.Field

// text adds the field, unless it was not sent.
func (f *sentFields) text(name string, sent *string) {
	if sent != nil {
		*f = append(*f, idempotency.Field{Name: name, Value: *sent})
	}
}

// number adds the field, unless it was not sent.
func number[T ~int | ~int64](f *sentFields, name string, sent *T) {
	if sent != nil {
		*f = append(*f, idempotency.Field{Name: name, Value: strconv.FormatInt(int64(*sent), 10)})
	}
}
