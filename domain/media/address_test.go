package media_test

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/media"
	"plaza/domain/secret"
)

var (
	noon      = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	addresses = media.NewAddresses("https://plaza.example/base/", secret.New("a key for signing"))
)

func TestPLA04_addresses_for_everyone(t *testing.T) {
	key := media.KeyAt(media.Everyone, "ab/c.jpg")
	assert.Equal(t, media.Key("public/ab/c.jpg"), key)
	for _, now := range []time.Time{{}, noon, noon.AddDate(50, 0, 0)} {
		assert.Equal(t, "https://plaza.example/base/media/public/ab/c.jpg", addresses.URL(key, media.Everyone, now))
	}
	assert.Equal(t, "https://plaza.example/media/public/a%3Fb%20%25", media.NewAddresses("https://plaza.example", secret.String{}).
		URL("public/a?b %", media.Everyone, noon))
}

// signed parses a signed address.
func signed(t require.TestingT, address string) (key media.Key, expires, signature string) {
	u, err := url.Parse(address)
	require.NoError(t, err)
	name, found := strings.CutPrefix(u.Path, "/base/media/private/")
	require.True(t, found, address)
	require.Len(t, u.Query(), 2)
	return media.KeyAt(media.Viewers, name), u.Query().Get("expires"), u.Query().Get("signature")
}

// check returns the error of Check, or an error if Check returns another expiry than the
// address has.
func check(a media.Addresses, key media.Key, expires, signature string, now time.Time) error {
	until, err := a.Check(key, expires, signature, now)
	if err == nil && strconv.FormatInt(until.Unix(), 10) != expires {
		return fmt.Errorf("it expires at %s, not until %v", expires, until)
	}
	return err
}

// OpenSSL computed the expected signature.
func TestPLA04_the_signature_is_an_HMAC_of_the_key_and_the_expiry(t *testing.T) {
	address := addresses.URL("private/ab/c.jpg", media.Viewers, noon)
	_, expires, signature := signed(t, address)
	assert.Equal(t, "1773496800", expires)
	assert.Equal(t, "f54e195d4680250f68186cdceeed9bdea4d32445543fc68e414a1810b52c72a3", signature)
	assert.Equal(t, "https://plaza.example/base/media/private/ab/c.jpg?expires="+expires+"&signature="+signature, address)
}

func TestPLA04_a_signed_address_is_good_for_one_to_two_hours(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := noon.Add(time.Duration(rapid.Int64Range(0, int64(1000*time.Hour)).Draw(t, "now")))
		key := media.KeyAt(media.Viewers, rapid.StringMatching(`[a-z2-7]{2}/[a-z2-7 %?&=+]{1,26}\.png`).Draw(t, "name"))
		got, expires, signature := signed(t, addresses.URL(key, media.Viewers, now))
		require.Equal(t, key, got)
		for _, later := range []time.Duration{0, time.Minute, media.AddressLife/2 - 1} {
			require.NoError(t, check(addresses, key, expires, signature, now.Add(later)))
		}
		require.Same(t, media.ErrBadAddress, check(addresses, key, expires, signature, now.Add(media.AddressLife)))

		within := now.Truncate(time.Hour).Add(time.Duration(rapid.Int64Range(0, int64(time.Hour)-1).Draw(t, "within")))
		require.Equal(t, addresses.URL(key, media.Viewers, now), addresses.URL(key, media.Viewers, within))
	})
}

func TestPLA04_the_expiry_is_the_first_instant_that_is_too_late(t *testing.T) {
	key, expires, signature := signed(t, addresses.URL("private/ab/c.jpg", media.Viewers, noon.Add(30*time.Minute)))
	assert.NoError(t, check(addresses, key, expires, signature, noon.Add(media.AddressLife-time.Nanosecond)))
	assert.Same(t, media.ErrBadAddress, check(addresses, key, expires, signature, noon.Add(media.AddressLife)))
}

func TestPLA04_whatever_is_changed_spoils_an_address(t *testing.T) {
	key, expires, signature := signed(t, addresses.URL("private/ab/c.jpg", media.Viewers, noon))
	require.NoError(t, check(addresses, key, expires, signature, noon))
	for name, c := range map[string]struct {
		key                media.Key
		expires, signature string
	}{
		"another key":            {"private/ab/d.jpg", expires, signature},
		"the public key":         {"public/ab/c.jpg", expires, signature},
		"no key":                 {"", expires, signature},
		"a later expiry":         {key, "1773500400", signature},
		"the expiry, otherwise":  {key, "+" + expires, signature},
		"the expiry with a zero": {key, "0" + expires, signature},
		"no expiry":              {key, "", signature},
		"part of the expiry":     {key + "\n" + "17", expires[2:], signature},
		"no signature":           {key, expires, ""},
		"part of it":             {key, expires, signature[:63]},
		"more than it":           {key, expires, signature + "0"},
		"in capitals":            {key, expires, strings.ToUpper(signature)},
		"another signature":      {key, expires, strings.Repeat("0", 64)},
	} {
		assert.Same(t, media.ErrBadAddress, check(addresses, c.key, c.expires, c.signature, noon), name)
	}
	other := media.NewAddresses("https://plaza.example/base/", secret.New("another key"))
	assert.Same(t, media.ErrBadAddress, check(other, key, expires, signature, noon))
	same := media.NewAddresses("https://elsewhere.example", secret.New("a key for signing"))
	assert.NoError(t, check(same, key, expires, signature, noon), "servers share the key")
}

// A request for the address of a picture for the wrong audience must not publish the
// picture.
func TestPLA04_a_picture_for_viewers_has_no_public_address(t *testing.T) {
	private := media.KeyAt(media.Viewers, "ab/c.jpg")
	address := addresses.URL(private, media.Everyone, noon)
	name, found := strings.CutPrefix(address, "https://plaza.example/base/media/public/")
	require.True(t, found)
	assert.NotEqual(t, private, media.KeyAt(media.Everyone, name))
	assert.NotEqual(t, media.KeyAt(media.Everyone, "ab/c.jpg"), media.KeyAt(media.Viewers, "ab/c.jpg"))

	key, expires, signature := signed(t, addresses.URL("public/ab/c.jpg", media.Viewers, noon))
	assert.NoError(t, check(addresses, key, expires, signature, noon))
	assert.NotEqual(t, media.Key("private/ab/c.jpg"), key)
}

// FuzzCheck checks any address. Only the issued one is good.
func FuzzCheck(f *testing.F) {
	issued, expires, signature := signed(f, addresses.URL("private/ab/c.jpg", media.Viewers, noon))
	for _, key := range []media.Key{issued, issued + "\n", "private/ab/c.jpg\n17", "public/ab/c.jpg", "private/ab/C.jpg", ""} {
		for _, until := range []string{expires, "+" + expires, "0" + expires, expires + "0", expires[2:], " " + expires, ""} {
			f.Add(string(key), until, signature)
		}
	}
	for _, s := range []string{"", "00", signature[:63], signature + "0", strings.ToUpper(signature), signature[:62] + "00", "\x00" +
		signature} {
		f.Add(string(issued), expires, s)
	}
	f.Fuzz(func(t *testing.T, key, until, s string) {
		err := check(addresses, media.Key(key), until, s, noon)
		if media.Key(key) == issued && until == expires && s == signature {
			require.NoError(t, err)
			return
		}
		require.Same(t, media.ErrBadAddress, err)
	})
}
