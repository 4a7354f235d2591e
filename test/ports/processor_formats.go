package ports

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
	"plaza/test/pictures"
)

func processorAnimations(c processorClient) {
	palette := color.Palette{quarterColours[0], quarterColours[2]}
	first, second := image.NewPaletted(image.Rect(5, 3, 20, 12), palette), image.NewPaletted(image.Rect(0, 0, 30, 20), palette)
	for i := range second.Pix {
		second.Pix[i] = 1
	}
	var raw bytes.Buffer
	require.NoError(c, gif.EncodeAll(&raw, &gif.GIF{
		Image: []*image.Paletted{first, second}, Delay: []int{1, 1}, Config: image.Config{Width: 30, Height: 20, ColorModel: palette},
	}))
	red := quarterColours[0]
	c.becomes(sample{name: "GIF", raw: raw.Bytes(), kind: "image/png", width: 30, height: 20, pixels: map[image.Point]color.NRGBA{
		{X: 5, Y: 3}: red, {X: 19, Y: 11}: red, {X: 4, Y: 3}: {}, {X: 20, Y: 11}: {}}})

	placed := map[image.Point]color.NRGBA{{X: 5, Y: 10}: {}, {X: 10, Y: 3}: {}, {X: 30, Y: 10}: {}, {X: 10, Y: 22}: {}}
	for i, p := range []image.Point{{X: 12, Y: 8}, {X: 24, Y: 8}, {X: 12, Y: 17}, {X: 24, Y: 17}} {
		placed[p] = quarterColours[i]
	}
	whole, hole := maps.Clone(placed), maps.Clone(placed)
	whole[image.Pt(8, 6)], hole[image.Pt(8, 6)] = red, color.NRGBA{}
	small := webPOf(quarters(24, 18))
	exact := animatedWebP(40, 30, 3, 2, small)
	c.becomes(
		sample{name: "exact", raw: exact, kind: "image/png", width: 40, height: 30, pixels: whole},
		sample{name: "lossy", raw: pictures.Made(c.T, "animated.webp"), kind: "image/png", width: 40, height: 30, pixels: whole},
		sample{name: "with a hole", raw: pictures.Made(c.T, "animated-hole.webp"), kind: "image/png", width: 40, height: 30, pixels: hole},
		sample{name: "it fills the canvas", raw: animatedWebP(24, 18, 0, 0, small), kind: "image/jpeg", width: 24, height: 18, order: asIs},
	)
	c.refused(animatedWebP(24, 18, 1, 0, small), media.ErrUnreadable) // it leaves the canvas
	for _, length := range []int{30, 50, 70, 100} {
		c.refused(exact[:length], media.ErrCutOff)
	}
}

// animatedWebP has one picture, at twice the place, and one of a pixel.
func animatedWebP(width, height int, x, y byte, frame []byte) []byte {
	const animated = 0x02
	size := binary.LittleEndian.Uint32(frame[9:])
	w, h := byte(size&(1<<14-1)), byte(size>>14&(1<<14-1))
	placed := slices.Concat([]byte{x, 0, 0, y, 0, 0, w, 0, 0, h, 0, 0, 100, 0, 0, 0}, frame)
	pixel := append([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0}, webPOf(quarters(1, 1))...)
	return pictures.WebPFile(pictures.WebPCanvas(animated, width, height), pictures.WebPChunk("ANIM", make([]byte, 6)),
		pictures.WebPChunk("ANMF", placed), pictures.WebPChunk("ANMF", pixel))
}

