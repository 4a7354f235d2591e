package wechatpay

import (
	"crypto/tls"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"plaza/domain/payment"
	"plaza/domain/secret"
	"plaza/domain/text"
)

// URL and SpareURL are the wallet's base URLs. The spare one leads to another data centre; version 3 alone uses it.
const (
	URL      = "https://api.mch.weixin.qq.com"
	SpareURL = "https://api2.mch.weixin.qq.com"
)

// Config holds the settings of the gateway.
type ConfigV2 struct {
	// URL is the wallet's base URL: https, or http for a loopback address.
	URL        string
	MerchantID string
	// Key is the merchant's signing key of 32 characters.
	Key secret.String
	// AppIDs are the IDs of the wallet applications, at least one.
	AppIDs map[payment.WalletApp]string
	// NotifyURL is where the wallet sends notifications: https without a query, or also http
	// for a loopback address.
	NotifyURL string
	// RefundNotifyURL is where the wallet sends notifications of refunds; empty: it sends none. The rule is that of
	// NotifyURL.
	RefundNotifyURL string
	// Certificate is the merchant's, with its private key. Without one the gateway refunds nothing, unless URL is an
	// http address of this machine.
	Certificate *tls.Certificate
	// SpbillIP is the client address in every request; empty means 127.0.0.1.
	SpbillIP string
	// Deadline bounds each call with its retries and pauses; zero means 5 seconds.
	Deadline time.Duration
	// Client sends the requests; nil means one without proxies. No client follows redirects
	// or keeps cookies.
	Client *http.Client
	// Wrap wraps the transport of the requests. Nil: it is used as it is.
	Wrap func(http.RoundTripper) http.RoundTripper
}

const (
	defaultDeadline = 5 * time.Second
	defaultIP       = "127.0.0.1"
	keyLength       = 32 // the wallet's rule
)

// problems returns all problems of the configuration. It never shows values: one may be a
// secret in the wrong field.
func (c ConfigV2) problems() error {
	var wrong []error
	check := func(right bool, problem string) {
		if !right {
			wrong = append(wrong, errors.New("wechatpay: "+problem))
		}
	}
	check(isAddress(c.URL), "URL must be an https URL without user, query and fragment (http only for loopback)")
	check(isID(c.MerchantID), "MerchantID must be 1 to 32 letters and digits")
	check(len(c.Key.Reveal()) == keyLength && text.IsVisible(c.Key.Reveal()), "Key must be 32 visible characters")
	check(isAddress(c.NotifyURL) && len(c.NotifyURL) <= 256,
		"NotifyURL must be an https URL of at most 256 characters without user, query and fragment (http only for loopback)")
	check(c.RefundNotifyURL == "" || isAddress(c.RefundNotifyURL) && len(c.RefundNotifyURL) <= 256,
		"RefundNotifyURL must be an https URL of at most 256 characters without user, query and fragment (http only for loopback)")
	_, err := netip.ParseAddr(c.SpbillIP)
	check(c.SpbillIP == "" || err == nil, "SpbillIP must be an IP address")
	check(c.Deadline >= 0, "Deadline must not be negative")
	check(len(c.AppIDs) > 0, "AppIDs must have at least one application")
	seen := map[string]bool{}
	for app, id := range c.AppIDs {
		check(app == payment.OfficialAccount || app == payment.SvcIOSApp, "AppIDs must contain only official_account and svc_ios_app")
		check(isID(id), "AppIDs must be 1 to 32 letters and digits")
		check(!seen[id], "AppIDs must differ from each other")
		seen[id] = true
	}
	return errors.Join(wrong...)
}
