package wechatpay

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"plaza/adapters/wallet"
	"plaza/domain/payment"
	"plaza/domain/text"
)

const (
	defaultDeadline = 5 * time.Second
	keyLength       = 32 // the wallet's rule
)

// publicKeyPrefix begins the ids of the wallet's public keys. Serial numbers of certificates have no
// such prefix.
const publicKeyPrefix = "PUB_KEY_ID_"

// addressText says what isAddress demands.
const addressText = "must be an https URL without user, query and fragment (http only for loopback)"

// problems are what is wrong with settings. Texts never show a value: it may be a secret in the wrong setting.
type problems []wallet.Problem

// check notes the setting as a problem unless it is right.
func (p *problems) check(setting wallet.Setting, right bool, text string) {
	if !right {
		*p = append(*p, wallet.Problem{Setting: setting, Text: text})
	}
}

// err returns all problems as one error of the gateway, or nil.
func (p problems) err(gateway string) error {
	var wrong []error
	for _, each := range p {
		wrong = append(wrong, fmt.Errorf("%s: %s %s", gateway, each.Setting, each.Text))
	}
	return errors.Join(wrong...)
}

// complete returns the settings with defaults, the merchant's certificate with its private key if there is one, and the
// problems of what the versions have in common.
func complete(s wallet.Settings) (wallet.Settings, []tls.Certificate, problems) {
	s.Deadline = cmp.Or(s.Deadline, defaultDeadline)
	var p problems
	p.check(wallet.URL, isAddress(s.URL), addressText)
	p.check(wallet.MerchantID, isID(s.MerchantID), "must be 1 to 32 letters and digits")
	p.check(wallet.Key, len(s.Key.Reveal()) == keyLength && text.IsVisible(s.Key.Reveal()), "must be 32 visible characters")
	p.check(wallet.Timeout, s.Deadline > 0, "must not be negative")
	p.check(wallet.AppIDs, len(s.AppIDs) > 0, "must have at least one application")
	seen := map[string]bool{}
	for app, id := range s.AppIDs {
		isKnown := app == payment.OfficialAccount || app == payment.SvcIOSApp
		p.check(wallet.AppIDs, isKnown, "must contain only official_account and svc_ios_app")
		p.check(wallet.AppIDs, isID(id), "must be 1 to 32 letters and digits")
		p.check(wallet.AppIDs, !seen[id], "must differ from each other")
		seen[id] = true
	}
	if s.Certificate.IsZero() {
		return s, nil, p
	}
	const pairText = "no PEM of a certificate and, in PLAZA_WALLET_PRIVATE_KEY, of its private key: "
	pair, err := tls.X509KeyPair([]byte(s.Certificate.Reveal()), []byte(s.PrivateKey.Reveal()))
	p.check(wallet.Certificate, err == nil, fmt.Sprint(pairText, err)) // the error has no part of them
	return s, []tls.Certificate{pair}, p
}

// isSerial reports whether the text may be the serial number of a certificate.
func isSerial(s string) bool { return consists(s, 64, digits+"ABCDEF") }

func isPublicKeyID(s string) bool {
	rest, is := strings.CutPrefix(s, publicKeyPrefix)
	return is && consists(rest, 64, letters+digits)
}
