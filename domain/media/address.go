package media

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"strconv"
	"strings"
	"time"

	"plaza/domain/fault"
	"plaza/domain/secret"
)

// ErrBadAddress is the fault of an address that was never issued, or has expired.
var ErrBadAddress = fault.New(fault.Denied, "The link is invalid or has expired.")

// folder returns the first part of the audience's keys and of the paths of its
// addresses.
func (a Audience) folder() string {
	if a == Viewers {
		return "private"
	}
	return "public"
}

// KeyAt returns the key of the audience's picture with the name. Each audience has its
// own folder, so looking up a name for one audience never finds a picture of the other.
func KeyAt(a Audience, name string) Key { return Key(a.folder() + "/" + name) }

// Addresses builds and checks the addresses of pictures (PLA-04):
//
//	{publicURL}/media/public/{name}
//	{publicURL}/media/private/{name}?expires={Unix time}&signature={hex}
//
// The signature is the HMAC-SHA256 of the key and the expiry, so servers that
// share the signing key accept each other's addresses.
type Addresses struct {
	folder  string
	signing secret.String
}

// NewAddresses returns Addresses under the public URL of the server.
func NewAddresses(publicURL string, signing secret.String) Addresses {
	return Addresses{folder: strings.TrimRight(publicURL, "/") + "/media/", signing: signing}
}

// URL returns the address of the picture for the audience. For a picture of another
// audience it returns an address that leads to no picture.
func (a Addresses) URL(key Key, to Audience, now time.Time) string {
	if !strings.HasPrefix(string(key), to.folder()+"/") {
		key = KeyAt(to, string(key))
	}
	path := (&url.URL{Path: string(key)}).EscapedPath()
	if to != Viewers {
		return a.folder + path
	}
	expires := strconv.FormatInt(now.Truncate(time.Hour).Add(AddressLife).Unix(), 10)
	return a.folder + path + "?expires=" + expires + "&signature=" + a.sign(key, expires)
}

// Of returns the address of the picture for the audience whose folder it is in.
func (a Addresses) Of(key Key, now time.Time) string {
	if strings.HasPrefix(string(key), Viewers.folder()+"/") {
		return a.URL(key, Viewers, now)
	}
	return a.URL(key, Everyone, now)
}

// KeyAt returns the key of the picture that the address leads to, also if the address has a size or has expired. It reports whether
// the text is an address of a picture.
func (a Addresses) KeyAt(address string) (Key, bool) {
	u, err := url.Parse(address)
	if err != nil {
		return "", false
	}
	_, at, is := strings.Cut(u.Path, "/media/")
	for _, audience := range []Audience{Everyone, Viewers} {
		if name, isIn := strings.CutPrefix(at, audience.folder()+"/"); is && isIn && name != "" {
			return KeyAt(audience, name), true
		}
	}
	return "", false
}

// Check returns the expiry of an address if URL signed the key with the expiry and it
// has not passed. Otherwise it returns ErrBadAddress without a more specific reason.
func (a Addresses) Check(key Key, expires, signature string, now time.Time) (until time.Time, err error) {
	// The signature is checked first and in constant time, so that a response does not
	// reveal how much of a guess was right.
	if !hmac.Equal([]byte(a.sign(key, expires)), []byte(signature)) {
		return time.Time{}, ErrBadAddress
	}
	unix, err := strconv.ParseInt(expires, 10, 64)
	if until = time.Unix(unix, 0).UTC(); err != nil || !now.Before(until) {
		return time.Time{}, ErrBadAddress
	}
	return until, nil
}

func (a Addresses) sign(key Key, expires string) string {
	h := hmac.New(sha256.New, []byte(a.signing.Reveal()))
	h.Write([]byte(string(key) + "\n" + expires))
	return hex.EncodeToString(h.Sum(nil))
}
