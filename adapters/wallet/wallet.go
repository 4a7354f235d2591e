// Package wallet says what a program needs to know of a wallet to offer it: its name, the settings that it needs, how
// it is opened, and where it reports payments. Each wallet is a package below this one that describes itself.
//
// The program that offers wallets lists their descriptions. It knows no wallet by name.
package wallet

import (
	"cmp"
	"net/http"
	"time"

	"plaza/domain/payment"
	"plaza/domain/secret"
)

// Description describes a wallet, or one version of its protocol.
type Description struct {
	// Name is the value of PLAZA_WALLET.
	Name string
	// URL is the wallet's own address; empty: PLAZA_WALLET_URL is required.
	URL string
	// NotifyPath is where the wallet reports payments: /api/pay/notify/PROTOCOL/, with the protocol of the gateway, unless it
	// has a route of its own.
	NotifyPath string
	// Requires are the settings that the wallet cannot do without.
	Requires []Setting
	// Open returns the gateways, or what is wrong with the settings. It sends nothing.
	Open func(Settings) (payment.Gateways, []Problem)
}

// Setting is the name of a setting, without PLAZA_WALLET_.
type Setting string

// The settings of wallets.
const (
	URL         Setting = "URL"
	MerchantID  Setting = "MCH_ID"
	Key         Setting = "KEY"
	AppIDs      Setting = "APP_ID"
	NotifyURL   Setting = "NOTIFY_URL"
	PrivateKey  Setting = "PRIVATE_KEY"
	CertSerial  Setting = "CERT_SERIAL"
	Certificate Setting = "CERT"
	PublicKey   Setting = "PUBLIC_KEY"
	PublicKeyID Setting = "PUBLIC_KEY_ID"
	FormerKey   Setting = "V2_KEY"
	Timeout     Setting = "TIMEOUT"
)

// Settings are the settings of all wallets. A wallet reads those that it has a use for.
type Settings struct {
	URL         string
	MerchantID  string
	Key         secret.String // the merchant's
	AppIDs      map[payment.WalletApp]string
	NotifyURL   string        // where the wallet reports payments
	PrivateKey  secret.String // the merchant's, as PEM
	CertSerial  string        // of the merchant's certificate
	Certificate secret.String // the merchant's, as PEM
	PublicKey   secret.String // the wallet's, as PEM
	PublicKeyID string
	FormerKey   secret.String // of a former version, whose payments are still served
	// Deadline bounds each call of the wallet.
	Deadline time.Duration
	// Wrap wraps the transport of the requests. Nil: it is used as it is.
	Wrap func(http.RoundTripper) http.RoundTripper
}

// has reports whether the setting has a value.
func (s Settings) has(name Setting) bool {
	return map[Setting]bool{
		URL: s.URL != "", MerchantID: s.MerchantID != "", Key: !s.Key.IsZero(), AppIDs: len(s.AppIDs) > 0, NotifyURL: s.NotifyURL != "",
		PrivateKey: !s.PrivateKey.IsZero(), CertSerial: s.CertSerial != "", Certificate: !s.Certificate.IsZero(),
		PublicKey: !s.PublicKey.IsZero(), PublicKeyID: s.PublicKeyID != "", FormerKey: !s.FormerKey.IsZero(),
	}[name]
}

// Problem is what is wrong with a setting. Its text never shows the value.
type Problem struct {
	Setting Setting
	Text    string
}

// Check returns the settings with the wallet's own address, if none is set, and what is missing or wrong. One problem
// of a setting is enough.
func (d Description) Check(s Settings) (Settings, []Problem) {
	s.URL = cmp.Or(s.URL, d.URL)
	var found []Problem
	for _, name := range d.Requires {
		if !s.has(name) {
			found = append(found, Problem{name, d.Name + " needs one"})
		}
	}
	_, wrong := d.Open(s)
	return s, append(found, wrong...)
}
