package wechatpay

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet"
	"plaza/domain/payment"
	"plaza/domain/secret"
)

// problem is a change of right settings, and the setting that it makes wrong, or "".
type problem struct {
	change func(*wallet.Settings)
	wrong  wallet.Setting
}

func TestPAY08_settings_that_are_right_or_wrong(t *testing.T) {
	assertProblem := func(t *testing.T, d wallet.Description, s wallet.Settings, c problem) {
		t.Helper()
		key := s.Key.Reveal()
		c.change(&s)
		gateways, found := d.Open(s)
		if c.wrong == "" {
			assert.Empty(t, found)
			assert.NotNil(t, gateways.Current)
			return
		}
		require.Len(t, found, 1)
		assert.Equal(t, c.wrong, found[0].Setting)
		assertDiscreet(t, errors.New(found[0].Text))
		assert.NotContains(t, found[0].Text, key)
	}
	all := map[string]problem{
		"as they are":           {func(*wallet.Settings) {}, ""},
		"the default deadline":  {func(s *wallet.Settings) { s.Deadline = 0 }, ""},
		"http on this machine":  {func(s *wallet.Settings) { s.URL = "http://127.0.0.1:8/w/" }, ""},
		"by name":               {func(s *wallet.Settings) { s.NotifyURL = "http://localhost:8/n/" }, ""},
		"http elsewhere":        {func(s *wallet.Settings) { s.URL = "http://wallet.example" }, wallet.URL},
		"nearly this machine":   {func(s *wallet.Settings) { s.URL = "http://127.0.0.1.wallet.example" }, wallet.URL},
		"a user":                {func(s *wallet.Settings) { s.URL = "https://" + s.Key.Reveal() + "@wallet.example" }, wallet.URL},
		"a query":               {func(s *wallet.Settings) { s.URL = "https://wallet.example?a=1" }, wallet.URL},
		"an odd merchant":       {func(s *wallet.Settings) { s.MerchantID = "1<2" }, wallet.MerchantID},
		"one with a quote":      {func(s *wallet.Settings) { s.MerchantID = `1"2` }, wallet.MerchantID},
		"no key":                {func(s *wallet.Settings) { s.Key = secret.String{} }, wallet.Key},
		"a short key":           {func(s *wallet.Settings) { s.Key = secret.New(s.Key.Reveal()[1:]) }, wallet.Key},
		"notified over http":    {func(s *wallet.Settings) { s.NotifyURL = "http://plaza.example/" }, wallet.NotifyURL},
		"notified with a query": {func(s *wallet.Settings) { s.NotifyURL += "?a=1" }, wallet.NotifyURL},
		"notified far away":     {func(s *wallet.Settings) { s.NotifyURL += strings.Repeat("a", 256) }, wallet.NotifyURL},
		"a negative deadline":   {func(s *wallet.Settings) { s.Deadline = -1 }, wallet.Timeout},
		"no applications":       {func(s *wallet.Settings) { s.AppIDs = nil }, wallet.AppIDs},
		"an unknown one":        {func(s *wallet.Settings) { s.AppIDs["other"] = "wx1" }, wallet.AppIDs},
		"two with one id":       {func(s *wallet.Settings) { s.AppIDs[payment.SvcIOSApp] = official }, wallet.AppIDs},
		"no certificate":        {func(s *wallet.Settings) { s.Certificate = secret.New("hunter22") }, wallet.Certificate},
	}
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			assertProblem(t, DescriptionV2, settingsV2("https://wallet.example"), c)
			assertProblem(t, DescriptionV3, settingsV3("https://wallet.example"), c)
		})
	}
	own := testKeys().stranger
	pkcs8, pkcs1 := secret.New(privatePEM(own)), secret.New(pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(own)))
	short := secret.New(privatePEM(must(rsa.GenerateKey(rand.Reader, 1024))))
	elliptical := secret.New(privatePEM(must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))))
	for name, c := range map[string]problem{
		"by certificates":          {byCertificates, ""},
		"a key as PKCS #1":         {func(s *wallet.Settings) { s.PrivateKey = pkcs1 }, ""},
		"a key as PKCS #8":         {func(s *wallet.Settings) { s.PrivateKey = pkcs8 }, ""},
		"no private key":           {func(s *wallet.Settings) { s.PrivateKey = secret.String{} }, wallet.PrivateKey},
		"a private key of 1,024":   {func(s *wallet.Settings) { s.PrivateKey = short }, wallet.PrivateKey},
		"one that is not RSA":      {func(s *wallet.Settings) { s.PrivateKey = elliptical }, wallet.PrivateKey},
		"a public one instead":     {func(s *wallet.Settings) { s.PrivateKey = s.PublicKey }, wallet.PrivateKey},
		"one in small letters":     {func(s *wallet.Settings) { s.CertSerial = strings.ToLower(testSerial) }, wallet.CertSerial},
		"a public key without id":  {func(s *wallet.Settings) { s.PublicKeyID = "" }, wallet.PublicKeyID},
		"an id without public key": {func(s *wallet.Settings) { s.PublicKey = secret.String{} }, wallet.PublicKey},
		"an id of a certificate":   {func(s *wallet.Settings) { s.PublicKeyID = testSerial }, wallet.PublicKeyID},
		"a private key as public":  {func(s *wallet.Settings) { s.PublicKey = pkcs8 }, wallet.PublicKey},
	} {
		t.Run(name, func(t *testing.T) { assertProblem(t, DescriptionV3, settingsV3("https://wallet.example"), c) })
	}
}

func TestPAY08_wrong_settings_are_told_at_once(t *testing.T) {
	both := []wallet.Setting{wallet.URL, wallet.MerchantID, wallet.Key, wallet.NotifyURL, wallet.Timeout, wallet.AppIDs}
	for _, c := range []struct {
		d    wallet.Description
		more []wallet.Setting
	}{{DescriptionV2, nil}, {DescriptionV3, []wallet.Setting{wallet.PrivateKey, wallet.CertSerial, wallet.PublicKey, wallet.PublicKeyID}}} {
		_, found := c.d.Open(wallet.Settings{Deadline: -1, PublicKey: secret.New("x")})
		for _, setting := range append(both, c.more...) {
			assert.True(t, slices.ContainsFunc(found, func(p wallet.Problem) bool { return p.Setting == setting }), setting)
		}
	}
}
