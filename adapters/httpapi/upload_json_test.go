package httpapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/media"
)

// noise returns bytes that are unique to a picture.
func noise(n int) []byte {
	raw := make([]byte, n)
	chacha := rand.NewChaCha8([32]byte{7})
	_, _ = chacha.Read(raw)
	return raw
}

func TestPLA_02_a_large_picture_as_JSON(t *testing.T) {
	raw := noise(60_000)
	plain := base64.StdEncoding.EncodeToString(raw)
	escaped := strings.ReplaceAll(plain, "/", `\/`)
	var lines strings.Builder
	for line := plain; line != ""; line = line[min(76, len(line)):] {
		lines.WriteString(line[:min(76, len(line))] + `\r\n`)
	}
	for name, value := range map[string]string{
		"plain":            plain,
		"a data URI":       "data:image/png;base64," + plain,
		"with white space": "  " + plain + " \t ",
		"in lines":         lines.String(),
		"escaped slashes":  escaped,
		"escaped units":    strings.ReplaceAll(plain, "A", `\u0041`),
	} {
		value = strings.ReplaceAll(value, "\t", `\t`)
		for _, body := range []string{
			`{"img":"` + value + `","tags":["lake"]}`,
			`{ "tags" : [ "lake" ] , "img" : "` + value + `" }`,
			`{"img":"` + strings.Repeat("x", 100_000) + `","tags":["lake"],"img":"` + value + `"}`,
			`{"other":{"img":"` + plain + `"},"tags":["lake"],"img":"` + value + `"}`,
		} {
			got, err := readUpload[imageBody](uploading("application/json", iotest.OneByteReader(strings.NewReader(body))))
			require.NoError(t, err, name)
			assert.True(t, string(raw) == contentOf(t, got.Img), name)
			assert.Equal(t, []string{"lake"}, got.Tags)
		}
	}
}

func TestPLA02_FieldNamesAreReadAsJSON(t *testing.T) {
	raw := noise(60_000)
	body := `{"im\u0067":"` + base64.StdEncoding.EncodeToString(raw) + `"}`
	got, err := readUpload[imageBody](uploading("application/json", strings.NewReader(body)))
	require.NoError(t, err)
	assert.True(t, string(raw) == contentOf(t, got.Img))
}

// A request holds one file for each of its pictures, however many other long texts and
// files it brings.
func TestPLA03_OnlyPicturesAreSpooled(t *testing.T) {
	long := base64.StdEncoding.EncodeToString(noise(maxHeld + 1))
	var inJSON strings.Builder
	var parts []part
	for n := range 40 {
		fmt.Fprintf(&inJSON, `"other%d":"%s","nested%d":{"img":"%s"},"img":"%s",`, n, long, n, long, long)
		parts = append(parts, part{fmt.Sprint("other", n), "x.png", string(noise(maxHeld + 1))})
	}
	parts = append(parts, part{"img", "x.png", string(noise(maxHeld + 1))}, part{"img", "y.png", "second"})
	formType, formBody := formOf(t, parts)
	for name, c := range map[string]*call{
		"JSON":   uploading("application/json", strings.NewReader(`{`+inJSON.String()+`"tags":["lake"]}`)),
		"a form": uploading(formType, formBody),
	} {
		got, err := readUpload[imageBody](c)
		require.NoError(t, err, name)
		assert.Len(t, c.uploads, 1, name)
		assert.True(t, string(noise(maxHeld+1)) == contentOf(t, got.Img), name)
		require.NoError(t, c.uploads.close())
	}
}

