package wechatpayv3

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
	"time"

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

func TestWhat_a_configuration_may_be(t *testing.T) {
	pkcs1, pkcs8, short, elliptical := encodedKeys(t)
	for name, c := range map[string]struct {
		change func(*Config)
		wrong  string
	}{
		"as it is":                  {func(*Config) {}, ""},
		"by certificates":           {byCertificates, ""},
		"http on this machine":      {func(c *Config) { c.URL = "http://127.0.0.1:8/w/" }, ""},
		"only defaults":             {func(c *Config) { c.Deadline, c.Now = 0, nil }, ""},
		"a key as PKCS #1":          {func(c *Config) { c.PrivateKey = secret.New(pkcs1) }, ""},
		"a key as PKCS #8":          {func(c *Config) { c.PrivateKey = secret.New(pkcs8) }, ""},
		"a spare address":           {func(c *Config) { c.SpareURL = SpareURL }, ""},
		"http elsewhere":            {func(c *Config) { c.URL = "http://wallet.example" }, "URL"},
		"no address":                {func(c *Config) { c.URL = "" }, "URL"},
		"a user":                    {func(c *Config) { c.URL = "https://" + testKey + "@wallet.example" }, "URL"},
		"a spare one over http":     {func(c *Config) { c.SpareURL = "http://wallet.example" }, "SpareURL"},
		"no merchant":               {func(c *Config) { c.MerchantID = "" }, "MerchantID"},
		"a merchant with a quote":   {func(c *Config) { c.MerchantID = `1"2` }, "MerchantID"},
		"no key":                    {func(c *Config) { c.Key = secret.String{} }, "Key"},
		"a short key":               {func(c *Config) { c.Key = secret.New(testKey[1:]) }, "Key"},
		"a key with a newline":      {func(c *Config) { c.Key = secret.New(testKey[1:] + "\n") }, "Key"},
		"no private key":            {func(c *Config) { c.PrivateKey = secret.String{} }, "PrivateKey"},
		"a private key of 1,024":    {func(c *Config) { c.PrivateKey = secret.New(short) }, "PrivateKey"},
		"one that is not RSA":       {func(c *Config) { c.PrivateKey = secret.New(elliptical) }, "PrivateKey"},
		"a public one instead":      {func(c *Config) { c.PrivateKey = secret.New(c.PublicKey) }, "PrivateKey"},
		"one that is cut off":       {func(c *Config) { c.PrivateKey = secret.New(pkcs8[:len(pkcs8)/2]) }, "PrivateKey"},
		"no serial number":          {func(c *Config) { c.Serial = "" }, "Serial"},
		"one in small letters":      {func(c *Config) { c.Serial = strings.ToLower(testSerial) }, "Serial"},
		"one with colons":           {func(c *Config) { c.Serial = "1D:DE" }, "Serial"},
		"a public key without id":   {func(c *Config) { c.PublicKeyID = "" }, "PublicKeyID"},
		"an id without public key":  {func(c *Config) { c.PublicKey = "" }, "PublicKey"},
		"an id of a certificate":    {func(c *Config) { c.PublicKeyID = testSerial }, "PublicKeyID"},
		"an id with a space":        {func(c *Config) { c.PublicKeyID = "PUB_KEY_ID_ 1" }, "PublicKeyID"},
		"a private key as public":   {func(c *Config) { c.PublicKey = pkcs8 }, "PublicKey"},
		"a public key that is none": {func(c *Config) { c.PublicKey = testKey }, "PublicKey"},
		"notified over http":        {func(c *Config) { c.NotifyURL = "http://plaza.example/" }, "NotifyURL"},
		"notified with a query":     {func(c *Config) { c.NotifyURL += "?a=1" }, "NotifyURL"},
		"notified far away":         {func(c *Config) { c.NotifyURL += strings.Repeat("a", 255) }, "NotifyURL"},
		"a negative deadline":       {func(c *Config) { c.Deadline = -1 }, "Deadline"},
		"no applications":           {func(c *Config) { c.AppIDs = nil }, "AppIDs"},
		"an unknown one":            {func(c *Config) { c.AppIDs["other"] = "wx1" }, "AppIDs"},
		"one without an id":         {func(c *Config) { c.AppIDs[payment.SvcIOSApp] = "" }, "AppIDs"},
		"two with one id":           {func(c *Config) { c.AppIDs[payment.SvcIOSApp] = official }, "AppIDs"},
	} {
		t.Run(name, func(t *testing.T) {
			config := testConfig(t, "https://wallet.example")
			c.change(&config)
			g, err := New(config)
			if c.wrong == "" {
				require.NoError(t, err)
				return
			}
			assert.Nil(t, g)
			require.ErrorContains(t, err, "wechatpayv3: "+c.wrong+" ")
			assert.NotContains(t, err.Error(), "\n", "only that")
			assertDiscreet(t, err)
		})
	}
	_, err := New(Config{Deadline: -1, PublicKey: "x", SpareURL: "x"})
	for _, field := range []string{
		"URL", "SpareURL", "MerchantID", "Key", "PrivateKey", "Serial", "PublicKey", "PublicKeyID", "NotifyURL", "Deadline", "AppIDs",
	} {
		assert.ErrorContains(t, err, "wechatpayv3: "+field+" ", "all at once")
	}
}

func TestThe_client_is_left_as_it_was(t *testing.T) {
	c := testConfig(t, "https://wallet.example/pay/")
	c.Client = &http.Client{Timeout: time.Second}
	g, err := New(c)
	require.NoError(t, err)
	assert.Nil(t, c.Client.CheckRedirect)
	assert.Equal(t, time.Second, g.transport.client.Timeout)
	assert.Equal(t, []string{"https://wallet.example/pay"}, g.transport.bases)
	c.AppIDs[payment.OfficialAccount] = "wx1"
	assert.Equal(t, official, g.appIDs[payment.OfficialAccount])
}

func TestOur_own_client_knows_no_proxies(t *testing.T) {
	g := newGateway(t, "https://wallet.example")
	transport, is := g.transport.client.Transport.(*http.Transport)
	require.True(t, is)
	assert.Nil(t, transport.Proxy)
	assert.GreaterOrEqual(t, transport.TLSClientConfig.MinVersion, uint16(0x0303))
}
