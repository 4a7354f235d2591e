package wechatpay

import (
	"encoding/base64"
	"encoding/hex"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/secret"
)

// Python's cryptography has made them:
// AESGCM(b"qazwsxedcrfvtgbyhnujmikolp333333").encrypt(b"0123456789ab", b'{"a":1}', b"" or b"transaction")
func TestPAY10_another_program_has_encrypted(t *testing.T) {
	unhex := func(s string) string {
		raw, err := hex.DecodeString(s)
		require.NoError(t, err)
		return string(raw)
	}
	for name, c := range map[string]struct{ key, nonce, associated, sealed, plain string }{
		"without associated data": {keyV3, "0123456789ab", "", unhex("8da639d1d39adde0a4f1cd9188600ad8ad197a92408a37"), `{"a":1}`},
		"with some":               {keyV3, "0123456789ab", "transaction", unhex("8da639d1d39addd981ecb127c24ff9c668979fdab9cf6f"), `{"a":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			plain, err := decryptResource(objectOf(map[string]any{
				"algorithm": resourceAlgorithm, "nonce": c.nonce, "associated_data": c.associated,
				"ciphertext": base64.StdEncoding.EncodeToString([]byte(c.sealed)),
			}), secret.New(c.key))
			require.NoError(t, err)
			assert.Equal(t, c.plain, string(plain))
		})
	}
}

func TestPAY10_resources_that_cannot_be_decrypted(t *testing.T) {
	genuine := sealed(keyV3, `{"a":1}`, "transaction")
	plain, err := decryptResource(objectOf(genuine), secret.New(keyV3))
	require.NoError(t, err)
	require.JSONEq(t, `{"a":1}`, string(plain))
	text := genuine["ciphertext"].(string)
	for name, c := range map[string]struct {
		field string
		value any
		wrong string
	}{
		"another algorithm":       {"algorithm", "AEAD_AES_128_GCM", "AEAD_AES_256_GCM"},
		"a short nonce":           {"nonce", "12345678901", "12 bytes"},
		"another nonce":           {"nonce", "123456789012", "the merchant's key"},
		"no base64":               {"ciphertext", text + "\n", "base64"},
		"without its end":         {"ciphertext", text[:len(text)-4], "the merchant's key"},
		"less than a tag":         {"ciphertext", "AAAA", "the merchant's key"},
		"other associated data":   {"associated_data", "refund", "the merchant's key"},
		"without associated data": {"associated_data", nil, "the merchant's key"},
	} {
		t.Run(name, func(t *testing.T) {
			other := maps.Clone(genuine)
			other[c.field] = c.value
			plain, err := decryptResource(objectOf(other), secret.New(keyV3))
			require.ErrorContains(t, err, c.wrong)
			assert.Empty(t, plain)
			assertDiscreet(t, err)
		})
	}
	_, err = decryptResource(nil, secret.New(keyV3))
	require.Error(t, err)
}

// objectOf returns the object as it is read from JSON.
func objectOf(fields map[string]any) jsonObject { return must(parseObject([]byte(encoded(fields)))) }