func TestPLA_02_large_texts_that_are_no_picture(t *testing.T) {
	long := strings.Repeat("x", 100_001)
	base64 := fault.Fields{"img": {errNoBase64.Text}}
	for name, c := range map[string]struct {
		body string
		want error
	}{
		"no base64":             {`{"img":"` + long + `"}`, base64.Err()},
		"another alphabet":      {`{"img":"` + strings.Repeat("-_", 50_000) + `"}`, base64.Err()},
		"another URI":           {`{"img":"data:text/plain,` + long + `"}`, base64.Err()},
		"a URI without end":     {`{"img":"data:` + long + `"}`, base64.Err()},
		"a letter of another":   {`{"img":"` + strings.Repeat("é", 50_000) + `"}`, base64.Err()},
		"an escaped letter":     {`{"img":"` + strings.Repeat(`\u00e9`, 10_000) + `"}`, base64.Err()},
		"a quote":               {`{"img":"` + strings.Repeat("A", 40_000) + `\"AAA"}`, base64.Err()},
		"where an event stands": {`{"event":"` + long + `","photo":"cGl4"}`, fault.Fields{"event": {noInteger}}.Err()},
		"no end":                {`{"img":"` + long, errNoJSON},
		"an escape of nothing":  {`{"img":"` + long + `\x"}`, errNoJSON},
		"half an escape":        {`{"img":"` + long + `\u00g0"}`, errNoJSON},
		"a raw line end":        {`{"img":"` + long + "\n" + `"}`, errNoJSON},
		"what is behind":        {`{"img":"` + strings.Repeat("A", 100_000) + `"}x`, errNoJSON},
		"a list of it":          {`{"img":["` + long + `"]}`, fault.Fields{"img": {noString}}.Err()},
	} {
		var err error
		if strings.Contains(c.body, "photo") {
			_, err = readUpload[plateBody](uploading("application/json", strings.NewReader(c.body)))
		} else {
			_, err = readUpload[imageBody](uploading("application/json", strings.NewReader(c.body)))
		}
		assert.Equal(t, c.want, err, name)
	}
}

// TestPLA_02_nobody_can_name_a_picture: the name in the place of a removed string differs
// between requests.
func TestPLA_02_nobody_can_name_a_picture(t *testing.T) {
	long := base64.StdEncoding.EncodeToString(noise(100_000))
	for _, value := range []string{`{"":0}`, `{"x":0}`, `{"ABCDEFGHIJKLMNOPQRSTUVWXYZ":0}`, `{}`, `0`} {
		_, err := readUpload[imageBody](uploading("application/json", strings.NewReader(`{"other":"`+long+`","img":`+value+`}`)))
		assert.Equal(t, fault.Fields{"img": {noString}}.Err(), err, value)
	}
}

func TestGEN_11_what_is_no_picture_is_bounded_by_itself(t *testing.T) {
	names := `{"` + strings.Repeat("x", maxBody) + `":1}`
	items := `{"tags":["` + strings.Repeat("x", maxBody) + `"]}`
	numbers := `{"tags":[` + strings.Repeat("1,", maxBody/2) + `1]}`
	for _, body := range []string{names, items, numbers} {
		_, err := readUpload[imageBody](uploading("application/json", strings.NewReader(body)))
		assert.Equal(t, tooLarge(maxBody), err)
	}
	form, body := form(t, part{"tags", "", strings.Repeat("x", maxBody)}, part{"tags", "", "x"})
	_, err := readUpload[imageBody](uploading(form, body))
	assert.Equal(t, tooLarge(maxBody), err)
	var parts []part
	for range maxParts + 1 {
		parts = append(parts, part{"tags", "", "x"})
	}
	_, err = readUpload[imageBody](uploading(formOf(t, parts)))
	assert.Equal(t, errNoForm, err)
}

func formOf(t *testing.T, parts []part) (string, io.Reader) {
	contentType, body := form(t, parts...)
	return contentType, body
}

// TestPLA_03_a_body_is_never_held: a request with the largest picture allocates a small part
// of its size.
func TestPLA_03_a_body_is_never_held(t *testing.T) {
	raw := noise(media.MaxBytes)
	inJSON := `{"img":"` + base64.StdEncoding.EncodeToString(raw) + `"}`
	contentType, body := form(t, part{"img", "x.png", string(raw)})
	inForm := body.String()
	for name, send := range map[string]func() *call{
		"JSON":   func() *call { return uploading("application/json", strings.NewReader(inJSON)) },
		"a form": func() *call { return uploading(contentType, strings.NewReader(inForm)) },
	} {
		c := send()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got, err := readUpload[imageBody](c)
		runtime.ReadMemStats(&after)
		require.NoError(t, err, name)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), name)
		assert.EqualValues(t, media.MaxBytes, got.Img.Size())
		assert.True(t, string(raw) == contentOf(t, got.Img), name)
		require.NoError(t, c.uploads.close())
	}
}

