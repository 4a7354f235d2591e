package transport

import (
	"strconv"

	"plaza/domain/fault"
	"plaza/domain/idempotency"
)

// IdempotencyKey returns the request's key, or nil without one (PAY-09, GEN-13). It also returns
// readErr, or the fault of the key: of a body that could not be read there is no key. It calls
// content only for a key.
func (c *Call) IdempotencyKey(content func() idempotency.Request, readErr error) (*idempotency.Key, error) {
	const name = "Idempotency-Key"
	keys := c.Gin.Request.Header.Values(name)
	switch {
	case readErr != nil || len(keys) == 0:
		return nil, readErr
	case len(keys) > 1:
		return nil, fault.Field(name, "Send exactly one key.")
	}
	return idempotency.NewKey(c.Actor.ID, keys[0], content())
}

// SentFields are the fields of a body that were sent, in the order of the calls.
type SentFields []idempotency.Field

// Text adds the field, unless it was not sent.
func (f *SentFields) Text(name string, sent *string) {
	if sent != nil {
		*f = append(*f, idempotency.Field{Name: name, Value: *sent})
	}
}

// Number adds the field, unless it was not sent.
func Number[T ~int | ~int64](f *SentFields, name string, sent *T) {
	if sent != nil {
		*f = append(*f, idempotency.Field{Name: name, Value: strconv.FormatInt(int64(*sent), 10)})
	}
}
