package wechatpay

import (
	"strings"
	"time"

	"plaza/domain/secret"
)

// ConfigV3 holds the settings of the gateway of version 3.
type ConfigV3 struct {
	Config
	// SpareURL is used for a request if no connection to URL could be opened; empty: there is no
	// other address.
	SpareURL string
	// PrivateKey is the merchant's RSA key as PEM, in PKCS #8 or PKCS #1, with 2,048 bits or more.
	PrivateKey secret.String
	// Serial is the serial number of the merchant's certificate: capital hexadecimal digits.
	Serial string
	// PublicKey and PublicKeyID are the wallet's public key as PEM and its id, PUB_KEY_ID_….
	// Without them the wallet's certificates are fetched. Certificates are also fetched when
	// a message names one, because the wallet uses both while a merchant changes over.
	PublicKey   string
	PublicKeyID string
	// Now returns the time; nil means time.Now.
	Now func() time.Time
}

// publicKeyPrefix begins the ids of the wallet's public keys. Serial numbers of certificates have no
// such prefix.
const publicKeyPrefix = "PUB_KEY_ID_"

// Problems returns all problems of the configuration.
func (c ConfigV3) Problems() []Problem {
	return c.problems(nameV3, func(check checker) {
		_, privateErr := parsePrivateKey(c.PrivateKey)
		_, publicErr := parsePublicKey(c.PublicKey)
		check("SpareURL", c.SpareURL == "" || isAddress(c.SpareURL), addressText)
		check("PrivateKey", privateErr == nil, "must be an unencrypted RSA key as PEM, PKCS #8 or PKCS #1, with 2,048 bits or more")
		check("Serial", isSerial(c.Serial), "must be 1 to 64 hexadecimal digits with capital letters")
		check("PublicKey", publicErr == nil || c.PublicKey == "", "must be an RSA public key as PEM with 2,048 bits or more")
		check("PublicKey", c.PublicKey != "" || c.PublicKeyID == "", "must be set, because PublicKeyID is")
		check("PublicKeyID", c.PublicKey == "" || isPublicKeyID(c.PublicKeyID), "must be "+publicKeyPrefix+" and letters and digits")
		check("NotifyURL", isAddress(c.NotifyURL) && len(c.NotifyURL) <= 255, addressText+" of at most 255 characters")
	})
}

// isSerial reports whether the text may be the serial number of a certificate.
func isSerial(s string) bool { return consists(s, 64, digits+"ABCDEF") }

func isPublicKeyID(s string) bool {
	rest, is := strings.CutPrefix(s, publicKeyPrefix)
	return is && consists(rest, 64, letters+digits)
}
