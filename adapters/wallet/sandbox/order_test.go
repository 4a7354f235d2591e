package sandbox

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/wallet/sandbox/ledger"
)

func TestPAY08_a_request_that_is_not_the_merchants_is_refused_unsigned(t *testing.T) {
	s := start(t, config(newClock()))
	good := signedAs(order("order-1"))
	for name, c := range map[string]struct {
		body []byte
		want string
	}{
		"no XML":             {[]byte("{}"), "XML_FORMAT_ERROR"},
		"nothing":            {nil, "XML_FORMAT_ERROR"},
		"too much":           {append(render("xml", good), bytes.Repeat([]byte(" "), maxBody)...), "POST_DATA_EMPTY"},
		"another merchant":   {render("xml", with(good, fields{"mch_id": "1"})), "MCHID_NOT_EXIST"},
		"no signature":       {render("xml", with(good, fields{"sign": "-"})), "SIGNERROR"},
		"another amount":     {render("xml", with(good, fields{"total_fee": "1"})), "SIGNERROR"},
		"the other way":      {render("xml", with(good, fields{"sign_type": "-"})), "SIGNERROR"},
		"a signature in a…z": {render("xml", with(good, fields{"sign": strings.ToLower(good["sign"])})), "SIGNERROR"},
	} {
		w := post(s, "/pay/unifiedorder", c.body)
		reply, err := parse(w.Body.Bytes())
		require.NoError(t, err, name)
		assert.Equal(t, "FAIL", reply["return_code"], name)
		assert.True(t, strings.HasPrefix(reply["return_msg"], c.want), "%s: %s", name, reply["return_msg"])
		assert.Len(t, reply, 2, name)
	}
	w := httptest.NewRecorder()
	s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/pay/unifiedorder", nil))
	assert.Contains(t, w.Body.String(), "REQUIRE_POST_METHOD")
	assert.Empty(t, s.Ledger())
	for _, how := range []string{hmacSign, md5Sign, "-"} {
		reply := ask(t, s, UnifiedOrder, with(order("order"+how), fields{"sign_type": how}))
		assert.Equal(t, "SUCCESS", reply["result_code"], how)
	}
}

func TestPAY09_lifetimes_end_and_are_scaled(t *testing.T) {
	web := fields{"trade_type": "MWEB", "scene_info": "{}", "time_expire": "-"}
	for name, c := range map[string]struct {
		change fields
		scale  int
		life   time.Duration
	}{
		"a code":            {fields{"time_expire": "-"}, 1, 2 * time.Hour},
		"a code, scaled":    {fields{"time_expire": "-"}, 60, 2 * time.Minute},
		"a page":            {web, 0, 5 * time.Minute},
		"a page, scaled":    {web, 60, 5 * time.Second},
		"an order's end":    {fields{"time_expire": "20260102110505"}, 1, time.Minute},
		"it is not scaled":  {fields{"time_expire": "20260102110505"}, 60, time.Minute},
		"but ends no later": {fields{"time_expire": "20260102150405"}, 60, 2 * time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			clk := newClock()
			cfg := config(clk)
			cfg.Scale = c.scale
			s := start(t, cfg)
			for _, no := range []string{"order-1", "order-2"} {
				require.Equal(t, "SUCCESS", ask(t, s, UnifiedOrder, with(order(no), c.change))["result_code"])
			}
			clk.add(c.life - 1)
			_, err := s.Pay("order-1")
			require.NoError(t, err)
			clk.add(1)
			_, err = s.Pay("order-2")
			require.ErrorIs(t, err, ledger.ErrExpired)
			assert.Equal(t, "NOTPAY", ask(t, s, OrderQuery, about("order-2"))["trade_state"])
		})
	}
}
