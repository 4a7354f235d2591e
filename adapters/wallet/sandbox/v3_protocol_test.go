package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPAY08_v3_a_request_that_is_not_the_merchants_is_refused_unsigned(t *testing.T) {
	s, _ := startV3(t)
	good := func() draft {
		return drafted(t, s, http.MethodPost, "/v3/pay/transactions/native", orderV3("order-1", nil))
	}
	used := good()
	require.Equal(t, http.StatusOK, used.send(t, s).Code)
	for name, change := range map[string]func(*draft){
		"another merchant": func(d *draft) { d.merchant = "1" },
		"another serial":   func(d *draft) { d.serial = "0" + d.serial[:39] },
		"another key":      func(d *draft) { d.key = privateKey(t, "wallet-1.pem") },
		"another body":     func(d *draft) { d.signature = signedDraft(t, *d); d.body += " " },
		"another query":    func(d *draft) { d.signature = signedDraft(t, *d); d.uri += "?x=1" },
		"no base64":        func(d *draft) { d.signature = "!" },
		"an old time":      func(d *draft) { d.at = d.at.Add(-301 * time.Second) },
		"a future time":    func(d *draft) { d.at = d.at.Add(301 * time.Second) },
		"the nonce again":  func(d *draft) { d.nonce = used.nonce },
		"no authorization": func(d *draft) { d.header["Authorization"] = []string{" "} },
		"another scheme":   func(d *draft) { d.header.Set("Authorization", "Bearer x") },
		"a field twice":    func(d *draft) { d.header.Set("Authorization", v3Scheme+` mchid="10000100",mchid="10000100"`) },
		"one more field":   func(d *draft) { d.header.Set("Authorization", v3Scheme+` mchid="10000100",x="y"`) },
		"a field less":     func(d *draft) { d.header.Set("Authorization", v3Scheme+` mchid="10000100"`) },
	} {
		d := good()
		change(&d)
		w := d.send(t, s)
		assert.Equal(t, http.StatusUnauthorized, w.Code, "%s: %s", name, w.Body)
		assert.Contains(t, w.Body.String(), `"code":"SIGN_ERROR"`, name)
		assert.Empty(t, w.Header().Get("Wechatpay-Signature"), name)
	}
	require.Len(t, s.Ledger(), 1)
	assert.Equal(t, 1, s.Ledger()[0].Requests)
	for _, skew := range []time.Duration{-clockSkew, clockSkew} {
		d := good()
		d.at = d.at.Add(skew)
		assert.Equal(t, http.StatusOK, d.send(t, s).Code, skew)
	}
	d := good()
	d.body += strings.Repeat(" ", maxBody)
	assert.Equal(t, http.StatusBadRequest, d.send(t, s).Code)
}

// signedDraft returns the signature of the request as it is.
func signedDraft(t *testing.T, d draft) string {
	return signWith(t, d.key, d.method, d.uri, fmt.Sprint(d.at.Unix()), d.nonce, d.body)
}

func TestPAY08_v3_is_served_with_a_merchants_certificate_only(t *testing.T) {
	s, _ := startV3(t)
	d := drafted(t, s, http.MethodGet, "/v3/certificates", "")
	assert.Equal(t, http.StatusNotFound, d.send(t, start(t, config(newClock()))).Code)
	assert.Equal(t, http.StatusMethodNotAllowed, drafted(t, s, http.MethodPost, "/v3/certificates", "{}").send(t, s).Code)
}

func TestPAY13_v3_answers_that_must_be_refused(t *testing.T) {
	for _, op := range []struct {
		Operation
		method, uri, body string
	}{
		{Prepay, http.MethodPost, "/v3/pay/transactions/native", orderV3("order-1", nil)},
		{QueryTrade, http.MethodGet, aboutV3 + "order-1?mchid=10000100", ""},
		{CloseTrade, http.MethodPost, aboutV3 + "order-1/close", `{"mchid":"10000100"}`}, // 204
		{ListKeys, http.MethodGet, "/v3/certificates", ""},
	} {
		for _, trick := range []Trick{Forge, Probe, Old, OtherSerial} {
			s, _ := startV3(t)
			placedV3(t, s, "order-1")
			require.NoError(t, s.Misbehave(Misbehaviour{On: op.Operation, Do: trick}))
			w := drafted(t, s, op.method, op.uri, op.body).send(t, s)
			assert.Less(t, w.Code, 300)
			h := w.Header()
			at := s.ledger.Now().Unix()
			if trick == Old {
				at -= 301
			}
			assert.Equal(t, fmt.Sprint(at), h.Get("Wechatpay-Timestamp"))
			assert.Equal(t, trick == Old, isSignedV3(t, s, h, w.Body.Bytes()), "%s %s: only its time is wrong", op.Operation, trick)
			assert.Equal(t, trick == Probe, strings.HasPrefix(h.Get("Wechatpay-Signature"), "WECHATPAY/SIGNTEST/"))
			key := s.listed.serial
			assert.Equal(t, trick == OtherSerial, h.Get("Wechatpay-Serial") != key)
			if trick == OtherSerial {
				h.Set("Wechatpay-Serial", key)
				assert.True(t, isSignedV3(t, s, h, w.Body.Bytes()), "only the serial is wrong")
			}
		}
	}
}

// FuzzAuthorization shows that what is accepted has each field once, and nothing else.
func FuzzAuthorization(f *testing.F) {
	for _, seed := range []string{
		`WECHATPAY2-SHA256-RSA2048 mchid="1",nonce_str="2",timestamp="3",serial_no="4",signature="5"`,
		`WECHATPAY2-SHA256-RSA2048 mchid="1",mchid="2"`, `WECHATPAY2-SHA256-RSA2048  mchid=1`, "Bearer x", "", `WECHATPAY2-SHA256-RSA2048 ,,,`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		a, err := parseAuthorization(header)
		if err != nil {
			return
		}
		length := len(v3Scheme)
		for name, value := range a {
			assert.NotEmpty(t, value)
			assert.NotContains(t, value, `"`)
			length += len(name) + len(value) + len(`,=""`) // the first comma is a blank
		}
		assert.Len(t, header, length)
	})
}

// FuzzObject shows that an object is read as encoding/json reads it.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{
		orderV3("order-1", nil), `{"a":[1,{"b":null}],"c":1e400}`, `{"a":"1","a":"2"}`, `{"a":"\ud800"}`, `[`, "{}{}", "\xff",
		`{"a":{"b":"c"},"a/b":"d"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		got := fields{}
		if got.readObject(body, "") != nil {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(body))
		dec.UseNumber()
		var want map[string]any
		require.NoError(t, dec.Decode(&want))
		assert.Equal(t, flattened(want, ""), got)
	})
}

// flattened returns the texts and numbers of an object under their paths.
func flattened(o map[string]any, path string) fields {
	f := fields{}
	for name, value := range o {
		if inner, is := value.(map[string]any); is {
			maps.Copy(f, flattened(inner, path+name+"/"))
		} else {
			f[path+name] = fmt.Sprint(value)
		}
	}
	return f
}
