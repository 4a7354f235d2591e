package transport

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
)

// uploading returns a call with the body.
func uploading(contentType string, body io.Reader) *Call {
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequest(http.MethodPost, "/", body)
	if contentType != "" {
		c.Request.Header.Set("Content-Type", contentType)
	}
	return &Call{Gin: c, Decoding: NewDecoding()}
}

// part is a field of a form. With a file name it is a file.
type part struct{ field, filename, content string }

func form(t *testing.T, parts ...part) (contentType string, body *bytes.Buffer) {
	t.Helper()
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	for _, p := range parts {
		create := func() (io.Writer, error) { return w.CreateFormField(p.field) }
		if p.filename != "" {
			create = func() (io.Writer, error) { return w.CreateFormFile(p.field, p.filename) }
		}
		into, err := create()
		require.NoError(t, err)
		_, err = io.WriteString(into, p.content)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return w.FormDataContentType(), body
}

// contentOf returns all bytes of the upload.
func contentOf(t *testing.T, u Upload) string {
	t.Helper()
	require.NotNil(t, u.SpillBuffer)
	raw, err := io.ReadAll(io.NewSectionReader(u, 0, u.Size()))
	require.NoError(t, err)
	return string(raw)
}

func TestGEN_11_uploads_are_bounded(t *testing.T) {
	largest := strings.Repeat("x", media.MaxBytes)
	body := `{"img":"` + base64.StdEncoding.EncodeToString([]byte(largest)) + `"}`
	got, err := ReadUpload[pictureBody](uploading("application/json", strings.NewReader(body)))
	require.NoError(t, err)
	assert.EqualValues(t, media.MaxBytes, got.Img.Size())

	got, err = ReadUpload[pictureBody](uploading(form(t, part{"img", "x.png", largest})))
	require.NoError(t, err)
	assert.EqualValues(t, media.MaxBytes, got.Img.Size())

	contentType, tooMuch := form(t, part{"img", "x.png", largest + strings.Repeat("x", MaxBody)})
	for name, c := range map[string]struct {
		contentType string
		body        []byte
		limit       int64
	}{
		"a form": {contentType, tooMuch.Bytes(), maxForm},
		"JSON":   {"application/json", []byte(`{"img":"` + strings.Repeat("x", maxJSON) + `"}`), maxJSON},
	} {
		t.Run(name, func(t *testing.T) {
			sent := uploading(c.contentType, bytes.NewReader(c.body))
			_, err := ReadUpload[pictureBody](sent)
			assert.Equal(t, tooLarge(c.limit), err, "by its own account")

			sent = uploading(c.contentType, bytes.NewReader(c.body))
			sent.Gin.Request.ContentLength = -1
			_, err = ReadUpload[pictureBody](sent)
			assert.Equal(t, tooLarge(c.limit), err, "chunked")
		})
	}
}

// pictureBody is a body with a picture.
type pictureBody struct {
	Img  Upload   `json:"img" validate:"required"`
	Tags []string `json:"tags"`
}
