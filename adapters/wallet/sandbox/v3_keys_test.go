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

func TestPAY08_v3_the_certificate_that_signs_is_listed(t *testing.T) {
	s, _ := startV3(t)
	listed := listedKeys(t, s)
	require.Len(t, listed, 1)
	certificate := signs(t, s, "")
	assert.Len(t, certificate, 40)
	assert.Contains(t, listed, certificate)
	id, _ := s.PublicKey()
	assert.Equal(t, id, signs(t, s, id), "both are in use while a merchant moves over")
}

func TestPAY08_v3_the_public_key_signs_if_it_is_chosen(t *testing.T) {
	s, _ := startV3(t, func(c *Config) { c.KeyMode = PublicKey })
	id, text := s.PublicKey()
	assert.Regexp(t, `^PUB_KEY_ID_[0-9]{28}$`, id)
	block, _ := pem.Decode(text)
	key, err := x509.ParsePKIXPublicKey(block.Bytes)
	require.NoError(t, err)
	assert.True(t, s.public().PublicKey.Equal(key))
	again, _ := s.PublicKey()
	assert.Equal(t, id, again)
	assert.Equal(t, id, signs(t, s, ""))
	certificate := s.listed.serial
	assert.Equal(t, certificate, signs(t, s, certificate))
}
