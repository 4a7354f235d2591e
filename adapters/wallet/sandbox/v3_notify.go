package sandbox

import (
	"crypto/sha256"
	"fmt"
	"time"
)

// v3Event is what a notification of version 3 tells. Its repetitions have the same ID.
type v3Event struct {
	id                  string
	created             time.Time
	kind, summary       string
	original, associate string // the kind of the content, and its associated data
	content             object
}

// paymentEvent returns the event of a payment.
func (s *Server) paymentEvent(t Trade, trick Misbehaviour) v3Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	content := s.tradeObject(t)
	content["trade_state"], content["trade_state_desc"] = string(Success), described[string(Success)]
	if trick.Do == Amount {
		content["amount"] = object{
			"total": t.Amount + 1, "payer_total": t.Amount - t.Coupon + 1, "currency": t.Currency, "payer_currency": t.Currency,
		}
	}
	return v3Event{eventID(t.TransactionID), t.Paid, "TRANSACTION.SUCCESS", "支付成功", "transaction", "transaction", content}
}

// eventID returns the ID of the event of what is named.
func eventID(of string) string {
	sum := sha256.Sum256([]byte(of))
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// v3Notification returns the message that tells an event.
func (s *Server) v3Notification(address string, e v3Event, trick Misbehaviour) notification {
	resource := s.seal(marshal(e.content), e.associate)
	resource["original_type"] = e.original
	body := marshal(object{
		"id": e.id, "create_time": v3Time(e.created), "event_type": e.kind, "resource_type": "encrypt-resource",
		"summary": e.summary, "resource": resource,
	})
	h := jsonHeader()
	s.signV3(h, body, "", trick)
	return notification{V3, address, h, body}
}
