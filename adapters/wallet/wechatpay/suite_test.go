package wechatpay

import (
	"encoding/base64"
	"maps"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet"
	"plaza/adapters/wallet/sandbox"
	"plaza/domain/payment"
	"plaza/domain/secret"
	"plaza/test/ports"
)

func TestPAY_the_port_of_a_wallet(t *testing.T) {
	ports.Gateway(t, func(t *testing.T) ports.Wallet {
		w, box := openSandbox(t, sandbox.Certificates)
		box.gateway = func(address string, deadline time.Duration) payment.Gateway {
			return sandboxV2(box, address, func(s *wallet.Settings) { s.Deadline = deadline })
		}
		w.Gateway, w.Secrets, w.Forgeries, w.CloseAge = box.gateway, []string{keyV2}, forgeriesV2, payment.CloseAge
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
		box.gateway = func(address string, deadline time.Duration) payment.Gateway {
			return sandboxV3(box, address, func(s *wallet.Settings) {
				s.Deadline = deadline
				if mode == sandbox.PublicKey {
					id, text := box.PublicKey()
					s.PublicKeyID, s.PublicKey = id, secret.New(string(text))
				}
			})
		}
		w.Gateway, w.Secrets = box.gateway, []string{keyV3, strings.Split(merchantPEM(), "\n")[1]}
		w.Forgeries = func(n payment.Notification) []payment.Notification { return forgeriesV3(t, n) }
		return w
	})
}

// sandboxV2 returns a gateway of the sandbox's merchant.
func sandboxV2(box *sandboxed, address string, change func(*wallet.Settings)) *V2 {
	s := settingsV2(address)
	s.NotifyURL = box.merchantURL + "/paid/"
	change(&s)
	g, found := newV2(s)
	require.Empty(box, found)
	return g
}

// sandboxV3 is sandboxV2 for version 3. The gateway fetches the wallet's certificates.
func sandboxV3(box *sandboxed, address string, change func(*wallet.Settings)) *V3 {
	s := settingsV3(address)
	s.MerchantID, s.NotifyURL = merchantV2, box.merchantURL+"/paid/"
	byCertificates(&s)
	change(&s)
	g, found := newV3(s)
	require.Empty(box, found)
	g.setClock(box.Now)
	return g
}

// Each answer differs from a genuine one in its signature alone.
func TestPAY13_answers_that_the_wallet_has_not_signed(t *testing.T) {
	_, box := openSandbox(t, sandbox.Certificates)
	server := httptest.NewServer(box.Server)
	t.Cleanup(server.Close)
	gateways := map[sandbox.Operation]payment.Gateway{
		sandbox.OrderQuery: sandboxV2(box, server.URL, func(*wallet.Settings) {}),
		sandbox.QueryTrade: sandboxV3(box, server.URL, func(*wallet.Settings) {}),
	}
	for trick, why := range map[sandbox.Trick]string{
		sandbox.Forge: "wrong signature", sandbox.Probe: "probe", sandbox.Old: "clock by 5m", sandbox.OtherSerial: errUnknownKey.Error(),
	} {
		for operation, g := range gateways {
			require.NoError(t, box.Misbehave(sandbox.Misbehaviour{On: operation, Do: trick}))
			err := query(t, g)
			assertOnly(t, payment.ErrWalletBadResponse, err)
			if operation == sandbox.QueryTrade {
				require.ErrorContains(t, err, why)
			}
			assertOnly(t, payment.ErrWalletNotFound, query(t, g))
		}
	}
}

// Each gateway differs from the merchant's in one thing.
func TestPAY08_requests_that_are_not_the_merchants(t *testing.T) {
	_, box := openSandbox(t, sandbox.Certificates)
	server := httptest.NewServer(box.Server)
	t.Cleanup(server.Close)
	late := sandboxV3(box, server.URL, func(*wallet.Settings) {})
	late.setClock(func() time.Time { return box.Now().Add(10 * time.Minute) })
	assert.ErrorContains(t, query(t, late), "this server's clock differs from the wallet's by 10m")
	for _, change := range []func(*wallet.Settings){
		func(s *wallet.Settings) { s.PrivateKey = secret.New(privatePEM(testKeys().stranger)) },
		func(s *wallet.Settings) { s.CertSerial = firstCertificate().serial },
		func(s *wallet.Settings) { s.MerchantID = merchantV3 },
	} {
		assertOnly(t, payment.ErrWalletRefused, query(t, sandboxV3(box, server.URL, change)))
	}
	for _, change := range []func(*wallet.Settings){
		func(s *wallet.Settings) { s.Key = secret.New(keyV3) }, func(s *wallet.Settings) { s.MerchantID = merchantV3 },
	} {
		assertOnly(t, payment.ErrWalletRefused, query(t, sandboxV2(box, server.URL, change)))
	}
	assert.Empty(t, box.Trades())
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
