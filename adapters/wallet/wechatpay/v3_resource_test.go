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

// The cipher's published test case 16, and one without associated data that Python's cryptography has made:
// AESGCM(b"qazwsxedcrfvtgbyhnujmikolp333333").encrypt(b"0123456789ab", b'{"a":1}', b"" or b"transaction")
func TestPAY10_another_program_has_encrypted(t *testing.T) {
	unhex := func(s string) string {
		raw, err := hex.DecodeString(s)
		require.NoError(t, err)
		return string(raw)
	}
	for name, c := range map[string]struct{ key, nonce, associated, sealed, plain string }{
		"published": {
			unhex("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"), unhex("cafebabefacedbaddecaf888"),
			unhex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
			unhex("522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662" +
				"76fc6ece0f4e1768cddf8853bb2d551b"),
			unhex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"),
		},
		"without associated data": {keyV3, "0123456789ab", "", unhex("8da639d1d39adde0a4f1cd9188600ad8ad197a92408a37"), `{"a":1}`},
		"with some":               {keyV3, "0123456789ab", "transaction", unhex("8da639d1d39addd981ecb127c24ff9c668979fdab9cf6f"), `{"a":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			plain, err := decryptResource(jsonObject{
				"algorithm": resourceAlgorithm, "nonce": c.nonce, "associated_data": c.associated,
				"ciphertext": base64.StdEncoding.EncodeToString([]byte(c.sealed)),
			}, secret.New(c.key))
			require.NoError(t, err)
			assert.Equal(t, c.plain, string(plain))
		})
	}
}

func TestPAY10_resources_that_cannot_be_decrypted(t *testing.T) {
	genuine := jsonObject(sealed(keyV3, `{"a":1}`, "transaction"))
	plain, err := decryptResource(genuine, secret.New(keyV3))
	require.NoError(t, err)
	require.JSONEq(t, `{"a":1}`, string(plain))
	text := genuine.text("ciphertext")
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
			plain, err := decryptResource(other, secret.New(keyV3))
			require.ErrorContains(t, err, c.wrong)
			assert.Empty(t, plain)
			assertDiscreet(t, err)
		})
	}
	_, err = decryptResource(nil, secret.New(keyV3))
	require.Error(t, err)
}
