package httpapi

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

	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/domain/text"
)

// uploading returns a call with the body.
func uploading(contentType string, body io.Reader) *call {
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequest(http.MethodPost, "/", body)
	if contentType != "" {
		c.Request.Header.Set("Content-Type", contentType)
	}
	return &call{gin: c, decoding: newDecoding()}
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
func contentOf(t *testing.T, u upload) string {
	t.Helper()
	require.NotNil(t, u.uploadBuffer)
	raw, err := io.ReadAll(io.NewSectionReader(u, 0, u.Size()))
	require.NoError(t, err)
	return string(raw)
}

func TestPLA_02_uploads_as_JSON(t *testing.T) {
	for body, c := range map[string]struct {
		want  string
		wrong fault.Fields
	}{
		`{"img":"cGl4ZWxz"}`:                              {want: "pixels"},
		`{"img":"data:image/png;base64,cGl4ZWxz"}`:        {want: "pixels"},
		`{"img":"data:;base64,cGl4ZWxz","tags":["lake"]}`: {want: "pixels"},
		`{}`:                               {wrong: fault.Fields{"img": {text.Required}}},
		`{"img":null}`:                     {wrong: fault.Fields{"img": {text.Null}}},
		`{"img":""}`:                       {wrong: fault.Fields{"img": {text.Required}}},
		`{"img":"cGl4","img":null}`:        {wrong: fault.Fields{"img": {text.Null}}},
		`{"img":5}`:                        {wrong: fault.Fields{"img": {notString}}},
		`{"img":"cGl4ZWx"}`:                {wrong: fault.Fields{"img": {errNotBase64.Text}}},
		`{"img":"data:text/plain,pixels"}`: {wrong: fault.Fields{"img": {errNotBase64.Text}}},
		`{"img":"http://x;base64,cGl4"}`:   {wrong: fault.Fields{"img": {errNotBase64.Text}}},
		`{"img":"%","tags":["a",5]}`:       {wrong: fault.Fields{"img": {errNotBase64.Text}, "tags": {notString}}},
		`{"tags":"lake"}`:                  {wrong: fault.Fields{"img": {text.Required}, "tags": {notList}}},
	} {
		got, err := readUpload[imageBody](uploading("application/json", strings.NewReader(body)))
		if c.wrong != nil {
			assert.Equal(t, c.wrong.Err(), err, body)
			continue
		}
		assert.NoError(t, err, body)
		assert.Equal(t, c.want, contentOf(t, got.Img), body)
	}
}

func TestPLA_02_uploads_as_a_form(t *testing.T) {
	image, err := readUpload[imageBody](uploading(form(t, part{"tags", "", "lake"}, part{"img", "lake.png", "pixels"}, part{"tags", "", "mist"})))
	require.NoError(t, err)
	assert.Equal(t, "pixels", contentOf(t, image.Img))
	assert.Equal(t, []string{"lake", "mist"}, image.Tags)

	plate, err := readUpload[plateBody](uploading(form(t, part{"event", "", "4711"}, part{"photo", "lake.png", "pixels"})))
	require.NoError(t, err)
	assert.EqualValues(t, 4711, *plate.Event)

	_, err = readUpload[plateBody](uploading(form(t, part{"event", "", "x"}, part{"photo", "", "cGl4ZWxz"})))
	assert.Equal(t, fault.Fields{"event": {notInteger}, "photo": {notFile}}.Err(), err, "a text is no file")
	_, err = readUpload[plateBody](uploading(form(t, part{"event", "", "4711"}, part{"photo", "", ""})))
	assert.Equal(t, fault.Fields{"photo": {text.Required}}.Err(), err, "browsers send this when no file is chosen")

	_, err = readUpload[plateBody](uploading(form(t, part{"event", "", "\xff"})))
	assert.Equal(t, errNotUTF8, err)
}

func TestGEN_11_uploads_that_are_no_uploads(t *testing.T) {
	for contentType, want := range map[string]error{
		"text/plain":                      errNotUploadType,
		"multipart/mixed; boundary=x":     errNotUploadType,
		"multipart/form-data":             errNotForm,
		"multipart/form-data; boundary=x": errNotForm,
		"application/json":                errNotJSON,
		"":                                errNotJSON,
	} {
		_, err := readUpload[plateBody](uploading(contentType, strings.NewReader("pixels")))
		assert.Equal(t, want, err, contentType)
	}
}

func TestGEN_11_uploads_are_bounded(t *testing.T) {
	largest := strings.Repeat("x", media.MaxBytes)
	body := `{"img":"` + base64.StdEncoding.EncodeToString([]byte(largest)) + `"}`
	got, err := readUpload[imageBody](uploading("application/json", strings.NewReader(body)))
	require.NoError(t, err)
	assert.EqualValues(t, media.MaxBytes, got.Img.Size())

	got, err = readUpload[imageBody](uploading(form(t, part{"img", "x.png", largest})))
	require.NoError(t, err)
	assert.EqualValues(t, media.MaxBytes, got.Img.Size())

	contentType, tooMuch := form(t, part{"img", "x.png", largest + strings.Repeat("x", maxBody)})
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
			_, err := readUpload[imageBody](sent)
			assert.Equal(t, tooLarge(c.limit), err, "by its own account")

			sent = uploading(c.contentType, bytes.NewReader(c.body))
			sent.gin.Request.ContentLength = -1
			_, err = readUpload[imageBody](sent)
			assert.Equal(t, tooLarge(c.limit), err, "chunked")
		})
	}
}
