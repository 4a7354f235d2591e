package wechatpay

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"plaza/domain/payment"
	"plaza/domain/secret"
)

// URL is the wallet's address.
const URL = "https://api.mch.weixin.qq.com"

// Config says which wallet to speak to, and as whom.
type Config struct {
	// URL is the wallet's base address. It is https, or on this machine also http.
	URL        string
	MerchantID string
	// Key is the merchant's: the 32 characters that everything is signed with.
	Key secret.String
	// AppIDs are the ids of the wallet applications that there are, at least one.
	AppIDs map[payment.WalletApp]string
	// NotifyURL is where the wallet reports payments: https, or on this machine also
	// http, and without a query.
	NotifyURL string
	// SpbillIP is the address that every request is said to come from; empty: 127.0.0.1.
	SpbillIP string
	// Deadline bounds each call, tries and pauses together; zero: 5 seconds.
	Deadline time.Duration
	// Client sends the requests; nil: one that knows no proxies. Whichever it is, it
	// follows no redirects and keeps no cookies.
	Client *http.Client
}

const (
	defaultDeadline = 5 * time.Second
	defaultIP       = "127.0.0.1"
	keyLength       = 32 // the wallet's rule
)

// problems are all that is wrong with the configuration. Values don't show: one may be a
// secret in the wrong place.
func (c Config) problems() error {
	var wrong []error
	check := func(right bool, problem string) {
		if !right {
			wrong = append(wrong, errors.New("wechatpay: "+problem))
		}
	}
	check(isAddress(c.URL), "URL must be an https address without user, query and fragment (http only on this machine)")
	check(isID(c.MerchantID), "MerchantID must be 1 to 32 letters and digits")
	check(len(c.Key.Reveal()) == keyLength && isVisible(c.Key.Reveal()), "Key must be 32 visible characters")
	check(isAddress(c.NotifyURL) && len(c.NotifyURL) <= 256,
		"NotifyURL must be an https address of at most 256 characters without user, query and fragment (http only on this machine)")
	_, err := netip.ParseAddr(c.SpbillIP)
	check(c.SpbillIP == "" || err == nil, "SpbillIP must be an IP address")
	check(c.Deadline >= 0, "Deadline must not be negative")
	check(len(c.AppIDs) > 0, "AppIDs must have at least one application")
	seen := map[string]bool{}
	for app, id := range c.AppIDs {
		check(app == payment.OfficialAccount || app == payment.SvcIOSApp, "AppIDs must have official_account and svc_ios_app only")
		check(isID(id), "AppIDs must be 1 to 32 letters and digits")
		check(!seen[id], "AppIDs must differ from each other")
		seen[id] = true
	}
	return errors.Join(wrong...)
}

func isID(s string) bool { return len(s) <= 32 && isName(s) }

func isVisible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

func isAddress(s string) bool {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(s, "?#") || !isVisible(s) {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && isHere(u.Hostname())
}

func isHere(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
