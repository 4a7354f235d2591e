package tencent

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"strings"
	"time"

	"plaza/domain/secret"
)

const (
	algorithm   = "TC3-HMAC-SHA256"
	contentType = "application/json; charset=utf-8"
	signedNames = "content-type;host;x-tc-action"
)

// call is a request as version 3 of Tencent's signature sees it.
type call struct {
	service, host, action string
	at                    time.Time
	body                  []byte
}

func (c call) canonicalRequest() string {
	headers := fmt.Sprintf("content-type:%s\nhost:%s\nx-tc-action:%s\n", contentType, c.host, strings.ToLower(c.action))
	return strings.Join([]string{"POST", "/", "", headers, signedNames, hash(c.body)}, "\n")
}

// authorization returns the header of the signed request.
func (c call) authorization(keyID string, key secret.String) string {
	date := c.at.UTC().Format(time.DateOnly)
	scope := date + "/" + c.service + "/tc3_request"
	derived := []byte("TC3" + key.Reveal())
	for part := range strings.SplitSeq(scope, "/") {
		derived = sum(derived, part)
	}
	signature := sum(derived, fmt.Sprintf("%s\n%d\n%s\n%s", algorithm, c.at.Unix(), scope, hash([]byte(c.canonicalRequest()))))
	return fmt.Sprintf("%s Credential=%s/%s, SignedHeaders=%s, Signature=%x", algorithm, keyID, scope, signedNames, signature)
}

func sum(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

func hash(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }
