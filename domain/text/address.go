package text

import (
	"net/url"
	"strings"
)

// addressLimit bounds addresses; browsers and proxies cut longer ones off.
var addressLimit = Limit{Bytes: 2048}

// AddressProblem is the sentence that says what is wrong with an address that clients
// are to follow: it must be whole, of http or https, and name nobody who logs in. Empty
// when nothing is.
func AddressProblem(s string) string {
	if p := addressLimit.RequiredProblem(s); p != "" {
		return p
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || strings.ContainsFunc(s, isOdd) {
		return "Enter a whole address that begins with http:// or https://."
	}
	return ""
}

// isOdd knows what no address has, whatever parsers let through.
func isOdd(r rune) bool {
	return r <= ' ' || r == '\\' || r == '"' || r == '<' || r == '>' || r == 0x7f || invisible(r)
}
