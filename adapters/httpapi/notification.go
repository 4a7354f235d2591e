package httpapi

import (
	"io"
	"net/http"

	"plaza/adapters/httpapi/transport"
	"plaza/domain/payment"
)

// maxNotification is far above the size of any notification (PAY-10).
const maxNotification = 64 << 10

// notificationHeaders are the headers of a notification that a protocol of the wallet signs or names, in
// lower case.
var notificationHeaders = []string{
	"wechatpay-timestamp", "wechatpay-nonce", "wechatpay-signature", "wechatpay-serial", "request-id",
}

// maxNotificationHeader is far above the size of any of those headers, in bytes.
const maxNotificationHeader = 1024

// notifyOver returns the handler of notifications over the protocol. It passes the wallet's notification on and
// answers in the wallet's format (PAY-10). The signature in the notification authenticates it. The wallet would
// not understand the error envelope. An unreadable or oversized body counts as an empty notification.
func notifyOver(p payment.Protocol) func(*api, *transport.Call) (transport.Reply, error) {
	return func(a *api, c *transport.Call) (transport.Reply, error) {
		r := c.Gin.Request
		raw, err := io.ReadAll(http.MaxBytesReader(transport.Innermost(c.Gin.Writer), r.Body, maxNotification))
		if err != nil {
			raw = nil
		}
		transport.LeaveSlot(c.Context()) // a forged one may make the gateway ask the wallet for its keys
		said, err := a.Paying.Notify(c.Context(), p, payment.Notification{Header: notificationHeader(r.Header), Body: raw})
		if err != nil {
			return transport.Reply{}, err
		}
		answer := transport.Reply{Status: said.Status}
		if len(said.Body) > 0 {
			answer.Content = transport.Verbatim{MediaType: said.MediaType, Bytes: said.Body}
		}
		return answer, nil
	}
}

// notificationHeader returns the headers of a notification. It leaves out those that came twice and those that are
// too long: what is signed is then missing.
func notificationHeader(h http.Header) map[string]string {
	found := map[string]string{}
	for _, name := range notificationHeaders {
		if values := h.Values(name); len(values) == 1 && len(values[0]) <= maxNotificationHeader {
			found[name] = values[0]
		}
	}
	return found
}
