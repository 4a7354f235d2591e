package text

import (
	"net/url"
	"strings"
)

// addressLimit bounds addresses; browsers and proxies cut longer ones off.
var addressLimit = Limit{Bytes: 2048}

// AddressProblem returns the sentence about an invalid address, or an empty text. A valid
// address is an absolute http or https URL without user information.
func AddressProblem(s string) string {
	if p := addressLimit.RequiredProblem(s); p != "" {
		return p
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.ContainsFunc(s, isInvalidInAddress) {
		return "Enter a full address that begins with http:// or https://."
	}
	return ""
}

// isInvalidInAddress reports whether the character is invalid in an address, although url.Parse may
// accept it.
func isInvalidInAddress(r rune) bool {
	return r <= ' ' || r == '\\' || r == '"' || r == '<' || r == '>' || r == 0x7f || isFormat(r)
}
