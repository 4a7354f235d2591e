package wechatpay

import (
	"crypto/rsa"
	"encoding/base64"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox"
	"plaza/domain/payment"
	"plaza/domain/secret"
	"plaza/test/ports"
	"plaza/test/walletsandbox"
)

func TestPAY_the_port_of_a_wallet(t *testing.T) {
	ports.Gateway(t, func(t *testing.T) ports.Wallet {
		w, box := openSandbox(t, sandbox.Certificates)
		box.Gateway = func(address string, deadline time.Duration) payment.Gateway {
			s := settingsV2(address)
			s.Deadline, s.NotifyURL = deadline, box.MerchantURL+"/paid/"
			g, found := newV2(s)
			require.Empty(t, found)
			return g
		}
		w.Gateway, w.Secrets, w.Forgeries, w.CloseAge = box.Gateway, []string{keyV2}, forgeriesV2, payment.CloseAge
		return w
	})
}

func TestPAY_the_port_of_a_wallet_that_signs_with_a_public_key(t *testing.T) {
	gatewayV3Suite(t, sandbox.PublicKey)
}

func TestPAY_the_port_of_a_wallet_that_signs_with_certificates(t *testing.T) {
	gatewayV3Suite(t, sandbox.Certificates)
}

func gatewayV3Suite(t *testing.T, mode sandbox.KeyMode) {
	t.Helper()
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	ports.Gateway(t, func(t *testing.T) ports.Wallet {
		w, box := openSandbox(t, mode)
		box.Gateway = func(address string, deadline time.Duration) payment.Gateway {
			s := settingsV3(address)
			s.MerchantID, s.Deadline, s.NotifyURL = merchantV2, deadline, box.MerchantURL+"/paid/"
			byCertificates(&s)
			if mode == sandbox.PublicKey {
				id, text := box.PublicKey()
				s.PublicKeyID, s.PublicKey = id, secret.New(string(text))
			}
			g, found := newV3(s)
			require.Empty(t, found)
			g.setClock(box.Now)
			return g
		}
		w.Gateway, w.Secrets = box.Gateway, []string{keyV3, strings.Split(merchantPEM(), "\n")[1]}
		w.Forgeries = func(n payment.Notification) []payment.Notification { return forgeriesV3(t, n) }
		return w
	})
}

// openSandbox returns the wallet's side of both versions. The caller sets the gateway.
func openSandbox(t *testing.T, mode sandbox.KeyMode) (ports.Wallet, *walletsandbox.Sandbox) {
	t.Helper()
	keys := testKeys()
	s := walletsandbox.Open(t, sandbox.Config{
		MerchantID: merchantV2, Key: secret.New(keyV2), AppIDs: []string{official, service}, MerchantCert: merchantCertificate(),
		V3Key: secret.New(keyV3), Keys: []*rsa.PrivateKey{keys.first, keys.second, keys.published}, KeyMode: mode,
	})
	return ports.Wallet{
		Side: s.Server, Pay: s.Pay, RefundOutcome: s.RefundOutcome, Pass: s.Pass,
		EndTypes: []payment.EndType{payment.Native, payment.App, payment.JSAPI, payment.H5},
	}, s
}

// forgeriesV2 have no signature, an empty one, or one that was made without the key.
func forgeriesV2(n payment.Notification) []payment.Notification {
	signed := regexp.MustCompile(`<sign>.*?</sign>`)
	var all []payment.Notification
	for _, other := range []string{
		"", "<sign></sign>", "<sign><![CDATA[]]></sign>", "<sign>" + strings.Repeat("0", 64) + "</sign>", "<sign>" + strings.Repeat("0", 32) +
			"</sign>",
	} {
		all = append(all, payment.Notification{Body: signed.ReplaceAll(n.Body, []byte(other))})
	}
	return all
}

// forgeriesV3 differ from the notification in one thing that makes it genuine.
func forgeriesV3(t *testing.T, n payment.Notification) []payment.Notification {
	at, err := strconv.ParseInt(n.Header[timestampHeader], 10, 64)
	require.NoError(t, err)
	all := []payment.Notification{{Body: n.Body}}
	for _, other := range [][2]string{
		{timestampHeader, ""}, {nonceHeader, ""}, {signatureHeader, ""}, {serialHeader, ""},
		{timestampHeader, strconv.FormatInt(at-301, 10)}, {timestampHeader, strconv.FormatInt(at+301, 10)},
		{serialHeader, firstCertificate().serial}, {serialHeader, "PUB_KEY_ID_0"}, {serialHeader, testSerial},
		{signatureHeader, "WECHATPAY/SIGNTEST/" + n.Header[signatureHeader]},
		{signatureHeader, base64.StdEncoding.EncodeToString(make([]byte, 256))},
	} {
		header := maps.Clone(n.Header)
		header[other[0]] = other[1]
		all = append(all, payment.Notification{Header: header, Body: n.Body})
	}
	all = append(all, payment.Notification{Header: n.Header, Body: []byte(strings.Replace(string(n.Body), "transaction", "refund", 1))})
	return all
}
