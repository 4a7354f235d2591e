package ports

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/media"
)

// Inspector is the suite of media.Inspector.
func Inspector(t *testing.T, fresh func(t *testing.T) media.Inspector) {
	for _, p := range []struct {
		sentence string
		kept     func(*testing.T, media.Inspector)
	}{
		{"Inspect returns the picture that the bytes are, judged by their content", inspectPictures},
		{"what is no picture of an accepted type is a fault on the field", inspectOthers},
		{"more than MaxPixels is a fault on the field", inspectPixels},
		{"more than MaxBytes is a fault on the field", inspectBytes},
		{"what is refused costs nothing", inspectCosts},
		{"whoever has gone away is not served", inspectGone},
	} {
		t.Run(p.sentence, func(t *testing.T) { p.kept(t, fresh(t)) })
	}
}

// dots is a picture of so many pixels.
func dots(width, height int) image.Image {
	return image.NewPaletted(image.Rect(0, 0, width, height), color.Palette{color.Black, color.White})
}

// encoded are pictures of 7 x 5 by their type.
func encoded(t *testing.T) map[string][]byte {
	t.Helper()
	var j, p, g bytes.Buffer
	require.NoError(t, jpeg.Encode(&j, dots(7, 5), nil))
	require.NoError(t, png.Encode(&p, dots(7, 5)))
	require.NoError(t, gif.Encode(&g, dots(7, 5), nil))
	return map[string][]byte{"image/jpeg": j.Bytes(), "image/png": p.Bytes(), "image/gif": g.Bytes()}
}

// webPs are pictures of 1 x 1, without loss and with.
func webPs(t *testing.T) [][]byte {
	t.Helper()
	var all [][]byte
	for _, s := range []string{
		"UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==",
		"UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA",
	} {
		raw, err := base64.StdEncoding.DecodeString(s)
		require.NoError(t, err)
		all = append(all, raw)
	}
	return all
}

func chunk(kind string, data ...byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, uint32(len(data)))
	out = append(append(out, kind...), data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

// hollowPNG is a PNG that only declares its size, in 71 bytes.
func hollowPNG(width, height uint32) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	out := append([]byte("\x89PNG\r\n\x1a\n"), chunk("IHDR", append(head, 8, 6, 0, 0, 0)...)...)
	out = append(out, chunk("IDAT", 0x78, 0x9c, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)...)
	return append(out, chunk("IEND")...)
}

// hollowGIF and hollowJPEG only declare their sizes as well.
func hollowGIF(width, height uint16) []byte {
	out := binary.LittleEndian.AppendUint16([]byte("GIF89a"), width)
	return append(binary.LittleEndian.AppendUint16(out, height), 0, 0, 0, 0x3b)
}

func hollowJPEG(width, height uint16) []byte {
	out := binary.BigEndian.AppendUint16([]byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xc0\x00\x0b\x08"), height)
	return append(binary.BigEndian.AppendUint16(out, width), 1, 1, 0x11, 0)
}

// hollowWebP declares the size of its canvas.
func hollowWebP(width, height uint32) []byte {
	w, h := width-1, height-1
	data := []byte{0x10, 0, 0, 0, byte(w), byte(w >> 8), byte(w >> 16), byte(h), byte(h >> 8), byte(h >> 16)}
	return append([]byte("RIFF\x16\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00"), data...)
}

func inspectPictures(t *testing.T, in media.Inspector) {
	for kind, raw := range encoded(t) {
		u, err := in.Inspect(t.Context(), "photo", raw)
		require.NoError(t, err, kind)
		assert.Equal(t, []any{kind, 7, 5}, []any{u.Type, u.Width, u.Height})
		assert.NotEmpty(t, u.Bytes)
	}
	for _, raw := range webPs(t) {
		u, err := in.Inspect(t.Context(), "photo", raw)
		require.NoError(t, err)
		assert.Equal(t, []any{"image/webp", 1, 1}, []any{u.Type, u.Width, u.Height})
	}
}

// refused asserts that the bytes are refused with the sentence.
func refused(t *testing.T, in media.Inspector, raw []byte, sentence string) {
	t.Helper()
	for _, field := range []string{"photo", "img"} {
		u, err := in.Inspect(t.Context(), field, raw)
		f, isFault := fault.Of(err)
		require.True(t, isFault, "%v: %.40q", err, raw)
		assert.Equal(t, fault.Invalid, f.Kind)
		assert.Equal(t, fault.Fields{field: {sentence}}, f.Fields, "%.40q", raw)
		assert.Zero(t, u)
	}
}

func inspectOthers(t *testing.T, in media.Inspector) {
	for _, raw := range []string{
		"", "\x00", "text", "<html><img></html>", "<svg xmlns='http://www.w3.org/2000/svg'/>", "%PDF-1.7", "BM\x3a\x00\x00\x00", "II*\x00",
		"\xff\xd8", "\xff\xd8\xff", "\x89PNG\r\n\x1a\n", "\x89PNG", "GIF89a", "GIF88a\x01\x00\x01\x00\x00\x00\x00", "RIFF\x04\x00\x00\x00WEBP",
		"RIFF\x24\x00\x00\x00WAVEfmt ", "\x00\x00\x00\x1cftypavif", "data:image/png;base64,iVBORw0KGgo=",
	} {
		refused(t, in, []byte(raw), media.NotAccepted)
	}
	pictures := encoded(t)
	for _, raw := range pictures {
		refused(t, in, raw[:9], media.NotAccepted)
		refused(t, in, append([]byte(" "), raw...), media.NotAccepted)
	}
	refused(t, in, hollowGIF(0, 5), media.NotAccepted)
	refused(t, in, hollowPNG(0, 5), media.NotAccepted)
}

func inspectPixels(t *testing.T, in media.Inspector) {
	for _, raw := range [][]byte{
		hollowPNG(60_000, 60_000), hollowPNG(8001, 5000), hollowPNG(40_000_001, 1), hollowGIF(65_535, 65_535), hollowGIF(8001, 5000),
		hollowJPEG(65_535, 65_535), hollowJPEG(5000, 8001), hollowWebP(16_383, 16_383), hollowWebP(8001, 5000),
	} {
		refused(t, in, raw, media.TooManyDots)
	}
}

func inspectBytes(t *testing.T, in media.Inspector) {
	raw := encoded(t)["image/jpeg"]
	full := append(bytes.Clone(raw), make([]byte, media.MaxBytes-len(raw))...)
	_, err := in.Inspect(t.Context(), "photo", full)
	require.NoError(t, err)
	refused(t, in, append(full, 0), media.TooLarge)
	refused(t, in, make([]byte, media.MaxBytes+1), media.TooLarge)
}

func inspectCosts(t *testing.T, in media.Inspector) {
	bomb := hollowPNG(60_000, 60_000)
	require.Len(t, bomb, 71)
	for _, raw := range [][]byte{
		bomb, hollowGIF(65_535, 65_535), hollowJPEG(65_535, 65_535), hollowWebP(16_383, 16_383), make([]byte, media.MaxBytes), {},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := in.Inspect(t.Context(), "photo", raw)
		runtime.ReadMemStats(&after)
		require.Error(t, err)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "%.20q", raw)
	}
}

func inspectGone(t *testing.T, in media.Inspector) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := in.Inspect(gone, "photo", encoded(t)["image/png"])
	assert.ErrorIs(t, err, context.Canceled)
}
