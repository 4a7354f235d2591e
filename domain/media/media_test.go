package media_test

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/secret"
)

func TestADM04_a_cover_at_an_address(t *testing.T) {
	const address = "https://example.org/c.jpg"
	got, err := media.CoverAt(address, media.CoverSM, 1, 65_535)
	require.NoError(t, err)
	assert.Equal(t, media.Picture{Path: address, Sizes: []media.Size{{Name: "cover_sm", Width: 1, Height: 65_535, Path: address}}}, got)
	for name, c := range map[string]struct {
		address       string
		width, height int
		wrong         []string
	}{
		"the largest":        {address, 65_535, 65_535, nil},
		"no width":           {address, 0, 1, []string{"width"}},
		"a negative width":   {address, -1, 1, []string{"width"}},
		"too wide":           {address, 65_536, 1, []string{"width"}},
		"no height":          {address, 1, 0, []string{"height"}},
		"a negative height":  {address, 1, -1, []string{"height"}},
		"too high":           {address, 1, 65_536, []string{"height"}},
		"no address":         {"", 1, 1, []string{"url"}},
		"a path":             {"/c.jpg", 1, 1, []string{"url"}},
		"a file":             {"file:///c.jpg", 1, 1, []string{"url"}},
		"everything":         {"c.jpg", 0, 65_536, []string{"url", "width", "height"}},
		"nothing is said":    {"", 0, 0, []string{"url", "width", "height"}},
		"an address to load": {"javascript:alert(1)", 1, 1, []string{"url"}},
	} {
		_, err := media.CoverAt(c.address, media.CoverSM, c.width, c.height)
		wrong := fault.FieldsOf(err)
		assert.Equal(t, len(c.wrong) == 0, err == nil, name)
		assert.Len(t, wrong, len(c.wrong), name)
		for _, field := range c.wrong {
			assert.Len(t, wrong[field], 1, "%s: %s", name, field)
		}
	}
}

func TestPLA04_a_picture_under_a_key_gets_its_address_when_it_is_shown(t *testing.T) {
	asked := 0
	address := func(key media.Key) string {
		asked++
		return fmt.Sprintf("https://plaza.example/%s?%d", key, asked)
	}
	kept := media.CoverOf("public/a", media.DemandCoverMD, 30, 20)
	assert.Equal(t, media.Picture{Key: "public/a", Sizes: []media.Size{{Name: "demand_cover_md", Width: 30, Height: 20, Key: "public/a"}}},
		kept)

	first, second := kept.At(address), kept.At(address)
	assert.NotEqual(t, first.Path, second.Path, "no address is kept")
	for _, shown := range []media.Picture{first, second, second.At(address)} {
		assert.Contains(t, shown.Path, "https://plaza.example/public/a?")
		assert.Contains(t, shown.Sizes[0].Path, "https://plaza.example/public/a?")
		assert.Equal(t, 30, shown.Sizes[0].Width)
		assert.Equal(t, media.Key("public/a"), shown.Key)
	}
	assert.Empty(t, kept.Path)
	assert.Empty(t, kept.Sizes[0].Path, "the stored picture is not changed")
}

func TestPLA04_each_size_has_the_address_of_its_own_key(t *testing.T) {
	address := func(key media.Key) string { return "at " + string(key) }
	got := media.Picture{Key: "l", Sizes: []media.Size{
		{Name: "sm", Width: 1, Height: 2, Key: "s"}, {Name: "md", Width: 3, Height: 4, Path: "elsewhere"}, {Name: "lg", Key: "l"},
	}}.At(address)
	assert.Equal(t, media.Picture{Key: "l", Path: "at l", Sizes: []media.Size{
		{Name: "sm", Width: 1, Height: 2, Key: "s", Path: "at s"}, {Name: "md", Width: 3, Height: 4, Path: "elsewhere"},
		{Name: "lg", Key: "l", Path: "at l"},
	}}, got)
}

func TestPLA04_a_picture_elsewhere_stays_where_it_is(t *testing.T) {
	elsewhere, err := media.CoverAt("https://example.org/c.jpg", media.CoverSM, 30, 20)
	require.NoError(t, err)
	for _, p := range []media.Picture{elsewhere, {}} {
		var got media.Picture
		assert.Zero(t, testing.AllocsPerRun(1000, func() {
			got = p.At(func(media.Key) string { panic("it has no key") })
		}), "nothing is copied")
		assert.Equal(t, p, got)
	}
}

func TestGEN14_all_sizes_of_a_picture_count(t *testing.T) {
	original := media.Upload{Bytes: make([]byte, 100)}
	assert.EqualValues(t, 100, media.Processed{Upload: original}.Size())
	assert.EqualValues(t, 112, media.Processed{Upload: original, Variants: []media.Variant{
		{Upload: media.Upload{Bytes: make([]byte, 5)}}, {Upload: media.Upload{Bytes: make([]byte, 7)}}, {}, // the last is the picture itself
	}}.Size())
}

