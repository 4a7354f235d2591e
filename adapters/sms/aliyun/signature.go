package aliyun

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"plaza/domain/secret"
)

const algorithm = "ACS3-HMAC-SHA256"

// call is a request without a body, as version 3 of Alibaba's signature sees it.
type call struct {
	host, action, version, date, nonce string
	query                              string // canonical
}

// canonical returns the query in the order of its names, and escaped as RFC 3986 does: a space is %20.
func canonical(query url.Values) string { return strings.ReplaceAll(query.Encode(), "+", "%20") }

// signed returns the headers that are signed.
func (c call) signed() map[string]string {
	return map[string]string{
		"host": c.host, "x-acs-action": c.action, "x-acs-version": c.version, "x-acs-date": c.date,
		"x-acs-signature-nonce": c.nonce, "x-acs-content-sha256": hash(""),
	}
}

// canonicalRequest returns what is signed, and the names of the signed headers.
func (c call) canonicalRequest() (request, names string) {
	headers := c.signed()
	sorted := slices.Sorted(maps.Keys(headers))
	var lines strings.Builder
	for _, name := range sorted {
		lines.WriteString(name + ":" + headers[name] + "\n")
	}
	names = strings.Join(sorted, ";")
	return strings.Join([]string{"POST", "/", c.query, lines.String(), names, hash("")}, "\n"), names
}

// authorization returns the header of the signed request.
func (c call) authorization(keyID string, key secret.String) string {
	request, names := c.canonicalRequest()
	mac := hmac.New(sha256.New, []byte(key.Reveal()))
	mac.Write([]byte(algorithm + "\n" + hash(request)))
	return fmt.Sprintf("%s Credential=%s,SignedHeaders=%s,Signature=%x", algorithm, keyID, names, mac.Sum(nil))
}

func hash(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }
