package wechatpay

import (
	"context"
	"encoding/base64"
	"maps"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/secret"
)

// found finds the key of the first certificate and no other.
func found(_ context.Context, serial string) (platformKey, error) {
	if c := firstCertificate(); serial == c.serial {
		return platformKey{rsa: &c.key.PublicKey}, nil
	}
	return platformKey{}, errUnknownKey
}

func TestPAY10_another_program_has_signed(t *testing.T) {
	text, err := os.ReadFile("testdata/v3/wallet-public-key.pem")
	require.NoError(t, err)
	key := parsePublicKey(secret.New(string(text)))
	for file, body := range map[string]string{"answer": `{"code_url":"weixin://wxpay/bizpayurl?pr=1"}`, "answer-empty": ""} {
		signature, err := os.ReadFile("testdata/v3/" + file + ".txt")
		require.NoError(t, err)
		m := signedMessage{body: []byte(body), header: map[string]string{
			timestampHeader: "1795176000", nonceHeader: "n-1", serialHeader: keyID, signatureHeader: string(signature),
		}}
		find := func(context.Context, string) (platformKey, error) { return platformKey{rsa: key}, nil }
		_, err = verify(t.Context(), m, noon, find)
		require.NoError(t, err, file)
		m.body = append(m.body, ' ')
		_, err = verify(t.Context(), m, noon, find)
		require.Error(t, err, file)
	}
}

// Each case differs from a genuine message in one thing.
func TestPAY10_what_makes_a_message_genuine(t *testing.T) {
	const body = `{"a":1}`
	c := firstCertificate()
	genuine := signedHeader(c.key, c.serial, noon, body)
	signature := genuine[signatureHeader]
	at := func(when time.Time) map[string]string { return signedHeader(c.key, c.serial, when, body) }
	with := func(name, value string) map[string]string {
		other := maps.Clone(genuine)
		other[name] = value
		return other
	}
	// signedAt is validly signed over the text of a time.
	signedAt := func(timestamp string) map[string]string {
		s, err := signer{key: c.key}.sign(timestamp, "n-1", body)
		require.NoError(t, err)
		other := with(timestampHeader, timestamp)
		other[signatureHeader] = s
		return other
	}
	seconds := strconv.FormatInt(noon.Unix(), 10)
	raw, err := base64.StdEncoding.DecodeString(signature)
	require.NoError(t, err)
	raw[0] ^= 1
	for name, c := range map[string]struct {
		header map[string]string
		body   string
		wrong  string
	}{
		"genuine":                     {genuine, body, ""},
		"300 s old":                   {at(noon.Add(-300 * time.Second)), body, ""},
		"300 s ahead":                 {at(noon.Add(300 * time.Second)), body, ""},
		"301 s old":                   {at(noon.Add(-301 * time.Second)), body, "clock by 5m1s: check the clock"},
		"301 s ahead":                 {at(noon.Add(301 * time.Second)), body, "clock by 5m1s: check the clock"},
		"another body":                {genuine, body + " ", "wrong signature"},
		"no headers":                  {nil, body, "missing or oversized"},
		"without timestamp":           {with(timestampHeader, ""), body, "header wechatpay-timestamp"},
		"without signature":           {with(signatureHeader, ""), body, "header wechatpay-signature"},
		"a huge nonce":                {with(nonceHeader, strings.Repeat("n", 1025)), body, "header wechatpay-nonce"},
		"another nonce":               {with(nonceHeader, "n-2"), body, "wrong signature"},
		"another serial":              {with(serialHeader, secondCertificate().serial), body, errUnknownKey.Error()},
		"a stranger":                  {signedHeader(testKeys().stranger, c.serial, noon, body), body, "wrong signature"},
		"a probe":                     {with(signatureHeader, "WECHATPAY/SIGNTEST/"+signature[19:]), body, "probe"},
		"another signature":           {with(signatureHeader, base64.StdEncoding.EncodeToString(raw)), body, "wrong signature"},
		"no base64":                   {with(signatureHeader, "!"+signature[1:]), body, "not base64"},
		"base64 with more bits":       {with(signatureHeader, strings.TrimRight(signature, "AQgw=")+"x=="), body, "not base64"},
		"a time with a sign":          {signedAt("+" + seconds), body, "not a number of seconds"},
		"a time before 1970":          {signedAt("-1"), body, "not a number of seconds"},
		"a time with 0s before it":    {signedAt("00" + seconds), body, ""},
		"lines moved to another part": {with(nonceHeader, "n-1\n"+body), "", "wrong signature"},
	} {
		t.Run(name, func(t *testing.T) {
			key, err := verify(t.Context(), signedMessage{header: c.header, body: []byte(c.body)}, noon, found)
			if c.wrong == "" {
				require.NoError(t, err)
				assert.NotNil(t, key.rsa)
				return
			}
			require.ErrorContains(t, err, c.wrong)
			assert.Zero(t, key)
			assert.NotContains(t, err.Error(), signature)
		})
	}
}

func TestPAY10_a_header_that_came_twice_does_not_count(t *testing.T) {
	m := newMessage(map[string][]string{
		"Wechatpay-Serial": {"1", "2"}, "Wechatpay-Nonce": {"n", "n"}, "Wechatpay-Timestamp": {"1"}, "Wechatpay-Signature": {}, "Other": {"x"},
	}, nil)
	assert.Equal(t, map[string]string{timestampHeader: "1"}, m.header)
	assert.False(t, m.isUnsigned())
	assert.True(t, newMessage(nil, nil).isUnsigned())
}
