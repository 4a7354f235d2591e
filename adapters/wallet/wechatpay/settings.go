package wechatpay

import (
	"cmp"
	"crypto/tls"
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

// The protocols, as they are stored with payments.
const (
	ProtocolV2 payment.Protocol = "v2"
	ProtocolV3 payment.Protocol = "v3"
)

// URL and SpareURL are the wallet's base URLs. The spare one leads to another data centre; version 3 alone uses it.
const (
	URL      = "https://api.mch.weixin.qq.com"
	SpareURL = "https://api2.mch.weixin.qq.com"
)

// DescriptionV2 describes version 2 of the protocol.
var DescriptionV2 = wallet.Description{
	Name: nameV2, URL: URL, NotifyPath: "/api/pay/notify/wallet/",
	Requires: []wallet.Setting{wallet.MerchantID, wallet.Key, wallet.AppIDs},
	Open: func(s wallet.Settings) (payment.Gateways, []wallet.Problem) {
		gateway, found := newV2(s)
		return payment.Gateways{Current: gateway}, found
	},
}

// DescriptionV3 describes version 3 of the protocol. With the key of version 2, it also serves what that version has
// opened.
var DescriptionV3 = wallet.Description{
	Name: nameV3, URL: URL, NotifyPath: "/api/pay/notify/wallet/v3/",
	Requires: []wallet.Setting{wallet.MerchantID, wallet.Key, wallet.AppIDs, wallet.PrivateKey, wallet.CertSerial},
	Open: func(s wallet.Settings) (payment.Gateways, []wallet.Problem) {
		current, found := newV3(s)
		gateways := payment.Gateways{Current: current}
		if !s.FormerKey.IsZero() {
			s.Key, s.NotifyURL = s.FormerKey, strings.TrimSuffix(current.notify, "v3/")
			former, more := newV2(s)
			for _, problem := range more {
				if problem.Setting == wallet.Key {
					problem.Setting = wallet.FormerKey
				}
				found = append(found, problem)
			}
			gateways.Others = []payment.Gateway{former}
		}
		return gateways, found
	},
}
