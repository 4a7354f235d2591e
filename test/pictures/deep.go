package pictures

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// Deep returns a PNG with transparency and 16 bits a sample. It is small: every row is the
// same noise. It is encoded here, because package png needs the decoded picture, which has
// eight bytes a pixel.
func Deep(t testing.TB, width, height int) []byte {
	t.Helper()
	row := make([]byte, 1+8*width)
	_, err := rand.NewChaCha8([32]byte{2}).Read(row[1:])
	require.NoError(t, err)
	const asAbove = 2 // the filter
	var pixels bytes.Buffer
	z := zlib.NewWriter(&pixels)
	for y := range height {
		if y == 1 {
			clear(row)
			row[0] = asAbove
		}
		_, err := z.Write(row)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(width)), uint32(height))
	out := []byte("\x89PNG\r\n\x1a\n")
	out = appendChunk(out, "IHDR", append(header, 16, 6, 0, 0, 0))
	out = appendChunk(out, "IDAT", pixels.Bytes())
	return appendChunk(out, "IEND", nil)
}

func appendChunk(out []byte, kind string, data []byte) []byte {
	out = binary.BigEndian.AppendUint32(out, uint32(len(data)))
	begin := len(out)
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[begin:]))
}