func TestPLA_03_what_is_too_much_is_counted_and_not_kept(t *testing.T) {
	s := newPicture()
	for range 12 {
		_, err := s.Write(make([]byte, 1<<20))
		require.NoError(t, err)
	}
	assert.EqualValues(t, 12<<20, s.Size())
	info, err := s.file.Stat()
	require.NoError(t, err)
	assert.EqualValues(t, media.MaxBytes+1, info.Size())
	require.NoError(t, s.close())
}

// TestPLA_03_no_file_has_a_name: a killed process leaves no files behind.
func TestPLA_03_no_file_has_a_name(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	s := newPicture()
	_, err := s.Write(noise(maxHeld + 1))
	require.NoError(t, err)
	require.NotNil(t, s.file)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Empty(t, left)
	require.NoError(t, s.close())

	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	_, err = readUpload[imageBody](uploading("application/json",
		strings.NewReader(`{"img":"`+base64.StdEncoding.EncodeToString(noise(100_000))+`"}`)))
	assert.ErrorIs(t, err, errDiskFull)
	_, err = readUpload[imageBody](uploading(form(t, part{"img", "x.png", string(noise(100_000))})))
	assert.ErrorIs(t, err, errDiskFull)
}

func TestGEN_11_a_body_that_breaks_off(t *testing.T) {
	broken := errors.New("gone")
	begun := `{"img":"` + strings.Repeat("A", 100_000)
	for _, n := range []int{0, 5, 50_000, len(begun)} {
		_, err := readUpload[imageBody](uploading("application/json",
			io.MultiReader(strings.NewReader(begun[:n]), iotest.ErrReader(broken))))
		assert.Equal(t, errCutOff, err, n)
	}
}

// FuzzSift compares uploadReader with encoding/json.
func FuzzSift(f *testing.F) {
	f.Add(`{"img":"cGl4ZWxz","tags":["lake"]}`, "AAAA")
	f.Add(`{"img":5,"a":{"b":"\"c"}}`, "data:;base64,AAAA")
	f.Add(`{"a":"`, `\u0041`)
	f.Fuzz(func(t *testing.T, before, long string) {
		inside := strings.Repeat(long, maxInline/max(1, len(long))+2)
		quoted, err := json.Marshal(inside)
		require.NoError(t, err)
		body := fmt.Sprintf(`{"x":%s,"img":%s}`, quoted, quoted)
		if len(before)%2 == 0 {
			body = before
		}
		var all uploadBuffers
		s := newUploadReader(strings.NewReader(body), []string{"img"}, &all, maxBody)
		stripped, err := s.strip()
		defer all.close()
		var want, got map[string]json.RawMessage
		isJSON := json.Unmarshal([]byte(body), &want) == nil
		if err != nil || !json.Valid(stripped) || json.Unmarshal(stripped, &got) != nil {
			if isJSON && len(body) < maxBody {
				t.Fatalf("%q became %q: %v", body, stripped, err)
			}
			return
		}
		if len(body) <= maxInline {
			require.Equal(t, body, string(stripped), "what is short stays as it is")
		}
		if s.pictures[0].buffer == nil {
			return
		}
		buffer, problem := s.upload(got["img"])
		var said string
		require.NoError(t, json.Unmarshal(want["img"], &said))
		raw, wrong := readAll(newBase64(bytes.NewReader([]byte(said))))
		switch {
		case problem == "":
			require.NoError(t, wrong)
			require.Equal(t, raw, []byte(contentOf(t, upload{buffer})))
		default:
			require.Error(t, wrong, problem)
		}
	})
}

func readAll(r io.Reader) ([]byte, error) {
	raw, err := io.ReadAll(r)
	if raw == nil {
		raw = []byte{}
	}
	return raw, err
}
