package e2e

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// walletKeyV3 is the key of version 3.
const walletKeyV3 = "cups0and0a0silver0tea0and0kettle"

// merchantKey is the merchant's key of version 3. Made once, because that takes long.
var merchantKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// merchantPair returns the merchant's private key as PEM, and the certificate that the wallet knows it by.
func merchantPair(t *testing.T) (private string, certificate *x509.Certificate) {
	t.Helper()
	key, err := merchantKey()
	require.NoError(t, err)
	template := x509.Certificate{
		SerialNumber: big.NewInt(0x5157F09EFDC096), Subject: pkix.Name{CommonName: "Merchant of the tests"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(365 * 24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, key.Public(), key)
	require.NoError(t, err)
	certificate, err = x509.ParseCertificate(der)
	require.NoError(t, err)
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})), certificate
}