func TestPLA04_keys_tell_the_audience_and_the_type_and_nothing_else(t *testing.T) {
	for kind, extension := range map[string]string{
		"image/jpeg": `\.jpg`, "image/png": `\.png`, "image/gif": `\.gif`, "image/webp": `\.webp`,
	} {
		for a, folder := range map[media.Audience]string{media.Everyone: "public", media.Viewers: "private"} {
			key, err := media.NewKey(a, kind)
			require.NoError(t, err)
			assert.Regexp(t, "^"+folder+"/[a-z2-7]{26}"+extension+"$", string(key))
			got, isKey := key.Type()
			assert.True(t, isKey)
			assert.Equal(t, kind, got)
			other, err := media.NewKey(a, kind)
			require.NoError(t, err)
			assert.NotEqual(t, key, other)
		}
	}
	for _, kind := range []string{"", "text/html", "image/svg+xml", "IMAGE/PNG", ".png"} {
		key, err := media.NewKey(media.Everyone, kind)
		assert.Error(t, err, kind)
		assert.Empty(t, key)
	}
}

func TestPLA04_what_has_not_the_form_of_a_key_has_no_type(t *testing.T) {
	name := strings.Repeat("a", 26)
	_, isKey := media.Key("public/" + name + ".png").Type()
	require.True(t, isKey)
	for _, key := range []string{
		"", name, name + ".png", "public/" + name, "/public/" + name + ".png", "public//" + name + ".png", "public/" + name + "a.png",
		"public/" + name[1:] + ".png", "public/" + name + ".svg", "public/" + name + ".png\n", "public/" + name + "xpng",
		"Public/" + name + ".png", "public/" + strings.ToUpper(name) + ".png", "others/" + name + ".png", "public/" + name[2:] + "/x.png",
		"public/" + name[2:] + "...png", "public/public/" + name + ".png", "public/" + name + ".png.png", "public/" + name[1:] + "1.png",
	} {
		kind, isKey := media.Key(key).Type()
		assert.False(t, isKey, "%q", key)
		assert.Empty(t, kind)
	}
}

func TestIMG08_the_key_of_a_size_leads_to_its_picture(t *testing.T) {
	name := "private/" + strings.Repeat("a", 26)
	for key, sizes := range map[media.Key][]media.Key{
		media.Key(name + ".jpg"):  {media.Key(name + ".jpg.sm.jpg"), media.Key(name + ".jpg.sm.png")},
		media.Key(name + ".webp"): {media.Key(name + ".webp.sm.png"), media.Key(name + ".webp.sm.jpg")},
	} {
		assert.Equal(t, sizes, key.SizeKeys("sm"))
		assert.False(t, key.IsSize())
		for i, size := range sizes {
			assert.True(t, size.IsSize())
			assert.Equal(t, key, size.Original())
			kind, _ := size.Type()
			assert.Equal(t, kind == "image/jpeg", strings.HasSuffix(string(size), ".jpg"), i)
		}
	}
	for _, strange := range []string{
		name + ".jpg.xl.jpg", name + ".jpg.sm", name + ".jpg.sm.gif", name + ".jpg.sm.jpg.sm.jpg", name + ".jpg..jpg", name + ".sm.jpg",
	} {
		_, isKey := media.Key(strange).Type()
		assert.False(t, isKey, strange)
		assert.False(t, media.Key(strange).IsSize(), strange)
	}
}

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

// removals is a store that remembers which files were removed.
type removals struct {
	media.Store
	removed []media.Key
}

func (r *removals) Remove(ctx context.Context, key media.Key) error {
	r.removed = append(r.removed, key)
	return ctx.Err()
}

func TestAbandon(t *testing.T) {
	away := fault.New(fault.Unavailable, "The data can't be reached right now.")
	for _, c := range []struct {
		cause   error
		removes bool
	}{
		{fault.New(fault.NotFound, "Event not found."), true},
		{errors.New("a constraint"), true},
		{away, false},
		{fmt.Errorf("commit: %w", away), false},
		{context.DeadlineExceeded, false},
		{context.Canceled, false},
	} {
		r := &removals{}
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // a caller that leaves makes no difference
		err := media.Abandon(ctx, r, c.cause, "a.png", "b.png")
		assert.ErrorIs(t, err, c.cause)
		assert.Equal(t, fault.KindOf(c.cause), fault.KindOf(err))
		if !c.removes {
			assert.Empty(t, r.removed, "%v", c.cause)
			continue
		}
		assert.Equal(t, []media.Key{
			"a.png", "a.png.sm.png", "a.png.sm.jpg", "a.png.md.png", "a.png.md.jpg",
			"b.png", "b.png.sm.png", "b.png.sm.jpg", "b.png.md.png", "b.png.md.jpg",
		}, r.removed, "each picture before its sizes: %v", c.cause)
	}
}
