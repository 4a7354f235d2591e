package e2e

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/jpeg"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type sent struct {
	status     int
	retryAfter string
	after      time.Duration // since the first upload began
}

type uploader struct {
	url, key string
	began    time.Time
}

func (u uploader) send(t *testing.T, method, path, contentType string, body io.Reader) sent {
	a, err := caller{u.url, http.DefaultClient}.request(u.key, method, path, http.Header{"Content-Type": {contentType}}, body)
	if assert.NoError(t, err) && a.status >= 400 {
		assert.Equal(t, http.StatusServiceUnavailable, a.status, a.body)
	}
	return sent{a.status, a.header.Get("Retry-After"), time.Since(u.began)}
}

func (u uploader) sendForm(t *testing.T, method, path, field string, picture []byte) sent {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile(field, "picture")
	if !assert.NoError(t, err) {
		return sent{}
	}
	_, err = part.Write(picture)
	assert.NoError(t, err)
	assert.NoError(t, form.Close())
	return u.send(t, method, path, form.FormDataContentType(), &body)
}

func (u uploader) sendJSON(t *testing.T, method, path, field string, picture []byte) sent {
	body := `{"` + field + `":"` + base64.StdEncoding.EncodeToString(picture) + `"}`
	return u.send(t, method, path, "application/json", strings.NewReader(body))
}

func noisy(t *testing.T, width, height int) []byte {
	t.Helper()
	picture := image.NewYCbCr(image.Rect(0, 0, width, height), image.YCbCrSubsampleRatio420)
	noise := rand.NewChaCha8([32]byte{1})
	for _, plane := range [][]byte{picture.Y, picture.Cb, picture.Cr} {
		_, err := noise.Read(plane)
		require.NoError(t, err)
		for i := range plane { // as much as a camera's file has
			plane[i] = plane[i-i%8]/2 + 64
		}
	}
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, picture, &jpeg.Options{Quality: 80}))
	return b.Bytes()
}
