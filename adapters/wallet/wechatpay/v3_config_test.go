package wechatpay

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
	"plaza/domain/secret"
)

// encodedKeys are private keys in several forms.
func encodedKeys(t *testing.T) (pkcs1, pkcs8, short, elliptical string) {
	t.Helper()
	text := func(kind string, key any) string {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		require.NoError(t, err)
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	weak, err := rsa.GenerateKey(rand.Reader, 1024)
	require.NoError(t, err)
	curve, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	own := testKeys().stranger
	pkcs1 = string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(own)}))
	return pkcs1, text("PRIVATE KEY", own), text("PRIVATE KEY", weak), text("PRIVATE KEY", curve)
}

func TestWhat_a_configuration_may_be_v3(t *testing.T) {
	pkcs1, pkcs8, short, elliptical := encodedKeys(t)
	for name, c := range map[string]struct {
		change func(*ConfigV3)
		wrong  string
	}{
		"as it is":                 {func(*ConfigV3) {}, ""},
		"by certificates":          {byCertificates, ""},
		"only defaults":            {func(c *ConfigV3) { c.Deadline, c.Now = 0, nil }, ""},
		"a key as PKCS #1":         {func(c *ConfigV3) { c.PrivateKey = secret.New(pkcs1) }, ""},
		"a key as PKCS #8":         {func(c *ConfigV3) { c.PrivateKey = secret.New(pkcs8) }, ""},
		"http elsewhere":           {func(c *ConfigV3) { c.URL = "http://wallet.example" }, "URL"},
		"a user":                   {func(c *ConfigV3) { c.URL = "https://" + keyV3 + "@wallet.example" }, "URL"},
		"a spare one over http":    {func(c *ConfigV3) { c.SpareURL = "http://wallet.example" }, "SpareURL"},
		"a merchant with a quote":  {func(c *ConfigV3) { c.MerchantID = `1"2` }, "MerchantID"},
		"no key":                   {func(c *ConfigV3) { c.Key = secret.String{} }, "Key"},
		"a short key":              {func(c *ConfigV3) { c.Key = secret.New(keyV3[1:]) }, "Key"},
		"no private key":           {func(c *ConfigV3) { c.PrivateKey = secret.String{} }, "PrivateKey"},
		"a private key of 1,024":   {func(c *ConfigV3) { c.PrivateKey = secret.New(short) }, "PrivateKey"},
		"one that is not RSA":      {func(c *ConfigV3) { c.PrivateKey = secret.New(elliptical) }, "PrivateKey"},
		"a public one instead":     {func(c *ConfigV3) { c.PrivateKey = secret.New(c.PublicKey) }, "PrivateKey"},
		"one in small letters":     {func(c *ConfigV3) { c.Serial = strings.ToLower(testSerial) }, "Serial"},
		"a public key without id":  {func(c *ConfigV3) { c.PublicKeyID = "" }, "PublicKeyID"},
		"an id without public key": {func(c *ConfigV3) { c.PublicKey = "" }, "PublicKey"},
		"an id of a certificate":   {func(c *ConfigV3) { c.PublicKeyID = testSerial }, "PublicKeyID"},
		"a private key as public":  {func(c *ConfigV3) { c.PublicKey = pkcs8 }, "PublicKey"},
		"notified over http":       {func(c *ConfigV3) { c.NotifyURL = "http://plaza.example/" }, "NotifyURL"},
		"notified with a query":    {func(c *ConfigV3) { c.NotifyURL += "?a=1" }, "NotifyURL"},
		"a negative deadline":      {func(c *ConfigV3) { c.Deadline = -1 }, "Deadline"},
		"no applications":          {func(c *ConfigV3) { c.AppIDs = nil }, "AppIDs"},
		"an unknown one":           {func(c *ConfigV3) { c.AppIDs["other"] = "wx1" }, "AppIDs"},
		"two with one id":          {func(c *ConfigV3) { c.AppIDs[payment.SvcIOSApp] = official }, "AppIDs"},
	} {
		t.Run(name, func(t *testing.T) {
			config := configV3(t, "https://wallet.example")
			c.change(&config)
			g, err := NewV3(config)
			if c.wrong == "" {
				require.NoError(t, err)
				return
			}
			assert.Nil(t, g)
			require.ErrorContains(t, err, "wechatpayv3: "+c.wrong+" ")
			assert.NotContains(t, err.Error(), "\n", "only that")
			assertDiscreetV3(t, err)
		})
	}
	_, err := NewV3(ConfigV3{Config: Config{Deadline: -1}, PublicKey: "x", SpareURL: "x"})
	for _, field := range []string{
		"URL", "SpareURL", "MerchantID", "Key", "PrivateKey", "Serial", "PublicKey", "PublicKeyID", "NotifyURL", "Deadline", "AppIDs",
	} {
		assert.ErrorContains(t, err, "wechatpayv3: "+field+" ", "all at once")
	}
}

func TestOur_own_client_knows_no_proxies_v3(t *testing.T) {
	g := newV3(t, "https://wallet.example")
	transport, is := g.transport.client.Transport.(*http.Transport)
	require.True(t, is)
	assert.Nil(t, transport.Proxy)
	assert.GreaterOrEqual(t, transport.TLSClientConfig.MinVersion, uint16(0x0303))
}
