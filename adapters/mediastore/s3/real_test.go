//go:build soak

package s3_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/media"
	"plaza/test/versitygw"
)

func init() {
	servers["versitygw"] = func(t *testing.T) string { return versitygw.Start(t) }
}

func TestPLA04_a_real_store_refuses_what_was_not_signed(t *testing.T) {
	s, now := open(t, versitygw.Start(t)), time.Now()
	key, other := put(t, s, media.Viewers), put(t, s, media.Viewers)
	address := s.URL(key, media.Viewers, now)
	answer, body := fetch(t, http.MethodGet, s.URL(key, media.Viewers, now.Add(-59*time.Minute)))
	assert.Equal(t, http.StatusOK, answer.StatusCode, "one of an hour ago: %s", body)
	for name, spoilt := range map[string]string{
		"expired":       s.URL(key, media.Viewers, now.Add(-media.AddressLife)),
		"a longer life": strings.Replace(address, "X-Amz-Expires=7200", "X-Amz-Expires=9999", 1),
		"another type":  strings.Replace(address, "image%2Fpng", "text%2Fhtml", 1),
		"no signature":  address[:strings.Index(address, "&X-Amz-Signature")],
		"no query":      address[:strings.Index(address, "?")],
		"other letters": address[:len(address)-4] + strings.Map(func(r rune) rune { return '0' + (r+1)%8 }, address[len(address)-4:]),
	} {
		answer, body = fetch(t, http.MethodGet, spoilt)
		assert.GreaterOrEqual(t, answer.StatusCode, 400, name)
		assert.NotContains(t, body, string(photo.Bytes), name)
	}
	answer, _ = fetch(t, http.MethodGet, strings.Replace(address, string(key), string(other), 1))
	assert.Equal(t, http.StatusForbidden, answer.StatusCode, "an address is for one picture")
	for _, method := range []string{http.MethodDelete, http.MethodPut} {
		answer, _ = fetch(t, method, address)
		assert.GreaterOrEqual(t, answer.StatusCode, 400, method)
	}
	answer, _ = fetch(t, http.MethodGet, address)
	assert.Equal(t, http.StatusOK, answer.StatusCode)
}