func processorLenient(c processorClient) {
	wrong := func(chunk []byte) []byte { return append(chunk[:len(chunk)-1], ^chunk[len(chunk)-1]) }
	plain, red := pictures.PNG(c.T, quarters(40, 30)), map[image.Point]color.NRGBA{{X: 3, Y: 3}: quarterColours[0]}
	for _, odd := range [][]byte{
		pictures.WithChunks(plain, wrong(pictures.Chunk("tEXt", []byte("Comment\x00hello")...))),
		pictures.WithChunks(plain, wrong(pictures.Chunk("tRNS", 0, 255, 0, 0, 0, 0))), // red would be transparent
		pictures.WithChunks(plain, wrong(pictures.Chunk("gAMA", 0, 0, 1, 2)), pictures.Chunk("tEXt", 0), wrong(pictures.Chunk("pHYs", 1))),
		slices.Concat(plain[:len(plain)-12], wrong(pictures.Chunk("tIME", 1, 2)), plain[len(plain)-12:]),
	} {
		c.becomes(sample{"a wrong checksum", odd, "image/png", 40, 30, asIs, red})
	}
	c.refused(pictures.WithChunks(plain, wrong(pictures.Chunk("CRIT", 1))), media.ErrUnreadable)
	c.refused(slices.Concat(wrong(bytes.Clone(plain[:33])), plain[33:]), media.ErrUnreadable)
	c.becomes(sample{name: "a right one", raw: pictures.WithChunks(plain, pictures.Chunk("tRNS", 0, 255, 0, 0, 0, 0)), kind: "image/png",
		width: 40, height: 30, pixels: map[image.Point]color.NRGBA{{X: 3, Y: 3}: {R: 255}}})

	g := pictures.GIF(c.T, paletted(quarters(40, 30)))
	first := bytes.IndexByte(g[13+3*4:], ',') + 13 + 3*4
	unknown := []byte("!\x55\x03abc\x04defg\x00!\x00\x00!\xce\x01x\x00")
	c.becomes(sample{"unknown extensions", slices.Concat(g[:first], unknown, g[first:]), "image/png", 40, 30, asIs, nil})
	for _, length := range []int{1, 4, 8, 12} {
		c.refused(slices.Concat(g[:first], unknown[:length]), media.ErrCutOff)
	}
}

func processorLargeFrames(c processorClient) {
	raw := pictures.GIF(c.T, paletted(quarters(40, 30)))
	put := func(at int, numbers ...uint16) []byte {
		for i, n := range numbers {
			binary.LittleEndian.PutUint16(raw[at+2*i:], n)
		}
		return raw
	}
	const screen = 6
	frame := bytes.IndexByte(raw[13+3*4:], ',') + 13 + 3*4 + 1
	for _, size := range [][]uint16{{8, 6}, {0, 0}, {40, 6}} {
		c.becomes(sample{"a small screen", put(screen, size...), "image/png", 40, 30, asIs, nil})
	}
	c.becomes(sample{name: "beside its corner", raw: put(frame, 5, 7), kind: "image/png", width: 45, height: 37,
		pixels: map[image.Point]color.NRGBA{{X: 4, Y: 20}: {}}})
	c.refused(put(frame, 65_500), media.ErrUnreadable) // no screen is as large
	c.refused(put(frame, 5, 7, 60_000, 60_000), media.ErrTooManyPixels)
}

// uprightQuarters are the quarters of a stored picture as they are to be seen, by its orientation.
var uprightQuarters = map[uint16][4]int{
	1: {0, 1, 2, 3}, 2: {1, 0, 3, 2}, 3: {3, 2, 1, 0}, 4: {2, 3, 0, 1},
	5: {0, 2, 1, 3}, 6: {2, 0, 3, 1}, 7: {3, 1, 2, 0}, 8: {1, 3, 0, 2},
}

// turnedBy are files of the picture that say how the camera was held, by what they are.
func turnedBy(t *testing.T, m *image.NRGBA, orientation uint16) map[string][]byte {
	of := encoded(t, m)
	intel, motorola := pictures.Exif(binary.LittleEndian, orientation, ""), pictures.Exif(binary.BigEndian, orientation, "")
	const hasExif = 0x08
	size := m.Rect.Size()
	all := map[string][]byte{
		"JPEG": pictures.WithSegments(of["image/jpeg"], pictures.ExifSegment(intel)),
		"JPEG, Motorola": pictures.WithSegments(of["image/jpeg"], pictures.Segment(0xfe, "", []byte("first")),
			pictures.ExifSegment(motorola)),
		"PNG":  pictures.WithChunks(of["image/png"], pictures.Chunk("eXIf", motorola...)),
		"WebP": pictures.WebPFile(pictures.WebPCanvas(hasExif, size.X, size.Y), webPOf(m), pictures.WebPChunk("EXIF", intel)),
		"WebP, odd": pictures.WebPFile(pictures.WebPCanvas(hasExif, size.X, size.Y), pictures.WebPChunk("ODD ", []byte{1}), webPOf(m),
			pictures.WebPChunk("EXIF", append([]byte("Exif\x00\x00"), motorola...))),
	}
	behind := of["image/png"]
	end := len(behind) - len(pictures.Chunk("IEND"))
	all["PNG, behind the pixels"] = slices.Concat(behind[:end], pictures.Chunk("eXIf", intel...), pictures.Chunk("IEND"))
	return all
}

