package imaging_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/test/pictures"
)

// room is what the rest of the program may allocate while a picture is processed. A bomb takes far more.
const room = 8 << 20

// process works on the picture and returns how many bytes that allocated.
func process(t *testing.T, raw []byte) (d media.Processed, cost uint64, err error) {
	t.Helper()
	s := imaging.NewProcessor(1)
	cost = allocated(func() { d, err = s.Process(t.Context(), "account", bytes.NewReader(raw), media.AvatarSizes...) })
	return d, cost, err
}

// TestPLA03_AHeaderThatPromisesTooMuch: a few bytes can ask for gigabytes, in every format.
func TestPLA03_AHeaderThatPromisesTooMuch(t *testing.T) {
	png := func(width, height uint32) []byte {
		size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
		return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), pictures.Chunk("IHDR", append(size, 16, 6, 0, 0, 0)...),
			pictures.Chunk("IDAT", make([]byte, 14)...), pictures.Chunk("IEND"))
	}
	webp := func(kind string, content []byte) []byte { return pictures.WebPFile(pictures.WebPChunk(kind, content)) }
	for name, raw := range map[string][]byte{
		"PNG": png(60_000, 60_000), "PNG, the most": png(1<<31-1, 1<<31-1),
		"PNG, more than that": png(1<<32-1, 1<<32-1), "PNG, one row": png(1<<31-1, 1), "PNG, nothing": png(0, 0),
		"GIF":          []byte("GIF89a\xff\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x01\x00\x00;"),
		"GIF's frame":  []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00,\x00\x00\x00\x00\xff\xff\xff\xff\x00\x02\x01\x00\x00;"),
		"JPEG":         []byte("\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff\x03\x01\x22\x00\x02\x11\x00\x03\x11\x00\xff\xd9"),
		"JPEG, scans":  []byte("\xff\xd8\xff\xc2\x00\x11\x08\xff\xff\xff\xff\x03\x01\x22\x00\x02\x11\x00\x03\x11\x00\xff\xd9"),
		"JPEG, none":   []byte("\xff\xd8\xff\xc0\x00\x0b\x08\x00\x00\x00\x00\x01\x01\x11\x00\xff\xd9"),
		"WebP":         webp("VP8 ", []byte("\x00\x00\x00\x9d\x01\x2a\xff\x3f\xff\x3f")),
		"WebP, exact":  webp("VP8L", []byte("\x2f\xff\xff\xff\x0f\x00")),
		"WebP, canvas": webp("VP8X", []byte("\x10\x00\x00\x00\xff\xff\xff\xff\xff\xff")),
	} {
		_, cost, err := process(t, raw)
		assert.Equal(t, fault.Invalid, fault.KindOf(err), "%s: %v", name, err)
		assert.Less(t, cost, uint64(room), name)
	}
}

// TestPLA03_WhatInflatesIsNotInflated: texts, and pixels beyond the last row, are skipped.
func TestPLA03_WhatInflatesIsNotInflated(t *testing.T) {
	plain := pictures.PNG(t, image.NewGray(image.Rect(0, 0, 4, 4)))
	_, want, err := process(t, plain)
	require.NoError(t, err)
	bomb := pictures.Deflated(t, make([]byte, 20<<20))
	require.Less(t, len(bomb), 100<<10)
	text := func(kind, head string, content []byte) []byte {
		return pictures.Chunk(kind, append([]byte(head), content...)...)
	}
	whole := slices.Concat(plain[:33], pictures.Chunk("IDAT", bomb...), pictures.Chunk("IEND"))
	for name, raw := range map[string][]byte{
		"zTXt": pictures.WithChunks(plain, text("zTXt", "Comment\x00\x00", bomb)),
		"iTXt": pictures.WithChunks(plain, text("iTXt", "Comment\x00\x01\x00\x00\x00", bomb)),
		"iCCP": pictures.WithChunks(plain, text("iCCP", "profile\x00\x00", bomb)), "IDAT": whole,
		"iCCP with its size": pictures.WithChunks(plain, pictures.ProfileChunk(t, append([]byte("\x80\x00\x00\x00"), make([]byte, 8<<20)...))),
		"a thousand texts":   pictures.WithChunks(plain, bytes.Repeat(text("zTXt", "Comment\x00\x00", bomb[:4<<10]), 1000)),
	} {
		d, cost, err := process(t, raw)
		if err == nil {
			assert.Equal(t, image.Pt(4, 4), image.Pt(d.Width, d.Height), name)
			assert.Less(t, len(d.Bytes), 1<<10, name)
		}
		assert.Less(t, cost, want+room+uint64(2*len(raw)), name)
	}
}

