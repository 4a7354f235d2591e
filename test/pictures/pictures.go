// Package pictures encodes pictures for tests.
package pictures

import (
	"bytes"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"testing"

	"github.com/stretchr/testify/require"
)

// Plain returns a black picture of the size as a PNG.
func Plain(t testing.TB, width, height int) []byte {
	t.Helper()
	return PNG(t, image.NewGray(image.Rect(0, 0, width, height)))
}

// PNG returns the picture as a PNG.
func PNG(t testing.TB, m image.Image) []byte {
	t.Helper()
	return encoded(t, m, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode)
}

// JPEG returns the picture as a JPEG of high quality.
func JPEG(t testing.TB, m image.Image) []byte {
	t.Helper()
	return encoded(t, m, func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, &jpeg.Options{Quality: 95}) })
}

// GIF returns the picture as a GIF; of a paletted picture with its own colours.
func GIF(t testing.TB, m image.Image) []byte {
	t.Helper()
	return encoded(t, m, func(w io.Writer, m image.Image) error { return gif.Encode(w, m, nil) })
}

func encoded(t testing.TB, m image.Image, encode func(io.Writer, image.Image) error) []byte {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, encode(&b, m))
	return b.Bytes()
}