func processorUpright(c processorClient) {
	for _, size := range []image.Point{{64, 48}, {63, 47}} {
		c.Run(size.String(), func(t *testing.T) {
			if testing.Short() && size.X == 64 {
				t.Skip("make test-all runs this")
			}
			for orientation, order := range uprightQuarters {
				width, height := size.X, size.Y
				if orientation >= 5 {
					width, height = height, width
				}
				for kind, raw := range turnedBy(t, quarters(size.X, size.Y), orientation) {
					processorClient{t, c.s}.becomes(sample{fmt.Sprintf("%s, %d", kind, orientation), raw, storedAs(kind), width, height, order, nil})
				}
			}
		})
	}
	// Transparent pictures are turned as well; what is no orientation turns nothing.
	m := quarters(64, 48)
	m.Pix[3] = 0
	for _, kind := range []string{"PNG", "WebP"} {
		c.becomes(sample{kind, turnedBy(c.T, m, 6)[kind], "image/png", 48, 64, uprightQuarters[6], map[image.Point]color.NRGBA{{X: 47}: {}}})
	}
	for _, orientation := range []uint16{0, 9, 0xffff} {
		for kind, raw := range turnedBy(c.T, quarters(64, 48), orientation) {
			c.becomes(sample{fmt.Sprintf("%s, %d", kind, orientation), raw, storedAs(kind), 64, 48, asIs, nil})
		}
	}
}

// processorHEIF works on HEIC and AVIF.
func processorHEIF(c processorClient) {
	made := func(name string) []byte { return pictures.Made(c.T, name) }
	for orientation, order := range uprightQuarters {
		for _, kind := range []string{"heic", "avif"} {
			name, width, height := fmt.Sprintf("turned-%d.%s", orientation, kind), 63, 47
			if orientation >= 5 {
				width, height = height, width
			}
			c.becomes(sample{name, made(name), "image/jpeg", width, height, order, nil})
		}
	}
	// the orientation of Exif is not that of a HEIC
	for _, name := range []string{"deep.avif", "full-chroma.heic", "narrow.heic", "exif-6.heic"} {
		assertQuarters(c.T, asPicture(c.T, c.processed(made(name)).Upload), asIs, name)
	}
	for _, name := range []string{"grey.heic", "grey.avif"} {
		m := asPicture(c.T, c.processed(made(name)).Upload)
		for _, x := range []int{8, 32, 56} {
			assertColour(c.T, color.Gray{Y: uint8(4 * x)}, m, x, 32, name)
		}
	}
	for _, name := range []string{"hole.avif", "hole.heic", "hole-colours.heic", "hole-multiplied.heic"} {
		d := c.processed(made(name))
		assert.Equal(c, "image/png", d.Type, name)
		m := asPicture(c.T, d.Upload)
		assert.Equal(c, color.NRGBA{}, color.NRGBAModel.Convert(m.At(3, 3)), "%s: what can't be seen has no colour", name)
		assertColour(c.T, quarterColours[0], m, 20, 20, name)
		if strings.HasSuffix(name, ".heic") {
			assertColour(c.T, color.NRGBA{G: 255, A: 128}, m, 60, 3, name)
		}
	}
	// A map of depth, and the opacity of another picture.
	for of, is := range map[string]string{"auxid:1": "auxid:2", "auxl\x00\x04\x00\x01\x00\x02": "auxl\x00\x04\x00\x01\x00\x01"} {
		raw := bytes.Replace(made("hole.heic"), []byte(of), []byte(is), 1)
		assert.Equal(c, "image/jpeg", c.processed(raw).Type, "%q", is)
	}
	white := quarterColours[3]
	c.becomes(
		sample{name: "aperture", raw: made("aperture.avif"), kind: "image/jpeg", width: 20, height: 16,
			pixels: map[image.Point]color.NRGBA{{X: 1, Y: 1}: white, {X: 18, Y: 14}: white}},
		sample{name: "turned", raw: made("aperture-turned.avif"), kind: "image/jpeg", width: 16, height: 20},
	)
	// A file whose first brand is of pictures in general, and one that is not whole.
	general := made("turned-1.heic")
	copy(general[8:], "mif1")
	c.becomes(sample{"general", general, "image/jpeg", 63, 47, asIs, nil})
	for _, kind := range []string{"heic", "avif"} {
		raw := made("turned-1." + kind)
		c.refused(raw[:len(raw)-20], media.ErrCutOff)
		c.refused(raw[:100], media.ErrCutOff)
		c.processed(append(bytes.Clone(raw), "a film, and no box"...))
		c.refused(bytes.ReplaceAll(raw, []byte("ispe"), []byte("free")), media.ErrUnreadable)
		c.refused(bytes.ReplaceAll(raw, []byte{0, 0, 0, 63, 0, 0, 0, 47}, []byte{0, 0, 100, 0, 0, 0, 100, 0}), media.ErrTooManyPixels)
	}
}

