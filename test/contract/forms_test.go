package contract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// formRows show what becomes of forms that are made to confuse.
var formRows = []row{
	{"IMG-07 forms that are broken or too large are refused", brokenForms, oneStore},
	{"IMG-07 names of files and types of parts mean nothing", partsMeanNothing, oneStore},
}

// formOf is a body of the parts, each its headers and its content.
func formOf(parts ...[2]string) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteString("--b\r\n" + part[0] + "\r\n\r\n" + part[1] + "\r\n")
	}
	return b.String() + "--b--\r\n"
}

// field is the header of a part with the name and what else is given.
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
	for name, body := range map[string]string{
		"nothing": "", "no part": "--b--\r\n", "no end": strings.TrimSuffix(whole, "--b--\r\n"), "cut off": whole[:len(whole)/2],
		"another boundary": strings.ReplaceAll(whole, "--b", "--c"), "no headers": "--b\r\n\r\nx\r\n--b--\r\n",
		"101 parts": formOf(append([][2]string{picture}, parts(100)...)...), "ten thousand parts": formOf(parts(10_000)...),
		"a head of 900 KB":         formOf([2]string{field("img", asFile) + "\r\nX: " + strings.Repeat("x", 900<<10), "x"}, picture),
		"a hundred thousand heads": formOf([2]string{field("img", asFile) + strings.Repeat("\r\nX: y", 100_000), ""}, picture),
		"a name of 900 KB":         formOf([2]string{field(strings.Repeat("x", 900<<10)), "y"}),
		"no picture in it":         formOf([2]string{field("img"), "x"}),
		"the name in another case": formOf([2]string{field("IMG", asFile), picture[1]}),
		"a name with a NUL":        formOf([2]string{field("img\x00", asFile), picture[1]}),
		"forms in a form": formOf([2]string{field("img") + "\r\nContent-Type: multipart/mixed; boundary=c",
			"--c\r\nContent-Disposition: file; filename=x.png\r\n\r\n" + picture[1] + "\r\n--c--"}),
		"base64 said":        formOf([2]string{field("img", asFile) + "\r\nContent-Transfer-Encoding: base64", dot}),
		"quoted-printable":   formOf([2]string{field("img", asFile) + "\r\nContent-Transfer-Encoding: quoted-printable", "=89PNG"}),
		"no disposition":     formOf([2]string{"Content-Type: image/png", picture[1]}),
		"another one":        formOf([2]string{`Content-Disposition: attachment; name="img"; filename="x.png"`, picture[1]}),
		"a disposition only": formOf([2]string{"Content-Disposition: form-data", picture[1]}),
		"no picture first":   formOf([2]string{field("img", asFile), "<svg/>"}, picture),
		"a folded head":      formOf([2]string{"Content-Disposition: form-data;\r\n\r\n name=\"img\"; filename=x", picture[1]}),
	} {
		a := ada.sendsForm(t, formType, body)
		require.Equal(t, 400, a.status, "%s: %s", name, a.body)
		if a.has("data.img") {
			a.invalid("img")
			continue
		}
		a.invalid("non_field_errors")
	}
	for name, parts := range map[string][2]string{
		"img": {field("img"), picture[1]}, "tags": {field("tags[]"), "x"}, "tags as a file": {field("tags", asFile), "x"},
	} {
		ada.sendsForm(t, formType, formOf(picture, parts)).invalid(strings.Fields(name)[0])
	}
	for _, contentType := range []string{
		"multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=" + strings.Repeat("b", 71),
		"multipart/form-data; charset=utf-16",
	} {
		ada.sendsForm(t, contentType, whole).invalid("non_field_errors")
	}
	for _, contentType := range []string{"multipart/mixed; boundary=b", "multipart/related; boundary=b", "multipart/; boundary=b",
		"text/plain; boundary=b", "multipart/form-data; boundary=c; boundary=b"} {
		ada.sendsForm(t, contentType, whole).fails(415, "UNSUPPORTED_MEDIA_TYPE")
	}
	tooLarge := ada.sendsForm(t, formType, formOf(picture, [2]string{field("tags"), strings.Repeat("x", 1<<20+1)}))
	tooLarge.fails(413, "PAYLOAD_TOO_LARGE")
	assert.True(t, tooLarge.closes, "the next request has a connection of its own")
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
