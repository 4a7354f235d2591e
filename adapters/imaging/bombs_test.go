package imaging_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
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
	be := binary.BigEndian
	size := func(width, height uint32) []byte { return be.AppendUint32(be.AppendUint32(nil, width), height) }
	png := func(width, height uint32) []byte {
		return slices.Concat([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(size(width, height), 16, 6, 0, 0, 0)), chunk("IDAT", make([]byte, 14)), chunk("IEND", nil))
	}
	webp := func(kind string, content []byte) []byte {
		le := binary.LittleEndian
		content = slices.Concat([]byte("WEBP"+kind), le.AppendUint32(nil, uint32(len(content))), content, make([]byte, len(content)%2))
		return append(le.AppendUint32([]byte("RIFF"), uint32(len(content))), content...)
	}
	for name, raw := range map[string][]byte{
		"PNG": png(60_000, 60_000), "PNG, the most": png(1<<31-1, 1<<31-1), "PNG, more than that": png(1<<32-1, 1<<32-1), "PNG, one row": png(1<<31-1, 1), "PNG, nothing": png(0, 0),
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
	bomb := deflated(t, make([]byte, 20<<20))
	require.Less(t, len(bomb), 100<<10)
	whole := slices.Concat(plain[:33], chunk("IDAT", bomb), chunk("IEND", nil))
	for name, raw := range map[string][]byte{
		"zTXt": withChunk(plain, "zTXt", append([]byte("Comment\x00\x00"), bomb...)), "iTXt": withChunk(plain, "iTXt", append([]byte("Comment\x00\x01\x00\x00\x00"), bomb...)),
		"iCCP": withChunk(plain, "iCCP", append([]byte("profile\x00\x00"), bomb...)), "IDAT": whole,
		"iCCP with its size": withChunk(plain, "iCCP", append([]byte("profile\x00\x00"), deflated(t, append([]byte("\x80\x00\x00\x00"), make([]byte, 8<<20)...))...)),
		"a thousand texts":   slices.Concat(plain[:33], bytes.Repeat(chunk("zTXt", append([]byte("Comment\x00\x00"), bomb[:4<<10]...)), 1000), plain[33:]),
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
	raw := slices.Concat(plain[:33], bytes.Repeat(chunk("teXt", nil), 800_000), plain[33:])
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
