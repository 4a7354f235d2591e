package transport

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/jsonfields"
	"plaza/application/admission"
	"plaza/domain/fault"
	"plaza/domain/media"
)

func uploading(contentType string, body io.Reader) *Call {
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequest(http.MethodPost, "/", body)
	if contentType != "" {
		c.Request.Header.Set("Content-Type", contentType)
	}
	return &Call{Gin: c, Decoding: NewDecoding()}
}

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

func contentOf(t *testing.T, u Upload) string {
	t.Helper()
	require.NotNil(t, u.SpillBuffer)
	raw, err := io.ReadAll(io.NewSectionReader(u, 0, u.Size()))
	require.NoError(t, err)
	return string(raw)
}

type pictureBody struct {
	Img  Upload   `json:"img" validate:"required"`
	Tags []string `json:"tags"`
}

func noise(n int) []byte {
	raw := make([]byte, n)
	chacha := rand.NewChaCha8([32]byte{7})
	_, _ = chacha.Read(raw)
	return raw
}

func TestPLA_02_a_large_picture_as_JSON(t *testing.T) {
	raw := noise(60_000)
	plain := base64.StdEncoding.EncodeToString(raw)
	var lines strings.Builder
	for line := plain; line != ""; line = line[min(76, len(line)):] {
		lines.WriteString(line[:min(76, len(line))] + `\r\n`)
	}
	for name, body := range map[string]string{
		"a data URI":      `{"img":"data:image/png;base64,` + plain + `","tags":["lake"]}`,
		"white space":     `{ "tags" : [ "lake" ] , "img" : "  ` + plain + ` \t " }`,
		"in lines":        `{"img":"` + lines.String() + `","tags":["lake"]}`,
		"escaped slashes": `{"img":"` + strings.ReplaceAll(plain, "/", `\/`) + `","tags":["lake"]}`,
		"escaped units":   `{"im\u0067":"` + strings.ReplaceAll(plain, "A", `\u0041`) + `","tags":["lake"]}`,
		"twice":           `{"img":"` + strings.Repeat("x", 100_000) + `","tags":["lake"],"img":"` + plain + `"}`,
		"nested":          `{"other":{"img":"` + plain + `"},"tags":["lake"],"img":"` + plain + `"}`,
	} {
		got, err := ReadUpload[pictureBody](uploading("application/json", iotest.OneByteReader(strings.NewReader(body))))
		require.NoError(t, err, name)
		assert.True(t, string(raw) == contentOf(t, got.Img), name)
		assert.Equal(t, []string{"lake"}, got.Tags)
	}
}

func TestPLA_02_large_texts_that_are_no_picture(t *testing.T) {
	long := strings.Repeat("x", 100_001)
	notBase64 := fault.Fields{"img": {errNotBase64.Text}}
	for name, c := range map[string]struct {
		body string
		want error
	}{
		"no base64":            {`{"img":"` + long + `"}`, notBase64.Err()},
		"another URI":          {`{"img":"data:text/plain,` + long + `"}`, notBase64.Err()},
		"a quote":              {`{"img":"` + strings.Repeat("A", 40_000) + `\"AAA"}`, notBase64.Err()},
		"no end":               {`{"img":"` + long, ErrNotJSON},
		"an escape of nothing": {`{"img":"` + long + `\x"}`, ErrNotJSON},
		"a raw line end":       {`{"img":"` + long + "\n" + `"}`, ErrNotJSON},
		"broken UTF-8":         {`{"img":"` + strings.Repeat("A", 100_000) + "\xff" + `"}`, ErrNotUTF8},
		"a list of it":         {`{"img":["` + long + `"]}`, fault.Fields{"img": {jsonfields.NotString}}.Err()},
	} {
		_, err := ReadUpload[pictureBody](uploading("application/json", strings.NewReader(c.body)))
		assert.Equal(t, c.want, err, name)
	}
}

func TestGEN_11_what_is_no_picture_is_bounded_by_itself(t *testing.T) {
	names := `{"` + strings.Repeat("x", MaxBody) + `":1}`
	items := `{"tags":["` + strings.Repeat("x", MaxBody) + `"]}`
	numbers := `{"tags":[` + strings.Repeat("1,", MaxBody/2) + `1]}`
	repeated := `{` + strings.Repeat(`"img":"AAAA",`, MaxBody/13+1) + `"img":"cGl4"}`
	unknown := `{"img":"cGl4","other":"` + strings.Repeat("x", MaxBody) + `"}`
	for _, body := range []string{names, items, numbers, repeated, unknown} {
		_, err := ReadUpload[pictureBody](uploading("application/json", strings.NewReader(body)))
		assert.Equal(t, tooLarge(MaxBody), err)
	}
	form, body := form(t, part{"tags", "", strings.Repeat("x", MaxBody)}, part{"tags", "", "x"})
	_, err := ReadUpload[pictureBody](uploading(form, body))
	assert.Equal(t, tooLarge(MaxBody), err)
}

