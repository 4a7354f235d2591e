package wechatpay

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/payment"
	"plaza/domain/secret"
)

func TestWhat_a_configuration_may_be(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*ConfigV2)
		wrong  string
	}{
		"as it is":              {func(*ConfigV2) {}, ""},
		"http on this machine":  {func(c *ConfigV2) { c.URL = "http://127.0.0.1:8/w/" }, ""},
		"by name":               {func(c *ConfigV2) { c.NotifyURL = "http://localhost:8/n/" }, ""},
		"only defaults":         {func(c *ConfigV2) { c.SpbillIP, c.Deadline = "", 0 }, ""},
		"http elsewhere":        {func(c *ConfigV2) { c.URL = "http://wallet.example" }, "URL"},
		"nearly this machine":   {func(c *ConfigV2) { c.URL = "http://127.0.0.1.wallet.example" }, "URL"},
		"a user":                {func(c *ConfigV2) { c.URL = "https://" + keyV2 + "@wallet.example" }, "URL"},
		"a query":               {func(c *ConfigV2) { c.URL = "https://wallet.example?a=1" }, "URL"},
		"an odd merchant":       {func(c *ConfigV2) { c.MerchantID = "1<2" }, "MerchantID"},
		"no key":                {func(c *ConfigV2) { c.Key = secret.String{} }, "Key"},
		"a short key":           {func(c *ConfigV2) { c.Key = secret.New(keyV2[1:]) }, "Key"},
		"notified over http":    {func(c *ConfigV2) { c.NotifyURL = "http://plaza.example/" }, "NotifyURL"},
		"notified with a query": {func(c *ConfigV2) { c.NotifyURL += "?a=1" }, "NotifyURL"},
		"an odd IP":             {func(c *ConfigV2) { c.SpbillIP = "here" }, "SpbillIP"},
		"a negative deadline":   {func(c *ConfigV2) { c.Deadline = -1 }, "Deadline"},
		"no applications":       {func(c *ConfigV2) { c.AppIDs = nil }, "AppIDs"},
		"an unknown one":        {func(c *ConfigV2) { c.AppIDs["other"] = "wx1" }, "AppIDs"},
		"two with one id":       {func(c *ConfigV2) { c.AppIDs[payment.SvcIOSApp] = official }, "AppIDs"},
	} {
		t.Run(name, func(t *testing.T) {
			config := configV2("https://wallet.example")
			c.change(&config)
			g, err := NewV2(config)
			if c.wrong == "" {
				require.NoError(t, err)
				return
			}
			assert.Nil(t, g)
			require.ErrorContains(t, err, "wechatpay: "+c.wrong+" ")
			assert.NotContains(t, err.Error(), "\n", "only that")
			assertDiscreetV2(t, err)
		})
	}
	_, err := NewV2(ConfigV2{Config: Config{Deadline: -1}, SpbillIP: "x"})
	for _, field := range []string{"URL", "MerchantID", "Key", "NotifyURL", "SpbillIP", "Deadline", "AppIDs"} {
		assert.ErrorContains(t, err, "wechatpay: "+field+" ", "all at once")
	}
}

func TestOur_own_client_knows_no_proxies(t *testing.T) {
	g := newV2(t, "https://wallet.example")
	transport, is := g.transport.client.Transport.(*http.Transport)
	require.True(t, is)
	assert.Nil(t, transport.Proxy)
	assert.GreaterOrEqual(t, transport.TLSClientConfig.MinVersion, uint16(0x0303))
}
