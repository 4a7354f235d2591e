package transport

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"strings"
)

// setCommonHeaders sets the headers of every response. A handler may override them.
func setCommonHeaders(h http.Header) {
	h.Set("Cache-Control", "private, no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
}

const requestIDHeader = "X-Request-Id"

// RequestID returns the ID that the caller sent if it is well-formed, else a new one
// (GEN-10).
func RequestID(given string) string {
	isOdd := func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\'' }
	if given == "" || len(given) > 128 || strings.ContainsFunc(given, isOdd) {
		return rand.Text()
	}
	return given
}

// varying are the request headers on which a tagged reply may depend.
const varying = "Authorization, Accept-Encoding, x-language-locale"

// MatchesETag reports whether the If-None-Match header includes the entity tag.
func MatchesETag(header, tag string) bool {
	for candidate := range strings.SplitSeq(header, ",") {
		candidate = strings.TrimSpace(candidate)
		if candidate == "*" || strings.TrimPrefix(candidate, "W/") == tag {
			return true
		}
	}
	return false
}

// entityTag returns the tag of the content with the SHA-256. A strong tag, as this one is,
// differs for each coding.
func entityTag(sum []byte, c coding) string {
	tag := hex.EncodeToString(sum[:16])
	if c != identity {
		tag += "-" + string(c)
	}
	return `"` + tag + `"`
}

// isUnchanged sets the entity tag from the SHA-256 of the content and its coding. If the
// client has that content, in any coding, it answers 304 with the tag that the client has, and
// reports true.
func isUnchanged(w http.ResponseWriter, req *http.Request, sum []byte, c coding, caching string) bool {
	w.Header().Set("ETag", entityTag(sum, c))
	w.Header().Set("Cache-Control", caching)
	known := strings.Join(req.Header.Values("If-None-Match"), ",")
	if known == "" {
		return false
	}
	for _, held := range append([]coding{c}, codings...) {
		if tag := entityTag(sum, held); MatchesETag(known, tag) {
			w.Header().Set("ETag", tag)
			w.WriteHeader(http.StatusNotModified)
			return true
		}
	}
	return false
}