// gatedBody is a body whose decoding stops at the gate.
type gatedBody struct {
	Img  Upload `json:"img" validate:"required"`
	Gate *gated `json:"gate"`
}

type gated struct{}

// gate opens for one body after the other.
var gate struct {
	waiting atomic.Int64
	open    chan struct{}
}

func (*gated) UnmarshalText([]byte) error {
	gate.waiting.Add(1)
	<-gate.open
	gate.waiting.Add(-1)
	return nil
}

func TestPLA_03_the_bodies_that_are_decoded_at_once_are_bounded(t *testing.T) {
	const uploads, most = 8, 3
	body := `{"gate":"x","img":"` + base64.StdEncoding.EncodeToString(noise(maxHeld)) + `"}`
	synctest.Test(t, func(t *testing.T) {
		gate.open = make(chan struct{})
		decoding := admission.New(admission.Limits{Capacity: int64((most+1)*len(body) - 1), Waiting: uploads}, errUploadsBusy)
		ended := make(chan error)
		for range uploads {
			go func() {
				c := uploading("application/json", strings.NewReader(body))
				c.Decoding = decoding
				_, err := ReadUpload[gatedBody](c)
				c.End()
				ended <- err
			}()
		}
		for n := range uploads {
			synctest.Wait()
			require.EqualValues(t, min(most, uploads-n), gate.waiting.Load())
			gate.open <- struct{}{}
			require.NoError(t, <-ended)
		}
	})
}

func TestPLA_03_an_upload_waits_for_others_a_limited_time(t *testing.T) {
	large := `{"img":"` + base64.StdEncoding.EncodeToString(noise(maxHeld)) + `"}`
	synctest.Test(t, func(t *testing.T) {
		send := func(body string, within time.Duration) (time.Duration, error) {
			c := uploading("application/json", strings.NewReader(body))
			ctx, cancel := context.WithTimeout(t.Context(), within)
			defer cancel()
			c.Gin.Request = c.Gin.Request.WithContext(ctx)
			_, err := c.Decoding.Enter(ctx, maxDecoding-10, "another")
			require.NoError(t, err)
			began := time.Now()
			_, err = ReadUpload[pictureBody](c)
			return time.Since(began), err
		}
		waited, err := send(large, uploadDeadline)
		assert.Equal(t, errUploadsBusy, err)
		assert.Equal(t, decodingWait, waited)
		answer := Refuse(err)
		assert.Equal(t, http.StatusServiceUnavailable, answer.Status)
		assert.Equal(t, "2", answer.header.Get("Retry-After"))

		waited, err = send(large, time.Second)
		assert.Equal(t, errUploadsBusy, err, "the request's own deadline is no reason for a 504")
		assert.Equal(t, time.Second, waited)

		_, err = send(`{"img":"cGl4"}`, time.Second)
		assert.NoError(t, err, "a small body does not wait")
	})
}

func TestPLA_03_what_is_too_much_is_counted_and_not_kept(t *testing.T) {
	s := NewPicture()
	for range 12 {
		_, err := s.Write(make([]byte, 1<<20))
		require.NoError(t, err)
	}
	assert.EqualValues(t, 12<<20, s.Size())
	info, err := s.file.Stat()
	require.NoError(t, err)
	assert.EqualValues(t, media.MaxBytes+1, info.Size())
	require.NoError(t, s.Close())
}

