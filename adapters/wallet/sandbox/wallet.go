package sandbox

import (
	"cmp"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"log/slog"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"plaza/adapters/wallet/sandbox/ledger"
	"plaza/domain/secret"
)

// KeyMode says with which of its keys the wallet signs version 3.
type KeyMode string

// The modes. An answer to a request that names one of the keys in Wechatpay-Serial is signed with that key.
const Certificates, PublicKey KeyMode = "certificate", "public_key"

const keyBits = 2048 // of RSA keys, at least

// Config holds the merchant's data and the ledger's rules.
type Config struct {
	ledger.Config
	MerchantID string
	Key        secret.String // of version 2
	AppIDs     []string
	// MerchantCert has the key and the serial number with which the merchant signs version 3, and proves who it is when it
	// asks for refunds over TLS. Without it, version 3 is not served.
	MerchantCert *x509.Certificate
	V3Key        secret.String // of version 3, 32 bytes
	// Keys are the wallet's own keys: that with a certificate, and the public key. The wallet makes those that are missing.
	Keys      []*rsa.PrivateKey
	KeyMode   KeyMode // with which of its keys the wallet signs; default Certificates
	PublicURL string  // where payers reach the sandbox; code_url and mweb_url lead there
	// Paid are orders of version 2 that were paid elsewhere, by a QR code: the sandbox returns their money. It adds those
	// that its journal lacks.
	Paid     []ledger.Trade
	Messages string // path of a page of messages with codes, to which the pages link; empty: none
	Log      *slog.Logger
}

// complete sets what is absent, and returns all problems.
func (c *Config) complete() error {
	u, err := url.Parse(c.PublicURL)
	isID := func(id string) bool { return id != "" && len(id) <= 32 }
	isKept := map[string]bool{
		"MerchantID must be 1 to 32 characters":  isID(c.MerchantID),
		"the key is missing":                     !c.Key.IsZero(),
		"AppIDs is empty":                        len(c.AppIDs) > 0,
		"AppIDs must be 1 to 32 characters each": !slices.ContainsFunc(c.AppIDs, func(id string) bool { return !isID(id) }),
		"PublicURL must be http or https":        err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https"),
		"the scale must not be negative":         c.Scale >= 0,
		"RefundTime must not be negative":        c.RefundTime >= 0,
	}
	if c.MerchantCert != nil {
		key, isRSA := c.MerchantCert.PublicKey.(*rsa.PublicKey)
		isKept["MerchantCert must have an RSA key of 2048 bits or more"] = isRSA && key.Size()*8 >= keyBits
		isKept["V3Key must be 32 bytes"] = len(c.V3Key.Reveal()) == 32
		isKept["KeyMode is unknown"] = slices.Contains([]KeyMode{"", Certificates, PublicKey}, c.KeyMode)
	}
	var wrong []error
	for _, rule := range slices.Sorted(maps.Keys(isKept)) {
		if !isKept[rule] {
			wrong = append(wrong, errors.New(rule))
		}
	}
	c.PublicURL = strings.TrimRight(c.PublicURL, "/")
	c.Scale = max(c.Scale, 1)
	c.Log = cmp.Or(c.Log, slog.New(slog.DiscardHandler))
	if c.Clock == nil {
		c.Clock = time.Now
	}
	return errors.Join(wrong...)
}

// wallet is what the versions of the protocol and the pages share.
type wallet struct {
	Config
	*tricks
	ledger *ledger.Ledger
}

// described has the words of both versions for the states of orders.
var described = map[ledger.State]string{
	ledger.NotPaid: "not paid", ledger.Declined: "payment failed", ledger.Success: "paid", ledger.Closed: "closed",
	ledger.Returned: "paid, and returned in part or whole",
}

// payPath is where the pages of orders are, by their numbers.
const payPath = "/sandbox/pay/"

// link returns the URL of the page that pays the trade.
func (w *wallet) link(t ledger.Trade) string {
	return w.PublicURL + payPath + url.PathEscape(t.OutTradeNo)
}
