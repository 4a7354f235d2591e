package pictures

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// Deflated is the data as zlib compresses it.
func Deflated(t testing.TB, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	_, err := z.Write(data)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return out.Bytes()
}

// Chunk is a chunk of a PNG.
func Chunk(kind string, data ...byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// WithChunks is the PNG with more chunks behind its header.
func WithChunks(raw []byte, chunks ...[]byte) []byte {
	const header = 8 + 25
	return slices.Concat(raw[:header], slices.Concat(chunks...), raw[header:])
}

// ProfileChunk is a chunk of a PNG with the colour profile.
func ProfileChunk(t testing.TB, icc []byte) []byte {
	t.Helper()
	return Chunk("iCCP", append([]byte("any\x00\x00"), Deflated(t, icc)...)...)
}

// Segment is a segment of a JPEG, whose content begins with the name.
func Segment(marker byte, name string, data []byte) []byte {
	out := binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(2+len(name)+len(data)))
	return append(append(out, name...), data...)
}

// WithSegments is the JPEG with more segments at its start.
func WithSegments(raw []byte, segments ...[]byte) []byte {
	return slices.Concat(raw[:2], slices.Concat(segments...), raw[2:])
}

// ExifSegment is a segment of a JPEG with the Exif.
func ExifSegment(exif []byte) []byte { return Segment(0xe1, "Exif\x00\x00", exif) }

// ProfileSegments are the segments of a JPEG with the colour profile, each with a part of at most that many bytes.
func ProfileSegments(icc []byte, most int) (all [][]byte) {
	parts := slices.Collect(slices.Chunk(icc, most))
	for i, part := range parts {
		all = append(all, Segment(0xe2, "ICC_PROFILE\x00"+string([]byte{byte(i + 1), byte(len(parts))}), part))
	}
	return all
}

// ProfileOf is the colour profile of the JPEG, empty if it has none.
func ProfileOf(raw []byte) (icc []byte) {
	for raw = raw[2:]; raw[1] != 0xda; {
		length := 2 + int(binary.BigEndian.Uint16(raw[2:]))
		if content, found := bytes.CutPrefix(raw[4:length], []byte("ICC_PROFILE\x00")); found && raw[1] == 0xe2 {
			icc = append(icc, content[2:]...)
		}
		raw = raw[length:]
	}
	return icc
}

// Tag is one of a colour profile.
type Tag struct{ Name, Data string }

// ICC is a colour profile that turns the values of a space into those of another.
func ICC(version byte, space, into string, tags ...Tag) []byte {
	be := binary.BigEndian
	out := make([]byte, 128)
	out[8] = version
	copy(out[12:], "mntr"+space+into)
	copy(out[36:], "acsp")
	out = be.AppendUint32(out, uint32(len(tags)))
	at := len(out) + 12*len(tags)
	for _, t := range tags {
		out = be.AppendUint32(be.AppendUint32(append(out, t.Name...), uint32(at)), uint32(len(t.Data)))
		at += len(t.Data)
	}
	for _, t := range tags {
		out = append(out, t.Data...)
	}
	be.PutUint32(out, uint32(len(out)))
	return out
}

// Exif says how the camera was held, and at the end any other data.
func Exif(order binary.AppendByteOrder, orientation uint16, more string) []byte {
	out := []byte("II")
	if order == binary.AppendByteOrder(binary.BigEndian) {
		out = []byte("MM")
	}
	out = order.AppendUint16(out, 42)
	out = order.AppendUint32(out, 8)
	out = order.AppendUint16(out, 2)
	for _, entry := range [][2]uint16{{0x0100, 1}, {0x0112, orientation}} {
		out = order.AppendUint16(out, entry[0])
		out = order.AppendUint16(out, 3)
		out = order.AppendUint32(out, 1)
		out = order.AppendUint16(out, entry[1])
		out = order.AppendUint16(out, 0)
	}
	return append(append(out, 0, 0, 0, 0), more...)
}

// WebPChunk is a chunk of a WebP.
func WebPChunk(kind string, data []byte) []byte {
	out := append([]byte(kind), binary.LittleEndian.AppendUint32(nil, uint32(len(data)))...)
	return append(append(out, data...), make([]byte, len(data)%2)...)
}

// WebPFile is a WebP with the chunks.
func WebPFile(chunks ...[]byte) []byte {
	content := append([]byte("WEBP"), slices.Concat(chunks...)...)
	return append([]byte("RIFF"), append(binary.LittleEndian.AppendUint32(nil, uint32(len(content))), content...)...)
}

// WebPCanvas is the chunk that a WebP with more than the picture starts with.
func WebPCanvas(flags byte, width, height int) []byte {
	w, h := width-1, height-1
	return WebPChunk("VP8X", []byte{flags, 0, 0, 0, byte(w), byte(w >> 8), byte(w >> 16), byte(h), byte(h >> 8), byte(h >> 16)})
}
