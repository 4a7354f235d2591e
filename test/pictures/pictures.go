// Package pictures encodes pictures for tests.
package pictures

import (
	"bytes"
	"compress/zlib"
	"context"
	"embed"
	"encoding/binary"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"plaza/domain/media"
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

// Deep returns a PNG with transparency and 16 bits a sample. Its pixels are noise, but the file is small: each row has the same
// differences to the row above, and repeats. It is encoded here, because package png does not interlace, and needs the decoded picture,
// which has eight bytes a pixel.
func Deep(t testing.TB, width, height int, interlaced bool) []byte {
	t.Helper()
	// The first pixel of each pass, and the steps to the next ones.
	passes := [][4]int{{0, 0, 1, 1}}
	kind := append(header(width, height), 16, 6, 0, 0, 0)
	if interlaced {
		passes = [][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}
		kind[len(kind)-1] = 1
	}
	const repeats, paeth = 10_000, 4 // bytes, of which deflate sees three times as many; a filter
	noise := make([]byte, repeats)
	_, err := rand.NewChaCha8([32]byte{2}).Read(noise)
	require.NoError(t, err)
	var pixels bytes.Buffer
	z := zlib.NewWriter(&pixels)
	for _, p := range passes {
		row := []byte{paeth}
		for left := 8 * ((width - p[0] + p[2] - 1) / p[2]); left > 0; left -= repeats {
			row = append(row, noise[:min(left, repeats)]...)
		}
		for y := p[1]; y < height; y += p[3] {
			_, err := z.Write(row)
			require.NoError(t, err)
		}
	}
	require.NoError(t, z.Close())
	return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), Chunk("IHDR", kind...), Chunk("IDAT", pixels.Bytes()...), Chunk("IEND"))
}

func header(width, height int) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
}

// made are small pictures in formats that Go does not encode. heif-enc and avifenc have made them of pictures like those
// of test/ports; turned-1 to turned-8 then have the orientations of Exif as properties. The
// clean aperture of those named so is 20 × 16 pixels from (32, 24) on.
//
//go:embed testdata
var made embed.FS

// Made returns the picture with that name.
func Made(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := made.ReadFile("testdata/" + name)
	require.NoError(t, err)
	return raw
}

// Refuser is a processor that refuses every picture and remembers the keys that they came with.
type Refuser struct{ Keys []string }

var _ media.Processor = (*Refuser)(nil)

// Process implements media.Processor.
func (r *Refuser) Process(_ context.Context, by string, _ media.Raw, _ ...media.SizeSpec) (media.Processed, error) {
	r.Keys = append(r.Keys, by)
	return media.Processed{}, media.ErrNotAccepted
}
