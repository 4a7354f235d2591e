package wechatpay

import (
	"cmp"
	"net/http"
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

// Config holds the settings that the gateways of both versions have.
type Config struct {
	// URL is the wallet's base URL: https, or http for a loopback address.
	URL        string
	MerchantID string
	// Key is the merchant's key of 32 characters. Version 2 signs with it. In version 3 it is the APIv3 key, which decrypts
	// what the wallet encrypts.
	Key secret.String
	// AppIDs are the IDs of the wallet applications, at least one.
	AppIDs map[payment.WalletApp]string
	// NotifyURL is where the wallet sends notifications: https without a query, or also http
	// for a loopback address.
	NotifyURL string
	// Deadline bounds each call with its retries and pauses, and each fetch of certificates; zero means 5 seconds.
	Deadline time.Duration
	// Client sends the requests; nil means one without proxies. No client follows redirects
	// or keeps cookies.
	Client *http.Client
	// Wrap wraps the transport of the requests. Nil: it is used as it is.
	Wrap func(http.RoundTripper) http.RoundTripper
}

const (
	defaultDeadline = 5 * time.Second
	keyLength       = 32 // the wallet's rule
)

func (c Config) deadline() time.Duration { return cmp.Or(c.Deadline, defaultDeadline) }

// Problem is a wrong field of a configuration. It never shows the value: it may be a secret in the wrong field.
type Problem struct {
	Field string // of the configuration
	Text  string // what the field must be: "must …"

	gateway string // its name in errors
}

func (p Problem) Error() string { return p.gateway + ": " + p.Field + " " + p.Text }

const addressText = "must be an https URL without user, query and fragment (http only for loopback)"

// checker notes the field as a problem unless it is right.
type checker func(field string, right bool, text string)

// problems returns all problems of the settings, with those that a version notes of its own.
func (c Config) problems(gateway string, own func(checker)) []Problem {
	var wrong []Problem
	check := func(field string, right bool, text string) {
		if !right {
			wrong = append(wrong, Problem{field, text, gateway})
		}
	}
	check("URL", isAddress(c.URL), addressText)
	check("MerchantID", isID(c.MerchantID), "must be 1 to 32 letters and digits")
	check("Key", len(c.Key.Reveal()) == keyLength && text.IsVisible(c.Key.Reveal()), "must be 32 visible characters")
	own(check)
	check("Deadline", c.Deadline >= 0, "must not be negative")
	check("AppIDs", len(c.AppIDs) > 0, "must have at least one application")
	seen := map[string]bool{}
	for app, id := range c.AppIDs {
		check("AppIDs", app == payment.OfficialAccount || app == payment.SvcIOSApp, "must contain only official_account and svc_ios_app")
		check("AppIDs", isID(id), "must be 1 to 32 letters and digits")
		check("AppIDs", !seen[id], "must differ from each other")
		seen[id] = true
	}
	return wrong
}
