package wechatpay

import (
	"net/http"
	"strings"
	"time"

	"plaza/domain/payment"
	"plaza/domain/secret"
	"plaza/domain/text"
)

// Config holds the settings of the gateway.
type ConfigV3 struct {
	// URL is the wallet's base URL: https, or http for a loopback address.
	URL string
	// SpareURL is used for a request if no connection to URL could be opened; empty: there is no
	// other address.
	SpareURL   string
	MerchantID string
	// Key is the merchant's APIv3 key of 32 characters. It decrypts what the wallet encrypts.
	Key secret.String
	// PrivateKey is the merchant's RSA key as PEM, in PKCS #8 or PKCS #1, with 2,048 bits or more.
	PrivateKey secret.String
	// Serial is the serial number of the merchant's certificate: capital hexadecimal digits.
	Serial string
	// PublicKey and PublicKeyID are the wallet's public key as PEM and its id, PUB_KEY_ID_….
	// Without them the wallet's certificates are fetched. Certificates are also fetched when
	// a message names one, because the wallet uses both while a merchant changes over.
	PublicKey   string
	PublicKeyID string
	// AppIDs are the IDs of the wallet applications, at least one.
	AppIDs map[payment.WalletApp]string
	// NotifyURL is where the wallet sends notifications: https without a query, or also http
	// for a loopback address.
	NotifyURL string
	// Deadline bounds each call, and each fetch of certificates; zero means 5 seconds.
	Deadline time.Duration
	// Now returns the time; nil means time.Now.
	Now func() time.Time
	// Client sends the requests; nil means one without proxies. No client follows redirects
	// or keeps cookies.
	Client *http.Client
	// Wrap wraps the transport of the requests. Nil: it is used as it is.
	Wrap func(http.RoundTripper) http.RoundTripper
}

const maxNotifyURL = 255 // the wallet's rule

// publicKeyPrefix begins the ids of the wallet's public keys. Serial numbers of certificates have no
// such prefix.
const publicKeyPrefix = "PUB_KEY_ID_"

// Problem is a wrong field of a Config. It never shows the value: it may be a secret in the wrong field.
type Problem struct {
	Field string // of Config
	Text  string // what the field must be: "must …"
}

func (p Problem) Error() string { return "wechatpayv3: " + p.Field + " " + p.Text }

const addressText = "must be an https URL without user, query and fragment (http only for loopback)"

// Problems returns all problems of the configuration, in the order of its fields.
func (c ConfigV3) Problems() []Problem {
	var wrong []Problem
	check := func(field string, right bool, text string) {
		if !right {
			wrong = append(wrong, Problem{field, text})
		}
	}
	_, privateErr := parsePrivateKey(c.PrivateKey)
	_, publicErr := parsePublicKey(c.PublicKey)
	check("URL", isAddress(c.URL), addressText)
	check("SpareURL", c.SpareURL == "" || isAddress(c.SpareURL), addressText)
	check("MerchantID", isID(c.MerchantID), "must be 1 to 32 letters and digits")
	check("Key", len(c.Key.Reveal()) == keyLength && text.IsVisible(c.Key.Reveal()), "must be 32 visible characters")
	check("PrivateKey", privateErr == nil, "must be an unencrypted RSA key as PEM, PKCS #8 or PKCS #1, with 2,048 bits or more")
	check("Serial", isSerial(c.Serial), "must be 1 to 64 hexadecimal digits with capital letters")
	check("PublicKey", publicErr == nil || c.PublicKey == "", "must be an RSA public key as PEM with 2,048 bits or more")
	check("PublicKey", c.PublicKey != "" || c.PublicKeyID == "", "must be set, because PublicKeyID is")
	check("PublicKeyID", c.PublicKey == "" || isPublicKeyID(c.PublicKeyID), "must be "+publicKeyPrefix+" and letters and digits")
	check("NotifyURL", isAddress(c.NotifyURL) && len(c.NotifyURL) <= maxNotifyURL, addressText+" of at most 255 characters")
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

// isSerial reports whether the text may be the serial number of a certificate.
func isSerial(s string) bool { return consists(s, 64, digits+"ABCDEF") }

func isPublicKeyID(s string) bool {
	rest, is := strings.CutPrefix(s, publicKeyPrefix)
	return is && consists(rest, 64, letters+digits)
}