// marked is what must not be found again. It stands for a place.
const marked = "N 52.5163 E 13.3777"

// metadataSamples are pictures that say where they were taken, everywhere that they can.
func metadataSamples(t *testing.T, m *image.NRGBA) map[string][]byte {
	of := encoded(t, m)
	note := []byte(marked)
	gps := pictures.Exif(binary.LittleEndian, 6, "GPS"+marked)
	zip := "PK\x03\x04" + marked + "PK\x05\x06"
	icc := iccProfile("RGB ", wideColours(), marked)

	j := pictures.WithSegments(of["image/jpeg"],
		pictures.Segment(0xe0, "JFXX\x00\x10", note),
		pictures.ExifSegment(gps),
		pictures.Segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00<x:xmpmeta>", note),
		pictures.Segment(0xe2, "ICC_PROFILE\x00\x01\x01", icc),
		pictures.Segment(0xe2, "MPF\x00", note),
		pictures.Segment(0xed, "Photoshop 3.0\x008BIM\x04\x04\x00\x00", note),
		pictures.Segment(0xef, "", note), pictures.Segment(0xfe, "", note))
	p := pictures.WithChunks(of["image/png"],
		pictures.Chunk("tEXt", append([]byte("Comment\x00"), note...)...),
		pictures.Chunk("zTXt", append([]byte("Comment\x00\x00"), pictures.Deflated(t, note)...)...),
		pictures.Chunk("iTXt", append([]byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"), note...)...),
		pictures.Chunk("iCCP", append([]byte(marked+"\x00\x00"), pictures.Deflated(t, icc)...)...),
		pictures.Chunk("eXIf", gps...), pictures.Chunk("prVt", note...))
	g := of["image/gif"]
	const screen = 13
	table := 3 << (g[10]&7 + 1)
	comment := append([]byte{0x21, 0xfe, byte(len(note))}, append(note, 0)...)
	g = slices.Concat(g[:screen+table], comment, g[screen+table:])
	const iccExifXMP = 0x2c
	w := pictures.WebPFile(pictures.WebPCanvas(iccExifXMP, m.Rect.Dx(), m.Rect.Dy()), pictures.WebPChunk("ICCP", icc),
		pictures.WebPChunk("ANY ", note), webPOf(m),
		pictures.WebPChunk("EXIF", gps), pictures.WebPChunk("XMP ", append([]byte("<x:xmpmeta>"), note...)))
	all := map[string][]byte{"JPEG": j, "PNG": p, "GIF": g, "WebP": w}
	for kind := range all {
		all[kind] = append(all[kind], zip...)
	}
	return all
}

// said is all that a file says, with what is compressed in it.
func said(t *testing.T, u media.Upload) string { return string(u.Bytes) + string(iccOf(t, u)) }

func processorMetadata(c processorClient) {
	opaque, transparent := quarters(64, 48), quarters(64, 48)
	transparent.Pix[3] = 0
	for _, m := range []*image.NRGBA{opaque, transparent} {
		for kind, raw := range metadataSamples(c.T, m) {
			require.Contains(c, string(raw), marked, "the test is one")
			d := c.processed(raw, media.SizeSpec{Name: "sm", Width: 20, Height: 20})
			for _, u := range []media.Upload{d.Upload, d.Variants[0].Upload} {
				asPicture(c.T, u)
				for _, trace := range []string{marked, "GPS", "Exif", "xmpmeta", "8BIM", "MPF", "PK\x03\x04", "II*\x00", "Comment"} {
					assert.False(c, strings.Contains(said(c.T, u), trace), "%s has %q", kind, trace)
				}
				end := map[string]string{"image/jpeg": "\xff\xd9", "image/png": "IEND\xaeB`\x82"}[u.Type]
				assert.True(c, strings.HasSuffix(string(u.Bytes), end), kind)
			}
		}
	}
	// Two files that differ only in their metadata become the same.
	assert.Equal(c, c.processed(pictures.GIF(c.T, paletted(opaque))), c.processed(metadataSamples(c.T, opaque)["GIF"]))
}

// The pictures of this suite are made here.

// The colours of the quarters of a picture, as they are read: all of them can be written in any form.
var quarterColours = [4]color.NRGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 255, 255}}

