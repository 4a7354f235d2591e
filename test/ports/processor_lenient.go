package ports

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/domain/media"
	"plaza/test/pictures"
)

// processorAnimatedWebP works on first pictures that are smaller than their canvas, with loss and without.
func processorAnimatedWebP(t *testing.T, s media.Processor) {
	for name, raw := range map[string][]byte{
		"exact": animatedWebP(40, 30, 3, 2, webPOf(quarters(24, 18))), "lossy": pictures.Made(t, "animated.webp"),
		"with a hole": pictures.Made(t, "animated-hole.webp"),
	} {
		d := processed(t, s, raw)
		assert.Equal(t, []any{"image/png", 40, 30}, []any{d.Type, d.Width, d.Height}, name)
		m := asPicture(t, d.Upload)
		for _, p := range []image.Point{{5, 10}, {10, 3}, {30, 10}, {10, 22}} {
			assertColour(t, color.NRGBA{}, m, p.X, p.Y, name)
		}
		for i, p := range []image.Point{{12, 8}, {24, 8}, {12, 17}, {24, 17}} {
			assertColour(t, quarterColours[i], m, p.X, p.Y, name)
		}
		_, _, _, alpha := m.At(8, 6).RGBA()
		assert.Equal(t, name != "with a hole", alpha != 0, name)
	}
	d := processed(t, s, animatedWebP(24, 18, 0, 0, webPOf(quarters(24, 18))))
	assert.Equal(t, []int{24, 18}, []int{d.Width, d.Height}, "it fills the canvas")
	assertQuarters(t, asPicture(t, d.Upload), [4]int{0, 1, 2, 3})
	c := processorClient{t, s}
	c.refused(animatedWebP(24, 18, 1, 0, webPOf(quarters(24, 18))), media.ErrUnreadable) // it leaves the canvas
	raw := animatedWebP(40, 30, 3, 2, webPOf(quarters(24, 18)))
	for _, length := range []int{30, 50, 70, 100} {
		c.refused(raw[:length], media.ErrCutOff)
	}
}

// animatedWebP has one picture, at twice the place, and one of a pixel.
func animatedWebP(width, height int, x, y byte, frame []byte) []byte {
	const animated = 0x02
	size := binary.LittleEndian.Uint32(frame[9:])
	w, h := byte(size&(1<<14-1)), byte(size>>14&(1<<14-1))
	placed := slices.Concat([]byte{x, 0, 0, y, 0, 0, w, 0, 0, h, 0, 0, 100, 0, 0, 0}, frame)
	pixel := append([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0}, webPOf(quarters(1, 1))...)
	return webPFile(webPCanvas(animated, width, height), webPChunk("ANIM", make([]byte, 6)), webPChunk("ANMF", placed),
		webPChunk("ANMF", pixel))
}

func processorLenient(t *testing.T, s media.Processor) {
	wrong := func(chunk []byte) []byte { return append(chunk[:len(chunk)-1], ^chunk[len(chunk)-1]) }
	c, order := processorClient{t, s}, [4]int{0, 1, 2, 3}
	plain := pictures.PNG(t, quarters(40, 30))
	for _, odd := range [][]byte{
		withChunks(plain, wrong(chunk("tEXt", []byte("Comment\x00hello")...))),
		withChunks(plain, wrong(chunk("tRNS", 0, 255, 0, 0, 0, 0))), // red would be transparent
		withChunks(plain, wrong(chunk("gAMA", 0, 0, 1, 2)), chunk("tEXt", 0), wrong(chunk("pHYs", 1))),
		slices.Concat(plain[:len(plain)-12], wrong(chunk("tIME", 1, 2)), plain[len(plain)-12:]),
	} {
		m := asPicture(t, processed(t, s, odd).Upload)
		assertQuarters(t, m, order)
		assertColour(t, quarterColours[0], m, 3, 3)
	}
	c.refused(withChunks(plain, wrong(chunk("CRIT", 1))), media.ErrUnreadable)
	c.refused(slices.Concat(wrong(bytes.Clone(plain[:33])), plain[33:]), media.ErrUnreadable)
	right := processed(t, s, withChunks(plain, chunk("tRNS", 0, 255, 0, 0, 0, 0)))
	assert.Equal(t, "image/png", right.Type)
	assertColour(t, color.NRGBA{R: 255}, asPicture(t, right.Upload), 3, 3)

	g := pictures.GIF(t, paletted(quarters(40, 30)))
	first := bytes.IndexByte(g[13+3*4:], ',') + 13 + 3*4
	unknown := []byte("!\x55\x03abc\x04defg\x00!\x00\x00!\xce\x01x\x00")
	assertQuarters(t, asPicture(t, processed(t, s, slices.Concat(g[:first], unknown, g[first:])).Upload), order)
	for _, length := range []int{1, 4, 8, 12} {
		c.refused(slices.Concat(g[:first], unknown[:length]), media.ErrCutOff)
	}
}

func processorLargeFrames(t *testing.T, s media.Processor) {
	raw := pictures.GIF(t, paletted(quarters(40, 30)))
	le := binary.LittleEndian
	first := bytes.IndexByte(raw[13+3*4:], ',') + 13 + 3*4
	for _, size := range [][2]uint16{{8, 6}, {0, 0}, {40, 6}} {
		le.PutUint16(raw[6:], size[0])
		le.PutUint16(raw[8:], size[1])
		d := processed(t, s, raw)
		assert.Equal(t, []int{40, 30}, []int{d.Width, d.Height})
		assertQuarters(t, asPicture(t, d.Upload), [4]int{0, 1, 2, 3})
	}
	le.PutUint16(raw[first+1:], 5)
	le.PutUint16(raw[first+3:], 7)
	d := processed(t, s, raw)
	assert.Equal(t, []any{"image/png", 45, 37}, []any{d.Type, d.Width, d.Height})
	assertColour(t, color.NRGBA{}, asPicture(t, d.Upload), 4, 20)
	c := processorClient{t, s}
	le.PutUint16(raw[first+1:], 65_500)
	c.refused(raw, media.ErrUnreadable) // no screen is as large
	le.PutUint16(raw[first+1:], 5)
	le.PutUint16(raw[first+5:], 60_000)
	le.PutUint16(raw[first+7:], 60_000)
	c.refused(raw, media.ErrTooManyPixels)
}
