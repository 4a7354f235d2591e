//go:build soak

package e2e

import (
	"bytes"
	"image"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/versitygw"
)

// TestIMG_08_sizes_in_a_bucket shows that the links of pictures in a bucket take sizes, though the store's own links take nothing.
func TestIMG_08_sizes_in_a_bucket(t *testing.T) {
	endpoint := versitygw.Start(t)
	// Pictures belong to one database, so each server has a folder of its own.
	bucket := func(folder string) string {
		return "s3://" + strings.TrimPrefix(endpoint, "http://") + "/" + versitygw.Bucket + "/" + folder + "?tls=off&region=" + versitygw.Region
	}
	for name, c := range map[string]struct {
		bucket, image, plate string // where the client ends
	}{
		"Plaza serves public pictures": {bucket("own"), "", endpoint},
		"a CDN serves public pictures": {bucket("cdn") + "&public=https://cdn.example", "https://cdn.example", endpoint},
	} {
		t.Run(name, func(t *testing.T) {
			r := serve(t, "--demo", "--data-dir="+t.TempDir(), "--wallet=none", "--sms=none", "--public-url=https://plaza.example",
				"--media-url="+c.bucket, "--media-key-id="+versitygw.KeyID, "--media-secret="+versitygw.Secret)
			caller, key := newCaller(r.url), login(t, r.url)
			defer caller.client.CloseIdleConnections()
			var images struct{ Data []struct{ Img string } }
			read(t, caller, key, "/api/user/user-image/?uid=1", &images)
			require.NotEmpty(t, images.Data)
			var events struct {
				Data []struct{ Plates []struct{ Photo string } }
			}
			read(t, caller, key, "/api/xfile/event/", &events)
			var plate string
			for _, e := range events.Data {
				if len(e.Plates) > 0 {
					plate = e.Plates[0].Photo
				}
			}
			require.NotEmpty(t, plate)
			for address, end := range map[string]string{images.Data[0].Img: c.image, plate: c.plate} {
				whole, sm := r.follows(t, address, "", end), r.follows(t, address, "sm", end)
				if end == "https://cdn.example" {
					assert.NotEqual(t, whole.at, sm.at)
				} else {
					assert.Equal(t, 320, max(sm.extent.X, sm.extent.Y))
				}
			}
		})
	}
}

// shownPicture is a picture as a browser shows it.
type shownPicture struct {
	at     string
	extent image.Point
}

// follows asks for the address in the size, and for the one to which that leads: one that begins
// with end, or none if end is empty. Nothing is asked of the CDN.
func (r *running) follows(t *testing.T, address, size, end string) shownPicture {
	t.Helper()
	u, err := url.Parse(strings.Replace(address, "https://plaza.example", r.url, 1))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(u.String(), r.url), "%s", address)
	query := u.Query()
	if size != "" {
		query.Set("size", size)
	}
	u.RawQuery = query.Encode()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Get(u.String())
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	at := res.Header.Get("Location")
	if end != "" {
		require.Equal(t, http.StatusFound, res.StatusCode, "%s", u)
		assert.Contains(t, res.Header.Get("Cache-Control"), "max-age=")
		assert.True(t, strings.HasPrefix(at, end), "%s", at)
		if end == "https://cdn.example" {
			return shownPicture{at: at}
		}
		res, err = http.Get(at)
		require.NoError(t, err)
		defer func() { _ = res.Body.Close() }()
	}
	require.Equal(t, http.StatusOK, res.StatusCode)
	var content bytes.Buffer
	_, err = content.ReadFrom(res.Body)
	require.NoError(t, err)
	drawn, kind, err := image.DecodeConfig(&content)
	require.NoError(t, err)
	assert.Equal(t, "image/"+kind, res.Header.Get("Content-Type"))
	return shownPicture{at, image.Pt(drawn.Width, drawn.Height)}
}
