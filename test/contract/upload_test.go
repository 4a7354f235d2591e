package contract

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// drawing is a picture of the size, of one colour.
func drawing(width, height int) image.Image {
	picture := image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.White, color.Black})
	picture.SetColorIndex(0, 0, 1)
	return picture
}

// aPNG is the bytes of a picture, 30 pixels wide and 20 high.
func aPNG(t *testing.T) []byte {
	t.Helper()
	return inPNG(t, drawing(30, 20))
}

func inPNG(t *testing.T, picture image.Image) []byte {
	t.Helper()
	return encoded(t, func(w io.Writer) error { return png.Encode(w, picture) })
}

func aJPEG(t *testing.T) []byte {
	t.Helper()
	return encoded(t, func(w io.Writer) error { return jpeg.Encode(w, drawing(30, 20), nil) })
}

func aGIF(t *testing.T) []byte {
	t.Helper()
	return encoded(t, func(w io.Writer) error { return gif.Encode(w, drawing(30, 20), nil) })
}

// encoded is what encode writes.
func encoded(t *testing.T, encode func(w io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, encode(&b))
	return b.Bytes()
}

// form is a form with texts, given as pairs of a name and a text, and a file.
type form struct {
	texts [][2]string
	field string // of the file; empty: there is none
	file  []byte
}

// sends posts the form.
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

// fetches gets a picture at an absolute address of this server.
func (c *client) fetches(t *testing.T, address string) answer {
	t.Helper()
	path, isOurs := strings.CutPrefix(address, c.server.url)
	require.True(t, isOurs, address)
	return c.get(t, path)
}
