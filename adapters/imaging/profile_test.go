package imaging_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/test/pictures"
)

// tag is one of a profile.
type tag struct{ name, data string }

// icc is a profile that turns the space's values into others.
func icc(version byte, space, into string, tags ...tag) []byte {
	be := binary.BigEndian
	out := make([]byte, 128)
	out[8] = version
	copy(out[12:], "mntr"+space+into)
	copy(out[36:], "acsp")
	out = be.AppendUint32(out, uint32(len(tags)))
	at := len(out) + 12*len(tags)
	for _, t := range tags {
		out = be.AppendUint32(be.AppendUint32(append(out, t.name...), uint32(at)), uint32(len(t.data)))
		at += len(t.data)
	}
	for _, t := range tags {
		out = append(out, t.data...)
	}
	be.PutUint32(out, uint32(len(out)))
	return out
}

// inSegments is the JPEG with the profile.
func inSegments(raw, profile []byte) []byte {
	const most = 60_000
	var segments []byte
	parts := slices.Collect(slices.Chunk(profile, most))
	for i, part := range parts {
		segments = binary.BigEndian.AppendUint16(append(segments, 0xff, 0xe2), uint16(2+14+len(part)))
		segments = append(append(segments, "ICC_PROFILE\x00"...), byte(i+1), byte(len(parts)))
		segments = append(segments, part...)
	}
	return slices.Concat(raw[:2], segments, raw[2:])
}

// profileIn is the profile in a JPEG.
func profileIn(raw []byte) []byte {
	var all []byte
	for raw = raw[2:]; raw[1] != 0xda; raw = raw[2+int(binary.BigEndian.Uint16(raw[2:])):] {
		if content := raw[4 : 2+int(binary.BigEndian.Uint16(raw[2:]))]; raw[1] == 0xe2 {
			all = append(all, content[14:]...)
		}
	}
	return all
}

func developed(t *testing.T, raw []byte) media.Processed {
	t.Helper()
	d, err := imaging.NewProcessor(1).Process(t.Context(), "user 1", bytes.NewReader(raw))
	require.NoError(t, err)
	return d
}

func TestPLA03_ProfilesWithTables(t *testing.T) {
	raw := pictures.JPEG(t, photo(8, 8, image.YCbCrSubsampleRatio420))
	table := "mAB \x00\x00\x00\x00" + string(bytes.Repeat([]byte("table"), 30_000))
	for _, version := range []byte{2, 4} {
		out := profileIn(developed(t, inSegments(raw, icc(version, "RGB ", "Lab ", tag{"A2B0", table}, tag{"B2A0", table + "x"}))).Bytes)
		require.NotEmpty(t, out)
		assert.Equal(t, len(out), int(binary.BigEndian.Uint32(out)), "it comes in several segments")
		assert.EqualValues(t, 4, out[8])
		assert.True(t, bytes.Contains(out, []byte(table)))
		assert.Less(t, len(out), len(table)+600, "the way back is left out")
		assert.Equal(t, out, profileIn(developed(t, inSegments(raw, out)).Bytes), "it is kept as it is now")
	}
	curve := "curv\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00"
	for name, profile := range map[string][]byte{
		"a matrix that leads to Lab":        icc(2, "RGB ", "Lab ", tag{"rXYZ", "XYZ \x00\x00\x00\x00123412341234"}, tag{"rTRC", curve}),
		"a table of another kind":           icc(2, "RGB ", "Lab ", tag{"A2B0", "data" + table}),
		"a curve that is longer than it is": icc(2, "RGB ", "XYZ ", tag{"rTRC", "curv\x00\x00\x00\x00\xff\xff\xff\xff\x01\x00"}),
		"a version that is not yet":         icc(5, "RGB ", "Lab ", tag{"A2B0", table}),
		"more than the bound":               icc(2, "RGB ", "Lab ", tag{"A2B0", table + table + table + table}),
		"a colour space of nobody":          icc(2, "RGB ", "Luv ", tag{"A2B0", table}),
		"no curve for greys":                icc(2, "GRAY", "XYZ ", tag{"rTRC", curve}),
	} {
		assert.Empty(t, profileIn(developed(t, inSegments(raw, profile)).Bytes), name)
	}
}

// TestPLA03_AGreyCurveThatLeadsToLightness can't be written for colours.
func TestPLA03_AGreyCurveThatLeadsToLightness(t *testing.T) {
	const greyWithAlpha = 4
	head := []byte{0, 0, 0, 1, 0, 0, 0, 1, 8, greyWithAlpha, 0, 0, 0}
	curve := "curv\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00"
	for into, kept := range map[string]bool{"XYZ ": true, "Lab ": false} {
		raw := slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", head),
			chunk("iCCP", append([]byte("grey\x00\x00"), deflated(t, icc(2, "GRAY", into, tag{"kTRC", curve}))...)),
			chunk("IDAT", deflated(t, []byte{0, 100, 255})), chunk("IEND", nil))
		d := developed(t, raw)
		require.Equal(t, "image/png", d.Type)
		assert.Equal(t, kept, bytes.Contains(d.Bytes, []byte("iCCP")), into)
	}
}

func FuzzProfile(f *testing.F) {
	curve, point := "para\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00", "XYZ \x00\x00\x00\x00123412341234"
	f.Add(icc(2, "RGB ", "XYZ ", tag{"rXYZ", point}, tag{"gXYZ", point}, tag{"bXYZ", point}, tag{"rTRC", curve}, tag{"gTRC", curve}, tag{"bTRC", curve}, tag{"cprt", "text"}))
	f.Add(icc(4, "RGB ", "Lab ", tag{"A2B0", "mft2\x00\x00\x00\x00many numbers"}))
	f.Add(icc(2, "GRAY", "XYZ ", tag{"kTRC", curve}))
	grey, colour := pictures.JPEG(f, image.NewGray(image.Rect(0, 0, 1, 1))), pictures.JPEG(f, photo(1, 1, image.YCbCrSubsampleRatio420))
	s := imaging.NewProcessor(1)
	f.Fuzz(func(t *testing.T, profile []byte) {
		for _, raw := range [][]byte{grey, colour} {
			once, err := s.Process(t.Context(), "user 1", bytes.NewReader(inSegments(raw, profile)))
			if err != nil {
				require.Equal(t, fault.Invalid, fault.KindOf(err))
				return
			}
			out := profileIn(once.Bytes)
			require.Equal(t, out, profileIn(developed(t, inSegments(raw, out)).Bytes), "what is written is a profile")
		}
	})
}
