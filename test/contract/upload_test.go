package contract

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/pictures"
)

func drawing(width, height int) image.Image {
	picture := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Black})
	picture.SetColorIndex(0, 0, 1)
	return picture
}

// aPNG is the bytes of a picture, 30 pixels wide and 20 high.
func aPNG(t *testing.T) []byte { return pictures.PNG(t, drawing(30, 20)) }

// form is a form with texts, given as pairs of a name and a text, and a file.
type form struct {
	texts [][2]string
	field string // of the file; empty: there is none
	file  []byte
}

func (c *client) sends(t *testing.T, path string, f form) answer {
	t.Helper()
	return c.sendsTo(t, "POST", path, f)
}

func (c *client) sendsTo(t *testing.T, method, path string, f form) answer {
	t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, pair := range f.texts {
		require.NoError(t, w.WriteField(pair[0], pair[1]))
	}
	if f.field != "" {
		file, err := w.CreateFormFile(f.field, "IMG_0001.txt") // names say nothing
		require.NoError(t, err)
		_, err = file.Write(f.file)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	return c.saying("Content-Type", w.FormDataContentType()).send(t, method, path, body.Bytes())
}

func (c *client) fetches(t *testing.T, address string) answer {
	t.Helper()
	return c.get(t, c.server.path(t, address))
}

var formRows = []row{
	{"IMG-07 forms that are broken or too large are refused", brokenForms, oneStore},
	{"IMG-07 names of files and types of parts mean nothing", partsMeanNothing, oneStore},
	{"PLA-03 what is two things at once is shown as a picture alone", polyglots, oneStore},
	{"PLA-03 what only some browsers show is refused", otherPictures, oneStore},
}

func formOf(parts ...[2]string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString("--b\r\n" + part[0] + "\r\n\r\n" + part[1] + "\r\n")
	}
	return b.String() + "--b--\r\n"
}

func field(name string, more ...string) string {
	return fmt.Sprintf("Content-Disposition: form-data; name=%q", name) + strings.Join(more, "")
}

const asFile = `; filename="x.png"`

func (c *client) sendsForm(t *testing.T, contentType, body string) answer {
	t.Helper()
	return c.saying("Content-Type", contentType).send(t, "POST", images, body)
}

const formType = "multipart/form-data; boundary=b"

func brokenForms(t *testing.T, s *server) {
	ada := s.member(t)
	picture := [2]string{field("img", asFile), string(aPNG(t))}
	parts := func(n int) (all [][2]string) {
		for i := range n {
			all = append(all, [2]string{field(fmt.Sprint("x", i)), "y"})
		}
		return all
	}
	whole := formOf(picture)
	const long = "\r\nX: "
	for name, c := range map[string]struct{ body, field string }{
		"nothing": {"", "non_field_errors"}, "no part": {"--b--\r\n", "img"},
		"no end":                   {strings.TrimSuffix(whole, "--b--\r\n"), "non_field_errors"},
		"another boundary":         {strings.ReplaceAll(whole, "--b", "--c"), "non_field_errors"},
		"101 parts":                {formOf(append([][2]string{picture}, parts(100)...)...), "non_field_errors"},
		"a head of 900 KB":         {formOf([2]string{field("img", asFile) + long + strings.Repeat("x", 900<<10), "x"}, picture), "img"},
		"a hundred thousand heads": {formOf([2]string{field("img", asFile) + strings.Repeat(long, 100_000), ""}, picture), "non_field_errors"},
		"the name in another case": {formOf([2]string{field("IMG", asFile), picture[1]}), "img"},
		"base64 said":              {formOf([2]string{field("img", asFile) + "\r\nContent-Transfer-Encoding: base64", dot}), "img"},
		"no picture first":         {formOf([2]string{field("img", asFile), "<svg/>"}, picture), "img"},
		"tags as a file":           {formOf(picture, [2]string{field("tags", asFile), "x"}), "tags"},
		"a tag with a comma":       {formOf(picture, [2]string{field("tags"), "a,b"}), "tags"},
	} {
		a := ada.sendsForm(t, formType, c.body)
		require.Equal(t, 400, a.status, "%s: %s", name, a.body)
		a.invalid(c.field)
	}
	for _, contentType := range []string{"multipart/form-data", "multipart/form-data; boundary=" + strings.Repeat("b", 71)} {
		ada.sendsForm(t, contentType, whole).invalid("non_field_errors")
	}
	for _, contentType := range []string{"multipart/mixed; boundary=b", "multipart/form-data; boundary=c; boundary=b"} {
		ada.sendsForm(t, contentType, whole).fails(415, "UNSUPPORTED_MEDIA_TYPE")
	}
	tooLarge := ada.sendsForm(t, formType, formOf(picture, [2]string{field("tags"), strings.Repeat("x", 1<<20+1)}))
	tooLarge.fails(413, "PAYLOAD_TOO_LARGE")
	assert.True(t, tooLarge.closes, "the next request has a connection of its own")
	ada.sendsForm(t, formType, whole+strings.Repeat("x", 11<<20)).fails(413, "PAYLOAD_TOO_LARGE")
	ada.saying("Content-Encoding", "gzip").sendsForm(t, formType, whole).fails(415, "UNSUPPORTED_MEDIA_TYPE")
	assert.Empty(t, s.anyone().get(t, imagesOf(ada)).is(200).list("data"))
	ada.sendsForm(t, formType, formOf(append([][2]string{picture}, parts(99)...)...)).is(201)
}

