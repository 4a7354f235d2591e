//go:build soak

package e2e

import (
	"image"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/versitygw"
)

const cdn = "https://cdn.example"

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
		"a CDN serves public pictures": {bucket("cdn") + "&public=" + cdn, cdn, endpoint},
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
			for picture, end := range map[string]string{images.Data[0].Img: c.image, plate: c.plate} {
				address, err := url.Parse(replaced(t, picture, "https://plaza.example", r.url))
				require.NoError(t, err)
				whole, _ := follows(t, address.String())
				query := address.Query()
				query.Set("size", "sm")
				address.RawQuery = query.Encode()
				sm, extent := follows(t, address.String())
				for _, at := range []string{whole, sm} {
					assert.True(t, strings.HasPrefix(at, end) && (at == "") == (end == ""), "%s leads to %s", address, at)
				}
				if end == cdn {
					assert.NotEqual(t, whole, sm)
				} else {
					assert.Equal(t, 320, max(extent.X, extent.Y))
				}
			}
		})
	}
}

// follows asks for the picture, and returns the extent, and the address to which that leads, empty if it is there. Nothing is asked of
// the CDN.
func follows(t *testing.T, picture string) (at string, extent image.Point) {
	t.Helper()
	client := &http.Client{CheckRedirect: func(to *http.Request, _ []*http.Request) error {
		at = to.URL.String()
		assert.Equal(t, http.StatusFound, to.Response.StatusCode)
		assert.Contains(t, to.Response.Header.Get("Cache-Control"), "max-age=")
		if strings.HasPrefix(at, cdn) {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	res, err := client.Get(picture)
	require.NoError(t, err)
	defer res.Body.Close()
	if strings.HasPrefix(at, cdn) {
		return at, extent
	}
	require.Equal(t, http.StatusOK, res.StatusCode)
	drawn, kind, err := image.DecodeConfig(res.Body)
	require.NoError(t, err)
	assert.Equal(t, "image/"+kind, res.Header.Get("Content-Type"))
	return at, image.Pt(drawn.Width, drawn.Height)
}
