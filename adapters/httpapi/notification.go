package httpapi

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"plaza/adapters/httpapi/transport"
	"plaza/domain/payment"
)

// maxNotification is far above the size of any notification (PAY-10).
const maxNotification = 64 << 10

// maxNotificationHeader is far above the size of any header that a wallet signs or names, in bytes.
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
			answer.Content = transport.File{MediaType: said.MediaType, Bytes: said.Body}
		}
		return answer, nil
	}
}

// notifyNamed handles notifications over the protocol that the path names.
func notifyNamed(a *api, c *transport.Call) (transport.Reply, error) {
	reply, err := notifyOver(payment.Protocol(c.Name()))(a, c)
	if errors.Is(err, payment.ErrNoWallet) {
		err = transport.ErrNotFound
	}
	return reply, err
}

// notificationHeader returns the headers of a notification by their names in lower case. It leaves out those that came
// twice and those that are too long: what is signed is then missing.
func notificationHeader(h http.Header) map[string]string {
	found := map[string]string{}
	for name, values := range h {
		if len(values) == 1 && len(values[0]) <= maxNotificationHeader {
			found[strings.ToLower(name)] = values[0]
		}
	}
	return found
}