// quarters is a picture whose quarters have one colour each.
func quarters(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.SetNRGBA(x, y, quarterColours[2*(2*y/height)+2*x/width])
		}
	}
	return m
}

// encoded is the picture by its type; the WebP is one without loss.
func encoded(t *testing.T, m *image.NRGBA) map[string][]byte {
	return map[string][]byte{
		"image/jpeg": pictures.JPEG(t, m), "image/png": pictures.PNG(t, m), "image/gif": pictures.GIF(t, paletted(m)),
		"image/webp": pictures.WebPFile(webPOf(m)),
	}
}

// paletted is the picture with all of its colours, of which it must not have many.
func paletted(m *image.NRGBA) *image.Paletted {
	p := image.NewPaletted(m.Rect, nil)
	numbers := map[color.NRGBA]int{}
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			c := m.NRGBAAt(x, y)
			i, known := numbers[c]
			if !known && len(p.Palette) < 256 {
				i = len(p.Palette)
				numbers[c], p.Palette = i, append(p.Palette, c)
			}
			p.SetColorIndex(x, y, uint8(i))
		}
	}
	return p
}

// lossyWebP is a grey pixel in VP8.
func lossyWebP(t *testing.T) []byte {
	raw, err := base64.StdEncoding.DecodeString("UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA")
	require.NoError(t, err)
	return raw
}

// bits are written from the least significant one on, as VP8L has them.
type bits struct {
	out  []byte
	used uint
}

func (b *bits) put(value, count uint) {
	for ; count > 0; count-- {
		if b.used%8 == 0 {
			b.out = append(b.out, 0)
		}
		b.out[len(b.out)-1] |= byte(value&1) << (b.used % 8)
		value, b.used = value>>1, b.used+1
	}
}

// webPOf is a VP8L chunk of a picture, in which every channel is either 0 or 255.
func webPOf(m *image.NRGBA) []byte {
	b := &bits{out: []byte{0x2f}}
	size := m.Rect.Size()
	b.put(uint(size.X-1), 14)
	b.put(uint(size.Y-1), 14)
	b.put(1, 1)       // there may be alpha
	b.put(0, 3+1+1+1) // the version; no transforms, no cache, one group of codes
	for range 4 {     // green, red, blue, alpha: a simple code of two symbols
		b.put(0b111, 3)
		b.put(0, 8)
		b.put(255, 8)
	}
	b.put(0b0001, 4) // distances: never used
	for i := 0; i < len(m.Pix); i += 4 {
		for _, channel := range []int{1, 0, 2, 3} {
			b.put(uint(m.Pix[i+channel]&1), 1)
		}
	}
	return pictures.WebPChunk("VP8L", b.out)
}

// hollowPNG is a PNG that only declares its size, in 71 bytes.
func hollowPNG(width, height uint32) []byte {
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, width), height)
	out := append([]byte("\x89PNG\r\n\x1a\n"), pictures.Chunk("IHDR", append(head, 8, 6, 0, 0, 0)...)...)
	out = append(out, pictures.Chunk("IDAT", 0x78, 0x9c, 3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)...)
	return append(out, pictures.Chunk("IEND")...)
}

// hollowGIF and hollowJPEG only declare their sizes as well.
func hollowGIF(width, height uint16) []byte {
	out := binary.LittleEndian.AppendUint16([]byte("GIF89a"), width)
	return append(binary.LittleEndian.AppendUint16(out, height), 0, 0, 0, 0x3b)
}

func hollowJPEG(width, height uint16) []byte {
	out := binary.BigEndian.AppendUint16([]byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00\xff\xc0\x00\x0b\x08"),
		height)
	return append(binary.BigEndian.AppendUint16(out, width), 1, 1, 0x11, 0)
}

func hollowWebP(width, height int) []byte {
	return pictures.WebPFile(pictures.WebPCanvas(0x10, width, height))
}

// noise is a picture that compresses badly.
func noise(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	dice := rand.New(rand.NewPCG(1, 2))
	for i := 0; i < len(m.Pix); i += 4 {
		for channel := range 3 {
			m.Pix[i+channel] = uint8(-(dice.IntN(2))) // 0 or 255, for the WebP
		}
		m.Pix[i+3] = 255
	}
	return m
}
