package transport

import (
	"fmt"
	"reflect"

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

// BodyKey is IdempotencyKey for an operation with a body.
func (c *Call) BodyKey(operation string, body any, readErr error) (*idempotency.Key, error) {
	return c.IdempotencyKey(func() idempotency.Request { return ContentOf(operation, body) }, readErr)
}

// ContentOf returns the content of a request with the body, which is a pointer to a struct: the fields that were sent, and
// the picture. Their names and their order are kept with the key.
func ContentOf(operation string, body any) idempotency.Request {
	r := idempotency.Request{Operation: operation}
	for field, value := range reflect.ValueOf(body).Elem().Fields() {
		if picture, is := value.Addr().Interface().(*Upload); is {
			r.File = picture.Reader()
			continue
		}
		for _, sent := range sentValues(value) {
			r.Fields = append(r.Fields, idempotency.Field{Name: jsonName(field), Value: sent})
		}
	}
	return r
}

// sentValues returns the value of a field, or each of a list, or none if it was not sent.
func sentValues(of reflect.Value) (values []string) {
	if n, is := of.Addr().Interface().(interface{ Pointer() reflect.Value }); is {
		of = n.Pointer()
	}
	switch of.Kind() {
	case reflect.Slice:
		for i := range of.Len() {
			values = append(values, fmt.Sprint(of.Index(i)))
		}
	case reflect.Pointer:
		if !of.IsNil() {
			values = append(values, fmt.Sprint(of.Elem()))
		}
	}
	return values
}