func partsMeanNothing(t *testing.T, s *server) {
	ada := s.member(t)
	picture := string(aPNG(t))
	want := s.picture(t, ada.sendsForm(t, formType, formOf([2]string{field("img", asFile), picture})).is(201).text("data.img"))
	for _, head := range []string{
		field("img", `; filename="../../../etc/passwd"`), field("img", `; filename="..\..\x.php"`), field("img", `; filename="C:\x.html"`), field("img", `; filename="x.svg"`) + "\r\nContent-Type: image/svg+xml", field("img", asFile) + "\r\nContent-Type: text/html",
		field("img", `; filename="<script>.png"`), field("img", `; filename*=UTF-8''%2e%2e%2fx.php`), field("img", asFile) + "\r\nContent-Length: 1", field("img", asFile) + "\r\nContent-Encoding: gzip", field("img", `; filename="`+strings.Repeat("x", 5000)+`"`),
		field("img", `; filename="/"`), field("img", asFile) + "\r\nContent-Type: multipart/mixed; boundary=b", field("img", `; filename=".."`), field("img"), field("img") + "\r\nContent-Type: image/png", // as React Native and axios send a Blob
	} {
		a := ada.sendsForm(t, formType, formOf([2]string{head, picture}, [2]string{field("img", asFile), ""})).is(201) // an empty one is none
		address := a.text("data.img")
		assert.Regexp(t, `^`+s.url+`/media/public/[a-z2-7]{26}\.png$`, address)
		shown := s.anyone().fetches(t, address).is(200)
		assert.Equal(t, "image/png", shown.header.Get("Content-Type"))
		assert.Equal(t, want, shown.body)
	}
}

func polyglots(t *testing.T, s *server) {
	ada := s.member(t)
	event := ada.publishes(t, "x")
	const script = "<script>alert(1)</script><?php system($_GET[0]); ?>"
	jpeg, gif, png := pictures.JPEG(t, drawing(30, 20)), pictures.GIF(t, drawing(30, 20)), aPNG(t)
	for name, raw := range map[string][]byte{
		"a page in a JPEG's comment":    pictures.WithSegments(jpeg, pictures.Segment(0xfe, script, nil)),
		"a page in a PNG's text":        pictures.WithChunks(png, pictures.Chunk("tEXt", []byte("Comment\x00"+script)...)),
		"a page in a GIF's comment":     bytes.Join([][]byte{gif[:len(gif)-1], {0x21, 0xfe, byte(len(script))}, []byte(script), {0, 0x3b}}, nil),
		"a picture in another's letter": append(bytes.Clone(png), jpeg...),
	} {
		require.True(t, strings.Contains(string(raw), script) || name == "a picture in another's letter", name)
		for _, address := range []string{
			ada.post(t, images, object{"img": raw}).is(201).text("data.img"), ada.post(t, plates,
				object{"event": event, "photo": raw}).is(201).text("data.photo"),
			ada.send(t, "PUT", avatars, object{"avatar": raw}).is(200).text("data.avatar"),
		} {
			shown := s.anyone().fetches(t, address).is(200)
			assert.NotContains(t, string(shown.body), "script", name)
			assert.NotContains(t, string(shown.body), "php", name)
			assert.Contains(t, []string{"image/jpeg", "image/png"}, shown.header.Get("Content-Type"))
			assert.Equal(t, "nosniff", shown.header.Get("X-Content-Type-Options"))
			assert.Equal(t, "default-src 'none'; frame-ancestors 'none'", shown.header.Get("Content-Security-Policy"))
		}
	}
}

func otherPictures(t *testing.T, s *server) {
	ada := s.member(t)
	event := ada.publishes(t, "x")
	jpeg := string(pictures.JPEG(t, drawing(30, 20)))
	for raw, says := range map[string]string{
		`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`:                         "Upload a valid image",
		`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg/>`: "Upload a valid image",
		"<script>alert(1)</script>" + string(aPNG(t)):                                         "Upload a valid image",
		"push graphic-context\nfill 'url(https://x.example/)'":                                "Upload a valid image",
		jpeg[:len(jpeg)*2/3]: "cut off", strings.Replace(jpeg, "\xff\xda", "\xff\xd8", 1): "can't read",
	} {
		assert.Contains(t, ada.post(t, images, object{"img": []byte(raw)}).invalid("img").text("data.img.0"), says)
		ada.post(t, plates, object{"event": event, "photo": []byte(raw)}).invalid("photo")
		ada.send(t, "PUT", avatars, object{"avatar": []byte(raw)}).invalid("avatar")
	}
	assert.Empty(t, s.anyone().get(t, imagesOf(ada)).is(200).list("data"))
}
