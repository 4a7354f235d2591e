package ports

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
	"plaza/test/pictures"
)

// marked is what must not be found again. It stands for a place.
const marked = "N 52.5163 E 13.3777"

func deflated(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zlib.NewWriter(&out)
	_, err := z.Write(data)
	require.NoError(t, err)
	require.NoError(t, z.Close())
	return out.Bytes()
}

// metadataSamples are pictures that say where they were taken, everywhere that they can.
func metadataSamples(t *testing.T, m *image.NRGBA) map[string][]byte {
	t.Helper()
	of := encoded(t, m)
	note := []byte(marked)
	gps := exif(binary.LittleEndian, 6, "GPS"+marked)
	zip := "PK\x03\x04" + marked + "PK\x05\x06"
	icc := iccProfile("RGB ", wideColours(), note)

	j := withSegments(of["image/jpeg"],
		segment(0xe0, append([]byte("JFXX\x00\x10"), note...)),
		segment(0xe1, append([]byte("Exif\x00\x00"), gps...)),
		segment(0xe1, append([]byte("http://ns.adobe.com/xap/1.0/\x00<x:xmpmeta>"), note...)),
		segment(0xe2, append([]byte("ICC_PROFILE\x00\x01\x01"), icc...)),
		segment(0xe2, append([]byte("MPF\x00"), note...)),
		segment(0xed, append([]byte("Photoshop 3.0\x008BIM\x04\x04\x00\x00"), note...)),
		segment(0xef, note), segment(0xfe, note))
	p := withChunks(of["image/png"],
		chunk("tEXt", append([]byte("Comment\x00"), note...)...),
		chunk("zTXt", append([]byte("Comment\x00\x00"), deflated(t, note)...)...),
		chunk("iTXt", append([]byte("XML:com.adobe.xmp\x00\x00\x00\x00\x00"), note...)...),
		chunk("iCCP", append([]byte(marked+"\x00\x00"), deflated(t, icc)...)...),
		chunk("eXIf", gps...), chunk("prVt", note...))
	g := of["image/gif"]
	const screen = 13
	table := 3 << (g[10]&7 + 1)
	comment := append([]byte{0x21, 0xfe, byte(len(note))}, append(note, 0)...)
	g = slices.Concat(g[:screen+table], comment, g[screen+table:])
	const iccExifXMP = 0x2c
	w := webPFile(webPCanvas(iccExifXMP, m.Rect.Dx(), m.Rect.Dy()), webPChunk("ICCP", icc), webPChunk("ANY ", note), webPOf(m),
		webPChunk("EXIF", gps), webPChunk("XMP ", append([]byte("<x:xmpmeta>"), note...)))
	all := map[string][]byte{"JPEG": j, "PNG": p, "GIF": g, "WebP": w}
	for kind := range all {
		all[kind] = append(all[kind], zip...)
	}
	return all
}

// said is all that a file says, with what is compressed in it.
func said(t *testing.T, u media.Upload) string {
	t.Helper()
	return string(u.Bytes) + string(iccOf(t, u))
}

func processorMetadata(t *testing.T, s media.Processor) {
	opaque, transparent := quarters(64, 48), quarters(64, 48)
	transparent.Pix[3] = 0
	for _, m := range []*image.NRGBA{opaque, transparent} {
		for kind, raw := range metadataSamples(t, m) {
			require.Contains(t, string(raw), marked, "the test is one")
			d := processed(t, s, raw, media.SizeSpec{Name: "sm", Width: 20, Height: 20})
			for _, u := range []media.Upload{d.Upload, d.Variants[0].Upload} {
				asPicture(t, u)
				for _, trace := range []string{marked, "GPS", "Exif", "xmpmeta", "8BIM", "MPF", "PK\x03\x04", "II*\x00", "Comment"} {
					assert.False(t, strings.Contains(said(t, u), trace), "%s has %q", kind, trace)
				}
				end := map[string]string{"image/jpeg": "\xff\xd9", "image/png": "IEND\xaeB`\x82"}[u.Type]
				assert.True(t, strings.HasSuffix(string(u.Bytes), end), kind)
			}
		}
	}
	// Two files that differ only in their metadata become the same.
	assert.Equal(t, processed(t, s, pictures.GIF(t, paletted(opaque))), processed(t, s, metadataSamples(t, opaque)["GIF"]))
}
