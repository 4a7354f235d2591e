package ports

import (
	"encoding/binary"
	"image"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/media"
)

// uprightQuarters are the quarters of a stored picture as they are to be seen, by its
// orientation.
var uprightQuarters = map[uint16][4]int{
	1: {0, 1, 2, 3}, 2: {1, 0, 3, 2}, 3: {3, 2, 1, 0}, 4: {2, 3, 0, 1},
	5: {0, 2, 1, 3}, 6: {2, 0, 3, 1}, 7: {3, 1, 2, 0}, 8: {1, 3, 0, 2},
}

// turnedBy are files of the picture that say how the camera was held, by what they are.
func turnedBy(t *testing.T, m *image.NRGBA, orientation uint16) map[string][]byte {
	t.Helper()
	of := encoded(t, m)
	intel, motorola := exif(binary.LittleEndian, orientation, ""), exif(binary.BigEndian, orientation, "")
	const hasExif = 0x08
	size := m.Rect.Size()
	all := map[string][]byte{
		"JPEG": withSegments(of["image/jpeg"], segment(0xe1, append([]byte("Exif\x00\x00"), intel...))),
		"JPEG, Motorola": withSegments(of["image/jpeg"], segment(0xfe, []byte("first")),
			segment(0xe1, append([]byte("Exif\x00\x00"), motorola...))),
		"PNG":  withChunks(of["image/png"], chunk("eXIf", motorola...)),
		"WebP": webPFile(webPCanvas(hasExif, size.X, size.Y), webPOf(m), webPChunk("EXIF", intel)),
		"WebP, odd": webPFile(webPCanvas(hasExif, size.X, size.Y), webPChunk("ODD ", []byte{1}), webPOf(m),
			webPChunk("EXIF", append([]byte("Exif\x00\x00"), motorola...))),
	}
	behind := of["image/png"]
	end := len(behind) - len(chunk("IEND"))
	all["PNG, behind the pixels"] = append(append(append([]byte{}, behind[:end]...), chunk("eXIf", intel...)...), chunk("IEND")...)
	return all
}

// assertUpright asserts that pictures of the size that were taken with the orientation are upright, and so are their variants.
func assertUpright(t *testing.T, s media.Processor, size image.Point, orientation uint16) {
	t.Helper()
	order, small := uprightQuarters[orientation], image.Pt(24, 18)
	width, height := size.X, size.Y
	if orientation >= 5 {
		width, height, small = height, width, image.Pt(18, 24)
	}
	for kind, raw := range turnedBy(t, quarters(size.X, size.Y), orientation) {
		d := processed(t, s, raw, media.SizeSpec{Name: "sm", Width: 24, Height: 24})
		assert.Equal(t, []int{width, height}, []int{d.Width, d.Height}, "%s, %d", kind, orientation)
		assertQuarters(t, asPicture(t, d.Upload), order, "%s, %d", kind, orientation)
		assert.Equal(t, small, image.Pt(d.Variants[0].Width, d.Variants[0].Height), "%s, %d", kind, orientation)
		assertQuarters(t, asPicture(t, d.Variants[0].Upload), order, "%s, %d", kind, orientation)
	}
}

func processorUpright(t *testing.T, s media.Processor) {
	for _, size := range []image.Point{{64, 48}, {63, 47}} {
		t.Run(size.String(), func(t *testing.T) {
			if testing.Short() && size.X == 64 {
				t.Skip("make test-all runs this")
			}
			for orientation := range uprightQuarters {
				assertUpright(t, s, size, orientation)
			}
		})
	}
	// Grey pictures and transparent ones are turned as well; what is no orientation turns nothing.
	m := quarters(64, 48)
	m.Pix[3] = 0
	for _, kind := range []string{"PNG", "WebP"} {
		d := processed(t, s, turnedBy(t, m, 6)[kind])
		assertQuarters(t, asPicture(t, d.Upload), uprightQuarters[6], kind)
		_, _, _, a := asPicture(t, d.Upload).At(47, 0).RGBA()
		assert.Zero(t, a, kind)
	}
	for _, orientation := range []uint16{0, 9, 0xffff} {
		for kind, raw := range turnedBy(t, quarters(64, 48), orientation) {
			d := processed(t, s, raw)
			assertQuarters(t, asPicture(t, d.Upload), uprightQuarters[1], "%s, %d", kind, orientation)
		}
	}
}
