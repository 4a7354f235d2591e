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

// ErrBadAddress is the fault of an address that was not given out, or is not good
// any more.
var ErrBadAddress = fault.New(fault.Denied, "This address has expired, or never was one.")

// folder is the first part of the keys of an audience, and of the paths of their
// addresses.
func (a Audience) folder() string {
	if a == Viewers {
		return "private"
	}
	return "public"
}

// KeyAt returns the key of the audience's picture with the name. Audiences have
// folders of their own, so whoever looks a name up for one of them can't come
// upon a picture of the other.
func KeyAt(a Audience, name string) Key { return Key(a.folder() + "/" + name) }

// Addresses are where clients find pictures (PLA-04):
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

// NewAddresses returns the addresses under the public address of the server.
func NewAddresses(publicURL string, signing secret.String) Addresses {
	return Addresses{folder: strings.TrimRight(publicURL, "/") + "/media/", signing: signing}
}

// URL returns the address of the picture for the audience. A picture of another
// audience has none: nothing is ever found at what is returned for it.
func (a Addresses) URL(key Key, to Audience, now time.Time) string {
	name := strings.TrimPrefix(string(key), to.folder()+"/")
	path := (&url.URL{Path: to.folder() + "/" + name}).EscapedPath()
	if to != Viewers {
		return a.folder + path
	}
	expires := strconv.FormatInt(now.Truncate(time.Hour).Add(AddressLife).Unix(), 10)
	return a.folder + path + "?expires=" + expires + "&signature=" + a.sign(KeyAt(to, name), expires)
}

// Check returns until when the address is good, when URL has signed the key with
// the expiry, and the expiry has not come yet; else ErrBadAddress, whatever is
// wrong.
func (a Addresses) Check(key Key, expires, signature string, now time.Time) (until time.Time, err error) {
	// The signature comes first, and in constant time: an answer says nothing of
	// how much of a guess was right.
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
