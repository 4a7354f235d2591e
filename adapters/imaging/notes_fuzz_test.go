package imaging

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// turned is Exif that notes orientation 6, in the byte order.
func turned(order binary.AppendByteOrder, magic string) []byte {
	tiff := order.AppendUint32([]byte(magic), 8)
	tiff = order.AppendUint16(tiff, 2)
	for _, entry := range [][4]uint16{{0x010e, 2, 4, 0}, {0x0112, 3, 1, 6}} {
		tiff = order.AppendUint16(order.AppendUint16(tiff, entry[0]), entry[1])
		tiff = order.AppendUint32(tiff, uint32(entry[2]))
		tiff = order.AppendUint16(order.AppendUint16(tiff, entry[3]), 0)
	}
	return order.AppendUint32(tiff, 0)
}

// swapped returns the TIFF file with the other byte order, or false where that is not the
// same directory.
func swapped(tiff []byte) ([]byte, bool) {
	if len(tiff) < 8 {
		return nil, false
	}
	var order binary.ByteOrder = binary.LittleEndian
	out := slices.Clone(tiff)
	switch string(tiff[:4]) {
	case "II*\x00":
		copy(out, "MM\x00*")
	case "MM\x00*":
		copy(out, "II*\x00")
		order = binary.BigEndian
	default:
		return nil, false
	}
	turn := func(at, size int) {
		if at+size <= len(out) {
			slices.Reverse(out[at : at+size])
		}
	}
	start := int64(order.Uint32(tiff[4:]))
	turn(4, 4)
	if start < 8 || start+2 > int64(len(tiff)) {
		return out, start >= 8
	}
	turn(int(start), 2)
	for at := int(start) + 2; at+12 <= len(out); at += 12 {
		turn(at, 2)
		turn(at+2, 2)
		turn(at+4, 4)
		turn(at+8, 2)
	}
	return out, true
}

// FuzzOrientation reads the orientation from any Exif. It does not depend on the byte order,
// nor on what follows the directory.
func FuzzOrientation(f *testing.F) {
	little, big := turned(binary.LittleEndian, "II*\x00"), turned(binary.BigEndian, "MM\x00*")
	for _, tiff := range [][]byte{
		nil, little, big, little[:30], big[:8], []byte("II*\x00\xff\xff\xff\xff"), []byte("MM\x00*\x00\x00\x00\x08\xff\xff"), []byte("II*\x00\x00\x00\x00\x00"), []byte("II+\x00\x08\x00\x00\x00\x00\x00\x00\x00"),
		bytes.Replace(little, []byte{3, 0, 1}, []byte{4, 0, 1}, 1), bytes.Replace(little, []byte{6, 0}, []byte{9, 0}, 1), bytes.Replace(big, []byte{0, 6}, []byte{0xff, 0xff}, 1), append([]byte("Exif\x00\x00"), little...),
	} {
		f.Add(tiff)
	}
	f.Fuzz(func(t *testing.T, tiff []byte) {
		o := parseOrientation(tiff)
		require.LessOrEqual(t, o, orientation(8))
		if other, is := swapped(tiff); is {
			require.Equal(t, o, parseOrientation(other))
		}
		if o > 0 {
			require.Equal(t, o, parseOrientation(append(slices.Clone(tiff), "more"...)))
		}
	})
}

// FuzzNotes writes the same notes into a JPEG, a PNG and a WebP, and behind them anything.
// All three give back the same orientation and profile.
func FuzzNotes(f *testing.F) {
	exif := turned(binary.BigEndian, "MM\x00*")
	f.Add(exif, []byte("a profile"), []byte("more"))
	f.Add([]byte{}, []byte{}, []byte{})
	f.Add(exif[:20], bytes.Repeat([]byte("p"), 70_000), []byte("\xff\xd8\xff\xe1\x00\x02"))
	f.Add(append(exif, exif...), bytes.Repeat([]byte{0xff, 0xe2}, 300), []byte("\x00\x00\x00\x04iCCP\xff\xff\xff\xff"))
	f.Add([]byte("Exif\x00\x00"), []byte("ICC_PROFILE\x00\x01\x01"), bytes.Repeat([]byte{0xff}, 100))
	f.Fuzz(func(t *testing.T, exif, colours, behind []byte) {
		if len(exif) > 60_000 || len(colours) > 200_000 || bytes.HasPrefix(exif, []byte(exifName)) {
			return // one segment of a JPEG, four segments; a WebP may have the name or not
		}
		profile := append(binary.BigEndian.AppendUint32(nil, uint32(len(colours)+4)), colours...)
		want := notes{orientation: parseOrientation(exif), profile: profile}
		for name, c := range map[string]struct {
			raw  []byte
			read func(*bufio.Reader) (notes, error)
		}{
			"JPEG": {jpegWith(exif, profile), jpegNotes}, "PNG": {pngWith(t, exif, profile), pngNotes}, "WebP": {webpWith(exif, profile), webpNotes},
		} {
			got, err := c.read(bufio.NewReader(bytes.NewReader(append(c.raw, behind...))))
			require.NoError(t, err, name)
			require.Equal(t, want.orientation, got.orientation, name)
			require.Equal(t, want.profile, got.profile, name)

			got, err = c.read(bufio.NewReader(bytes.NewReader(append(slices.Clone(c.raw[:len(c.raw)/2]), behind...)))) // cut off, or spoilt
			require.True(t, err == nil || err == errScans, "%v", err)
			require.LessOrEqual(t, len(got.profile), maxProfile, name)
			require.LessOrEqual(t, got.orientation, orientation(8), name)
		}
	})
}

func jpegWith(exif, profile []byte) []byte {
	out := []byte("\xff\xd8")
	segment := func(marker byte, name string, content []byte) {
		out = binary.BigEndian.AppendUint16(append(out, 0xff, marker), uint16(2+len(name)+len(content)))
		out = append(append(out, name...), content...)
	}
	segment(markerAPP1, exifName, exif)
	parts := slices.Collect(slices.Chunk(profile, 60_000))
	for i, part := range parts {
		segment(markerAPP2, iccName+string([]byte{byte(i + 1), byte(len(parts))}), part)
	}
	return append(out, 0xff, markerEOI)
}

func pngWith(t *testing.T, exif, profile []byte) []byte {
	t.Helper()
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, err := z.Write(profile)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	out := []byte("\x89PNG\r\n\x1a\n")
	for _, chunk := range []struct{ kind, content string }{
		{"IHDR", "\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00"}, {"iCCP", "profile\x00\x00" + packed.String()}, {"eXIf", string(exif)}, {"IEND", ""},
	} {
		out = append(append(binary.BigEndian.AppendUint32(out, uint32(len(chunk.content))), chunk.kind...), chunk.content...)
		out = append(out, 0, 0, 0, 0) // the decoder checks the sum, notes do not
	}
	return out
}

func webpWith(exif, profile []byte) []byte {
	content := []byte("WEBP")
	for _, chunk := range []struct {
		kind    string
		content []byte
	}{{"ICCP", profile}, {"EXIF", exif}} {
		content = append(binary.LittleEndian.AppendUint32(append(content, chunk.kind...), uint32(len(chunk.content))), chunk.content...)
		content = append(content, make([]byte, len(chunk.content)%2)...)
	}
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(content))), content...)
}
