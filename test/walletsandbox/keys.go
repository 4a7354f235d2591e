package walletsandbox

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"os"
	"sync"
)

// Keys returns four RSA keys of the sandbox's test data, for the tests of a package beside it. Making keys takes long.
var Keys = sync.OnceValue(func() (keys []*rsa.PrivateKey) {
	for _, name := range []string{"wallet-1.pem", "wallet-2.pem", "wallet-3.pem", "merchant.pem"} {
		text, err := os.ReadFile("../sandbox/testdata/v3/" + name)
		if err != nil {
			panic(err)
		}
		block, _ := pem.Decode(text)
		key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			panic(err)
		}
		keys = append(keys, key.(*rsa.PrivateKey))
	}
	return keys
})
