package pictures

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

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
