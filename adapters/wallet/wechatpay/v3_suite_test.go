package wechatpay_test

import (
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"maps"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"plaza/adapters/wallet/sandbox"
	"plaza/adapters/wallet/wechatpay"
	"plaza/domain/payment"
	"plaza/domain/secret"
	"plaza/test/ports"
	"plaza/test/walletsandbox"

	"github.com/stretchr/testify/require"
)

func TestPAY_the_port_of_a_wallet_that_signs_with_a_public_key(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	ports.Gateway(t, func(t *testing.T) ports.Wallet { return openWalletV3(t, sandbox.PublicKey) })
}

func TestPAY_the_port_of_a_wallet_that_signs_with_certificates(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	ports.Gateway(t, func(t *testing.T) ports.Wallet { return openWalletV3(t, sandbox.Certificates) })
}

const (
	boxKeyV3  = "qazwsxedcrfvtgbyhnujmikolp444444"
	boxSerial = "2A"
)

func openWalletV3(t *testing.T, mode sandbox.KeyMode) ports.Wallet {
	t.Helper()
	private, err := os.ReadFile("testdata/v3/merchant-key.pem")
	require.NoError(t, err)
	s := walletsandbox.Open(t, sandbox.Config{
		MerchantID: boxMerchant, Key: secret.New(strings.Repeat("2", 32)), AppIDs: []string{boxAccount, boxService},
		MerchantCert: merchantCertificate(t, private), V3Key: secret.New(boxKeyV3), Keys: walletsandbox.Keys()[:3], KeyMode: mode,
	})
	s.Gateway = func(address string, deadline time.Duration) payment.Gateway {
		c := wechatpay.ConfigV3{
			Config: wechatpay.Config{
				URL: address, MerchantID: boxMerchant, Key: secret.New(boxKeyV3), Deadline: deadline, NotifyURL: s.MerchantURL + "/paid/",
				AppIDs: map[payment.WalletApp]string{payment.OfficialAccount: boxAccount, payment.SvcIOSApp: boxService},
			},
			PrivateKey: secret.New(string(private)), Serial: boxSerial, Now: s.Now,
		}
		if mode == sandbox.PublicKey {
			id, text := s.PublicKey()
			c.PublicKeyID, c.PublicKey = id, string(text)
		}
		g, err := wechatpay.NewV3(c)
		require.NoError(t, err)
		return g
	}
	return ports.Wallet{
		Side: s.Server, Gateway: s.Gateway, Pay: s.Pay, RefundOutcome: s.RefundOutcome, Pass: s.Pass,
		Forgeries: func(n payment.Notification) []payment.Notification { return forgeriesV3(t, n) },
		Secrets:   []string{boxKeyV3, strings.Split(string(private), "\n")[1]},
		EndTypes:  []payment.EndType{payment.Native, payment.App, payment.JSAPI, payment.H5},
	}
}

// merchantCertificate is what the merchant has given to the wallet.
func merchantCertificate(t *testing.T, private []byte) *x509.Certificate {
	t.Helper()
	block, _ := pem.Decode(private)
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	require.NoError(t, err)
	serial, _ := new(big.Int).SetString(boxSerial, 16)
	template := x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: boxMerchant}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(5 * 365 * 24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	require.NoError(t, err)
	certificate, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return certificate
}

// forgeries differ from the notification in one thing that makes it genuine.
func forgeriesV3(t *testing.T, n payment.Notification) []payment.Notification {
	all := []payment.Notification{{Body: n.Body}}
	with := func(name, value string) {
		header := maps.Clone(n.Header)
		header[name] = value
		all = append(all, payment.Notification{Header: header, Body: n.Body})
	}
	const timestamp, nonce, signature, serial = "wechatpay-timestamp", "wechatpay-nonce", "wechatpay-signature", "wechatpay-serial"
	for _, name := range []string{timestamp, nonce, signature, serial} {
		with(name, "")
	}
	at, err := strconv.ParseInt(n.Header[timestamp], 10, 64)
	require.NoError(t, err)
	with(timestamp, strconv.FormatInt(at-301, 10))
	with(timestamp, strconv.FormatInt(at+301, 10))
	with(serial, "5157F09EFDC096DE15EBE81A47057A7232F1B8E1")
	with(serial, "PUB_KEY_ID_0")
	with(serial, boxSerial)
	with(signature, "WECHATPAY/SIGNTEST/"+n.Header[signature])
	with(signature, base64.StdEncoding.EncodeToString(make([]byte, 256)))
	all = append(all, payment.Notification{Header: n.Header, Body: []byte(strings.Replace(string(n.Body), "transaction", "refund", 1))})
	return all
}
