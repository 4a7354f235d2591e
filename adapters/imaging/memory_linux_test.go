//go:build soak

package imaging

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
	"plaza/test/pictures"
)

// inUse returns the value of a line of the process's status, in bytes.
func inUse(t *testing.T, line string) int64 {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	require.NoError(t, err)
	found := regexp.MustCompile(line + `:\s+(\d+) kB`).FindSubmatch(status)
	require.NotNil(t, found)
	kB, err := strconv.ParseInt(string(found[1]), 10, 64)
	require.NoError(t, err)
	return kB << 10
}

// peakOf returns how much more memory than before the process has while it processes the
// picture: a large one twice, without the first result.
func peakOf(t *testing.T, raw []byte, isLarge bool, specs []media.SizeSpec) int64 {
	t.Helper()
	debug.FreeOSMemory()
	require.NoError(t, os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)) // the peak begins anew
	before := inUse(t, "VmRSS")
	s := NewProcessor(1)
	first, err := s.Process(t.Context(), "user 1", bytes.NewReader(raw), specs...)
	require.NoError(t, err)
	if !isLarge {
		return inUse(t, "VmHWM") - before
	}
	_, err = s.Process(t.Context(), "user 1", bytes.NewReader(raw), specs...)
	require.NoError(t, err)
	return inUse(t, "VmHWM") - before - int64(len(first.Bytes))
}

// upside turns a JPEG.
func upside(raw []byte) []byte {
	return pictures.WithSegments(raw, pictures.ExifSegment(pictures.Exif(binary.LittleEndian, 6, "")))
}

// TestPLA03_pictures_take_the_memory_that_is_counted compares what each form needs with what
// the process takes.
func TestPLA03_pictures_take_the_memory_that_is_counted(t *testing.T) {
	before := debug.SetGCPercent(400) // as a server
	t.Cleanup(func() { debug.SetGCPercent(before) })
	const width, height = 5000, 4000
	r := image.Rect(0, 0, width, height)
	colours := color.Palette{color.White, color.Transparent, color.Black, color.NRGBA{1, 2, 3, 4}}
	grey, palette := image.NewGray(r), image.NewPaletted(r, colours)
	for i := range grey.Pix {
		grey.Pix[i], palette.Pix[i] = uint8(i%width/97+i/width/61), uint8(i*i/7)&3
	}
	photo := image.NewYCbCr(r, image.YCbCrSubsampleRatio420)
	copy(photo.Y, grey.Pix)
	ramp := image.NewNRGBA(r) // is a PNG in the end, after it was a JPEG
	noise := image.NewYCbCr(r, image.YCbCrSubsampleRatio420)
	for i := range width * height {
		copy(ramp.Pix[4*i:], []byte{uint8(i % width), uint8(i / width), uint8(i%width + i/width), 255})
	}
	for i := range noise.Y {
		noise.Y[i], noise.Cb[i/4], noise.Cr[i/4] = uint8(-(uint32(i) * 2654435761 >> 17 & 1)), uint8(i*i/7), uint8(i*i/11)
	}
	square := image.NewGray(image.Rect(0, 0, 2500, 2500)) // the worst size to shrink to an avatar
	for _, m := range []module{libheif, libavif} {
		_, err := m()
		require.NoError(t, err)
	}
	for name, raw := range map[string][]byte{
		"JPEG": pictures.JPEG(t, photo), "JPEG turned": upside(pictures.JPEG(t, photo)), "JPEG grey": pictures.JPEG(t, grey),
		"JPEG progressive": pictures.Progressive(width, height), "JPEG progressive turned": upside(pictures.Progressive(width, height)),
		"JPEG progressive of inks":  inked(pictures.Progressive(width, height)),
		"JPEG without Adobe's mark": bytes.Replace(inked(pictures.Progressive(width, height)), []byte("Adobe"), []byte("Other"), 1),
		"PNG of 16 bits":            pictures.Deep(t, width, height, false), "PNG of 16 bits interlaced": pictures.Deep(t, width, height, true),
		"PNG grey": pictures.PNG(t, grey), "PNG with a palette": pictures.PNG(t, palette), "GIF": pictures.GIF(t, palette),
		"PNG of a ramp": pictures.PNG(t, ramp), "JPEG of noise": coarse(t, noise),
		"JPEG shrunk": pictures.JPEG(t, square),
		"HEIC":        pictures.Made(t, "large.heic"), "AVIF": pictures.Made(t, "large.avif"),
		"AVIF of 12 bits": pictures.Made(t, "large-deep.avif"), "AVIF of 40 megapixels": pictures.Made(t, "largest.avif"),
	} {
		_, h, err := (&original{ctx: t.Context(), raw: bytes.NewReader(raw)}).judge()
		require.NoError(t, err, name)
		counted := h.need.bytes(h.size, media.AvatarSizes)
		peak := peakOf(t, raw, counted > smallMemory, media.AvatarSizes)
		t.Logf("%-26s %4d MiB counted, %4d taken: %5.1f bytes a pixel", name, counted>>20, peak>>20, float64(peak)/float64(area(h.size)))
		const measuring = 8 << 20 // what the process itself takes more, at times
		assert.LessOrEqual(t, peak, counted+measuring, name)
	}
}

// coarse returns the picture as a JPEG of low quality.
func coarse(t *testing.T, m image.Image) []byte {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, jpeg.Encode(&out, m, &jpeg.Options{Quality: 20}))
	return out.Bytes()
}

// inked makes a fourth component of the first one, as in CMYK.
func inked(raw []byte) []byte {
	be := binary.BigEndian
	adobe := []byte("\xff\xee\x00\x0eAdobe\x00\x64\x00\x00\x00\x00\x00")
	frame := bytes.Index(raw, []byte("\xff\xc2"))
	length := int(be.Uint16(raw[frame+2:]))
	sof := append(slices.Clone(raw[frame:frame+2+length]), 4, 0x11, 0)
	be.PutUint16(sof[2:], uint16(length+3))
	sof[9] = 4
	scan := bytes.Index(raw, []byte("\xff\xda\x00\x08\x01\x03"))
	scans := slices.Clone(raw[scan : len(raw)-2])
	scans[5] = 4
	scans[bytes.LastIndex(scans, []byte("\xff\xda\x00\x08\x01\x03"))+5] = 4
	return slices.Concat(raw[:2], adobe, raw[2:frame], sof, raw[frame+2+length:len(raw)-2], scans, raw[len(raw)-2:])
}
