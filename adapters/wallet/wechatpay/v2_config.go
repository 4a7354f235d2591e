package wechatpay

import (
	"crypto/tls"
	"net/netip"
)

// ConfigV2 holds the settings of the gateway of version 2.
type ConfigV2 struct {
	Config
	// RefundNotifyURL is where the wallet sends notifications of refunds; empty: it sends none. The rule is that of
	// NotifyURL.
	RefundNotifyURL string
	// Certificate is the merchant's, with its private key. Without one the gateway refunds nothing, unless URL is an
	// http address of this machine.
	Certificate *tls.Certificate
	// SpbillIP is the client address in every request; empty means 127.0.0.1.
	SpbillIP string
}

const defaultIP = "127.0.0.1"

// Problems returns all problems of the configuration.
func (c ConfigV2) Problems() []Problem {
	return c.problems(nameV2, func(check checker) {
		const notifyText = "must be an https URL of at most 256 characters without user, query and fragment (http only for loopback)"
		isNotifyURL := func(s string) bool { return isAddress(s) && len(s) <= 256 }
		_, err := netip.ParseAddr(c.SpbillIP)
		check("NotifyURL", isNotifyURL(c.NotifyURL), notifyText)
		check("RefundNotifyURL", c.RefundNotifyURL == "" || isNotifyURL(c.RefundNotifyURL), notifyText)
		check("SpbillIP", c.SpbillIP == "" || err == nil, "must be an IP address")
	})
}
