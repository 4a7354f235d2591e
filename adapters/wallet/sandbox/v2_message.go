package sandbox

import (
	"bytes"
	"crypto/aes"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

const maxFields = 100

// parse reads a message. It rejects ambiguous XML: duplicates, nesting, attributes, DTDs, comments and second roots.
func parse(body []byte) (fields, error) {
	dec := xml.NewDecoder(bytes.NewReader(body))
	got := fields{}
	depth, roots, name, text := 0, 0, "", ""
	for first := true; ; first = false {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) && roots == 1 {
			return got, nil
		}
		if err != nil {
			return nil, fmt.Errorf("invalid XML: %w", err)
		}
		valid := false // other tokens are comments and directives
		switch tok := token.(type) {
		case xml.ProcInst:
			valid = first && tok.Target == "xml"
		case xml.CharData:
			valid = depth == 2 || len(bytes.TrimSpace(tok)) == 0
			text += string(tok)
		case xml.StartElement:
			name, text = tok.Name.Local, ""
			_, twice := got[name]
			isRoot := depth == 0 && roots == 0 && name == "xml"
			isField := depth == 1 && !twice && len(got) < maxFields
			valid = (isRoot || isField) && tok.Name.Space == "" && len(tok.Attr) == 0
			depth++
		case xml.EndElement:
			valid = true
			if depth--; depth == 0 {
				roots++
			} else {
				got[name] = text
			}
		}
		if !valid {
			return nil, fmt.Errorf("invalid XML: unexpected markup, or a repeated field, before byte %d", dec.InputOffset())
		}
	}
}

// inCDATA escapes text that would end the section or change as a line end.
var inCDATA = strings.NewReplacer("]]>", "]]]]><![CDATA[>", "\r", "]]>&#13;<![CDATA[")

// render returns the fields below the root, sorted by name.
func render(root string, f fields) []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "<%s>\n", root)
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(&out, "<%s><![CDATA[%s]]></%s>\n", name, inCDATA.Replace(f[name]), name)
	}
	fmt.Fprintf(&out, "</%s>\n", root)
	return out.Bytes()
}

// Signature types of the wallet. MD5 is the default.
const md5Sign, hmacSign = "MD5", "HMAC-SHA256"

// sign returns the signature of all fields with a value, except the signature.
func sign(f fields, key, signType string) (string, error) {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if name != "sign" && f[name] != "" {
			text.WriteString(name + "=" + f[name] + "&")
		}
	}
	text.WriteString("key=" + key)
	switch signType {
	case "", md5Sign:
		return fmt.Sprintf("%X", md5.Sum([]byte(text.String()))), nil
	case hmacSign:
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(text.String()))
		return fmt.Sprintf("%X", mac.Sum(nil)), nil
	}
	return "", fmt.Errorf("unknown sign_type %q", signType)
}

// isSigned verifies the signature in constant time.
func isSigned(f fields, key string) bool {
	want, err := sign(f, key, f["sign_type"])
	return err == nil && hmac.Equal([]byte(want), []byte(f["sign"]))
}

// sealV2 encrypts with AES-256 in ECB mode, which the protocol demands, under the MD5 of the key.
func sealV2(text []byte, key string) string {
	sum := md5.Sum([]byte(key))
	block, _ := aes.NewCipher([]byte(hex.EncodeToString(sum[:]))) // of 32 bytes
	padding := aes.BlockSize - len(text)%aes.BlockSize
	text = append(slices.Clone(text), strings.Repeat(string(rune(padding)), padding)...)
	for at := 0; at < len(text); at += aes.BlockSize {
		block.Encrypt(text[at:], text[at:at+aes.BlockSize])
	}
	return base64.StdEncoding.EncodeToString(text)
}