// TestPLA_03_no_file_has_a_name: a killed process leaves no files behind.
func TestPLA_03_no_file_has_a_name(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := NewPicture()
	_, err := s.Write(noise(maxHeld + 1))
	require.NoError(t, err)
	require.NotNil(t, s.file)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
	require.NoError(t, s.Close())

	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	_, err = ReadUpload[pictureBody](uploading("application/json",
		strings.NewReader(`{"img":"`+base64.StdEncoding.EncodeToString(noise(100_000))+`"}`)))
	assert.ErrorIs(t, err, errNotKept)
	assert.ErrorContains(t, err, "TMPDIR")
	_, err = ReadUpload[pictureBody](uploading(form(t, part{"img", "x.png", string(noise(100_000))})))
	assert.ErrorIs(t, err, errNotKept)
	body := `{"img":"` + base64.StdEncoding.EncodeToString(noise(100_000)) + `"}`
	object, err := parse([]byte(body))
	require.NoError(t, err)
	_, err = takePictures(object, len(body), map[string]*Upload{"img": {}})
	assert.ErrorIs(t, err, errNotKept, "it can't be kept when the picture is decoded")
}

func TestA_full_disk_alone_is_called_full(t *testing.T) {
	for _, full := range []error{syscall.ENOSPC, syscall.EDQUOT} {
		assert.ErrorIs(t, notKept(&fs.PathError{Err: full}), errDiskFull)
	}
	for _, other := range []error{syscall.EROFS, syscall.ENOENT, syscall.EACCES, syscall.EMFILE, syscall.EIO} {
		assert.ErrorIs(t, notKept(&fs.PathError{Err: other}), errNotKept)
	}
	assert.NoError(t, notKept(nil))
}

func TestGEN_11_a_body_that_breaks_off(t *testing.T) {
	broken := errors.New("gone")
	begun := `{"img":"` + strings.Repeat("A", 100_000)
	for _, n := range []int{0, 5, 50_000, len(begun)} {
		_, err := ReadUpload[pictureBody](uploading("application/json",
			io.MultiReader(strings.NewReader(begun[:n]), iotest.ErrReader(broken))))
		assert.Equal(t, ErrCutOff, err, n)
	}
}

// anyBase64 decodes base64 in either alphabet, padded or not.
func anyBase64(s string) ([]byte, error) {
	s = strings.NewReplacer("-", "+", "_", "/").Replace(strings.Join(strings.Fields(s), ""))
	if strings.HasSuffix(s, "===") {
		return nil, base64.CorruptInputError(0)
	}
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(s, "="))
}

// lastOf returns the members of the object that count.
func lastOf(object jsonfields.Object) map[string]json.RawMessage {
	all := map[string]json.RawMessage{}
	for _, m := range object {
		all[string(m.Name)] = m.Value
	}
	return all
}

// FuzzUpload compares what is read of a JSON body with encoding/json.
func FuzzUpload(f *testing.F) {
	f.Add(`{"img":"cGl4ZWxz","tags":["lake"]}`)
	f.Add(`{"img":5,"a":{"b":"\"c"}}`)
	f.Add(`{"im\u0067":"data:;base64,AA\/+ \n","img":null,"":1e999}`)
	f.Add(`{"img":"\ud83d","\ud83d":"\ud83d"} `)
	f.Add(`{"img":"\u0041AAA\r\n",}`)
	f.Add(`{"img":"DATA:image/png;BASE64,-_8"}`)
	f.Add(`{"img":"AA==AA"}`)
	f.Add("[{}]")
	f.Fuzz(func(t *testing.T, body string) {
		var got struct {
			Img Upload `json:"img"`
		}
		pictures := PicturesOf(&got)
		object, err := parse([]byte(body))
		if err == nil {
			object, err = takePictures(object, len(body), pictures)
		}
		defer got.Img.Close()
		var want map[string]json.RawMessage
		if !utf8.ValidString(body) || json.Unmarshal([]byte(body), &want) != nil || want == nil {
			require.Error(t, err)
			return
		}
		require.NoError(t, err)
		picture, sent := want["img"]
		delete(want, "img")
		require.Equal(t, want, lastOf(object))
		var text *string
		isText := json.Unmarshal(picture, &text) == nil && text != nil
		switch {
		case !isText:
			require.Nil(t, got.Img.SpillBuffer)
			require.Equal(t, sent, got.Img.Problem != "")
		case got.Img.Problem == "":
			_, base64Text, isURI := strings.Cut(*text, ",")
			if !isURI {
				base64Text = *text
			}
			raw, err := anyBase64(base64Text)
			require.NoError(t, err)
			require.Equal(t, *text == "", got.Img.SpillBuffer == nil)
			if *text != "" {
				require.Equal(t, string(raw), contentOf(t, got.Img))
			}
		default:
			_, err := anyBase64(*text)
			require.True(t, err != nil || strings.ContainsAny(*text, ",\x00"), "%q", got.Img.Problem)
		}
	})
}
