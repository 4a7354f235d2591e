package wechatpay

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"strings"

	"plaza/domain/secret"
)

// resourceAlgorithm is the only algorithm with which the wallet encrypts.
const resourceAlgorithm = "AEAD_AES_256_GCM"

// decryptResource returns the plain text of a resource: a payment, a refund, or a certificate. The tag is the last 16 bytes of
// the ciphertext. The associated data may be empty. Its errors contain no part of the resource.
func decryptResource(resource jsonObject, key secret.String) ([]byte, error) {
	if resource.text("algorithm") != resourceAlgorithm {
		return nil, errors.New("resource is not encrypted with " + resourceAlgorithm)
	}
	sealed, err := decodeBase64(resource.text("ciphertext"))
	if err != nil {
		return nil, errors.New("ciphertext is not base64")
	}
	block, err := aes.NewCipher([]byte(key.Reveal()))
	if err != nil {
		return nil, errors.New("key is not one of AES")
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, errors.New("key is not one of GCM")
	}
	nonce := []byte(resource.text("nonce"))
	if len(nonce) != gcm.NonceSize() {
		return nil, errors.New("nonce does not have 12 bytes")
	}
	plain, err := gcm.Open(nil, nonce, sealed, []byte(resource.text("associated_data")))
	if err != nil {
		return nil, errors.New("resource is not encrypted with the merchant's key")
	}
	return plain, nil
}

// decodeBase64 decodes a text that has only one form: encoding/base64 would pass over newlines.
func decodeBase64(s string) ([]byte, error) {
	if strings.ContainsAny(s, "\r\n") {
		return nil, errors.New("newline in base64")
	}
	return base64.StdEncoding.Strict().DecodeString(s)
}
