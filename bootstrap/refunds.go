package bootstrap

import (
	"crypto/tls"
	"fmt"
	"strings"

	"plaza/application/refunding"
	"plaza/domain/secret"
)

// RefundConfig holds the settings of refunds.
type RefundConfig struct {
	WalletRefundDue string        `default:"staff" env:"PLAZA_WALLET_REFUND_DUE" help:"What refunds payments that are refund_due: staff, or auto, the server itself." placeholder:"HOW"`
	WalletCert      secret.String `env:"PLAZA_WALLET_CERT" help:"The merchant's certificate as PEM, with which wechatpay refunds (default: no refunds)." placeholder:"PEM"`
}

// What refunds payments that are refund_due.
const (
	refundByStaff       = "staff"
	refundAutomatically = "auto"
)

// checkRefunds fills in missing values and notes all problems.
func (c *Config) checkRefunds(p problems) {
	if c.WalletRefundDue == "" {
		c.WalletRefundDue = refundByStaff
	}
	p.note("PLAZA_WALLET_REFUND_DUE", oneOf(c.WalletRefundDue, refundByStaff, refundAutomatically))
	if _, err := c.keyPair(); err != nil {
		p.note("PLAZA_WALLET_CERT", err)
	}
}

// keyPair returns the merchant's certificate with its private key, or nil if none is configured. Its errors contain
// no part of them.
func (c Config) keyPair() (*tls.Certificate, error) {
	if c.WalletCert.IsZero() {
		return nil, nil
	}
	pair, err := tls.X509KeyPair([]byte(c.WalletCert.Reveal()), []byte(c.WalletPrivateKey.Reveal()))
	if err != nil {
		return nil, fmt.Errorf("no PEM of a certificate and, in PLAZA_WALLET_PRIVATE_KEY, of its private key: %w", err)
	}
	return &pair, nil
}

// merchantCertificate returns the pair that checkRefunds has checked.
func (c Config) merchantCertificate() *tls.Certificate {
	pair, err := c.keyPair()
	if err != nil {
		return nil
	}
	return pair
}

// refundNotifyURL returns where the wallet reports refunds of version 2.
func (c Config) refundNotifyURL() string {
	return strings.TrimRight(c.notifyURLV2(), "/") + "/refund/"
}

func refundingLimits(c Config) refunding.Limits {
	return refunding.Limits{Call: c.WalletTimeout, Interval: c.WalletPoll, Automatic: c.WalletRefundDue == refundAutomatically}
}