// TestPLA03_EmptyChunks: the decoder would take 4 KiB for each of them.
func TestPLA03_EmptyChunks(t *testing.T) {
	plain := pictures.PNG(t, image.NewPaletted(image.Rect(0, 0, 4, 4), color.Palette{color.Black, color.White}))
	_, want, err := process(t, plain)
	require.NoError(t, err)
	raw := slices.Concat(plain[:33], bytes.Repeat(pictures.Chunk("teXt"), 800_000), plain[33:])
	_, cost, err := process(t, raw)
	assert.ErrorIs(t, err, media.ErrUnreadable)
	assert.Less(t, cost, want+room)
}

// TestPLA03_AnAnimationIsItsFirstFrame: further frames cost next to nothing.
func TestPLA03_AnAnimationIsItsFirstFrame(t *testing.T) {
	one := pictures.GIF(t, image.NewPaletted(image.Rect(0, 0, 60, 60), color.Palette{color.Black, color.White}))
	_, want, err := process(t, one)
	require.NoError(t, err)
	start := bytes.IndexByte(one[13+6:], ',') + 13 + 6
	require.Equal(t, byte(','), one[start])
	raw := slices.Concat(one[:start], bytes.Repeat(one[start:len(one)-1], 10_000), []byte(";"))
	d, cost, err := process(t, raw)
	require.NoError(t, err)
	assert.Equal(t, image.Pt(60, 60), image.Pt(d.Width, d.Height))
	assert.Less(t, cost, want+room)
}

// tag is one of a profile.
func tag(name, data string) pictures.Tag { return pictures.Tag{Name: name, Data: data} }

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
		profile := pictures.ICC(version, "RGB ", "Lab ", tag("A2B0", table), tag("B2A0", table+"x"))
		out := pictures.ProfileOf(developed(t, withProfile(raw, profile)).Bytes)
		require.NotEmpty(t, out)
		assert.Equal(t, len(out), int(binary.BigEndian.Uint32(out)), "it comes in several segments")
		assert.EqualValues(t, 4, out[8])
		assert.True(t, bytes.Contains(out, []byte(table)))
		assert.Less(t, len(out), len(table)+600, "the way back is left out")
		assert.Equal(t, out, pictures.ProfileOf(developed(t, withProfile(raw, out)).Bytes), "it is kept as it is now")
	}
	inks, err := os.ReadFile("jpeg/testdata/cmyk-2x1.jpg")
	require.NoError(t, err)
	for _, space := range []string{"CMYK", "RGB "} {
		d := developed(t, withProfile(inks, pictures.ICC(2, space, "Lab ", tag("A2B0", table))))
		assert.Empty(t, pictures.ProfileOf(d.Bytes), "inks become colours, and their profile is dropped")
	}
	curve := "curv\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00"
	for name, profile := range map[string][]byte{
		"a matrix that leads to Lab":        pictures.ICC(2, "RGB ", "Lab ", tag("rXYZ", "XYZ \x00\x00\x00\x00123412341234"), tag("rTRC", curve)),
		"a table of another kind":           pictures.ICC(2, "RGB ", "Lab ", tag("A2B0", "data"+table)),
		"a curve that is longer than it is": pictures.ICC(2, "RGB ", "XYZ ", tag("rTRC", "curv\x00\x00\x00\x00\xff\xff\xff\xff\x01\x00")),
		"a version that is not yet":         pictures.ICC(5, "RGB ", "Lab ", tag("A2B0", table)),
		"more than the bound":               pictures.ICC(2, "RGB ", "Lab ", tag("A2B0", table+table+table+table)),
		"a colour space of nobody":          pictures.ICC(2, "RGB ", "Luv ", tag("A2B0", table)),
		"no curve for greys":                pictures.ICC(2, "GRAY", "XYZ ", tag("rTRC", curve)),
	} {
		assert.Empty(t, pictures.ProfileOf(developed(t, withProfile(raw, profile)).Bytes), name)
	}
}

// TestPLA03_AGreyCurveThatLeadsToLightness can't be written for colours.
func TestPLA03_AGreyCurveThatLeadsToLightness(t *testing.T) {
	const greyWithAlpha = 4
	head := []byte{0, 0, 0, 1, 0, 0, 0, 1, 8, greyWithAlpha, 0, 0, 0}
	curve := "curv\x00\x00\x00\x00\x00\x00\x00\x01\x01\x00"
	for into, kept := range map[string]bool{"XYZ ": true, "Lab ": false} {
		raw := slices.Concat([]byte("\x89PNG\r\n\x1a\n"), pictures.Chunk("IHDR", head...),
			pictures.ProfileChunk(t, pictures.ICC(2, "GRAY", into, tag("kTRC", curve))),
			pictures.Chunk("IDAT", pictures.Deflated(t, []byte{0, 100, 255})...), pictures.Chunk("IEND"))
		d := developed(t, raw)
		require.Equal(t, "image/png", d.Type)
		assert.Equal(t, kept, bytes.Contains(d.Bytes, []byte("iCCP")), into)
	}
}
