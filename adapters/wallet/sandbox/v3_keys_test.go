package sandbox

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// listedKeys returns the certificates that the wallet lists, by serial number.
func listedKeys(t *testing.T, s *Server) map[string]*x509.Certificate {
	t.Helper()
	status, reply := askV3(t, s, http.MethodGet, "/v3/certificates", "")
	require.Equal(t, http.StatusOK, status)
	listed := map[string]*x509.Certificate{}
	for _, one := range reply["data"].([]any) {
		o := one.(map[string]any)
		block, rest := pem.Decode(opened(t, o["encrypt_certificate"].(map[string]any)))
		require.Empty(t, rest)
		cert, err := x509.ParseCertificate(block.Bytes)
		require.NoError(t, err)
		require.Equal(t, o["serial_no"], fmt.Sprintf("%X", cert.SerialNumber))
		require.Equal(t, o["effective_time"], v3Time(cert.NotBefore))
		require.Equal(t, o["expire_time"], v3Time(cert.NotAfter))
		listed[o["serial_no"].(string)] = cert
	}
	return listed
}

// signs returns the serial number or ID of the key that signs, of an answer to a request that asks
// for the key.
func signs(t *testing.T, s *Server, preferred string) string {
	t.Helper()
	d := drafted(t, s, http.MethodGet, aboutV3+"order-1?mchid=10000100", "")
	d.header.Set("Wechatpay-Serial", preferred)
	w := d.send(t, s)
	require.True(t, isSignedV3(t, s, w.Header(), w.Body.Bytes()))
	return w.Header().Get("Wechatpay-Serial")
}

func TestPAY08_v3_certificates_rotate(t *testing.T) {
	s, _ := startV3(t)
	before := listedKeys(t, s)
	require.Len(t, before, 1)
	first := signs(t, s, "")
	assert.Contains(t, before, first)
	assert.Len(t, first, 40)
	require.NoError(t, s.Rotate())
	both := listedKeys(t, s)
	require.Len(t, both, 2)
	second := signs(t, s, "")
	assert.NotEqual(t, first, second, "the new key signs at once")
	assert.Contains(t, both, second)
	assert.Equal(t, first, signs(t, s, first), "the merchant may still ask for the former one")
	s.Retire()
	after := listedKeys(t, s)
	assert.Len(t, after, 1)
	assert.Contains(t, after, second)
	s.Retire()
	assert.Len(t, listedKeys(t, s), 1, "one remains")
}

func TestPAY08_v3_the_public_key_signs_if_it_is_chosen(t *testing.T) {
	s, _ := startV3(t, func(c *Config) { c.KeyMode = PublicKey })
	id, text := s.PublicKey()
	assert.Regexp(t, `^PUB_KEY_ID_[0-9]{28}$`, id)
	block, _ := pem.Decode(text)
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	require.NoError(t, err)
	assert.True(t, s.keys.public.PublicKey.Equal(key))
	again, _ := s.PublicKey()
	assert.Equal(t, id, again)
	assert.Equal(t, id, signs(t, s, ""))
	certificate := s.keys.listed[0].serial
	assert.Equal(t, certificate, signs(t, s, certificate))
	require.NoError(t, s.SignWith(Certificates))
	assert.Equal(t, certificate, signs(t, s, ""))
	assert.Equal(t, id, signs(t, s, id), "both are in use while a merchant moves over")
	require.Error(t, s.SignWith("else"))
}

func TestThe_keys_over_HTTP(t *testing.T) {
	s, _ := startV3(t)
	change := func(do string) int { return call(s, http.MethodPost, "/sandbox/keys/"+do, "").Code }
	first := signs(t, s, "")
	assert.Equal(t, http.StatusNoContent, change("rotate"))
	assert.NotEqual(t, first, signs(t, s, ""))
	assert.Equal(t, http.StatusNoContent, change("retire"))
	assert.Len(t, listedKeys(t, s), 1)
	assert.Equal(t, http.StatusNoContent, change("public_key"))
	assert.Contains(t, call(s, http.MethodGet, "/sandbox/keys", "").Body.String(), signs(t, s, ""))
	assert.Equal(t, http.StatusNoContent, change("certificate"))
	assert.Equal(t, http.StatusBadRequest, change("else"))
	old := start(t, config(newClock()))
	assert.Equal(t, http.StatusBadRequest, call(old, http.MethodPost, "/sandbox/keys/rotate", "").Code)
}
