package contract

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image/jpeg"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/imaging"
	"plaza/test/pictures"
)

// polyglotRows show that what is shown as a picture is a picture alone.
var polyglotRows = []row{
	{"PLA-03 what is two things at once is shown as a picture alone", polyglots, oneStore},
	{"PLA-03 the formats of phones are accepted", phonePictures, oneStore},
	{"PLA-03 what only some browsers show is refused", otherPictures, oneStore},
	{"PLA-03 JPEGs are read however they are coded", unusualJPEGs, oneStore},
}

// pngChunk is a chunk of a PNG.
func pngChunk(name string, data []byte) []byte {
	named := append([]byte(name), data...)
	whole := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), named...)
	return binary.BigEndian.AppendUint32(whole, crc32.ChecksumIEEE(named))
}

func polyglots(t *testing.T, s *server) {
	ada := s.member(t)
	event := ada.publishes(t, "x")
	const script = "<script>alert(1)</script><?php system($_GET[0]); ?>"
	comment := append([]byte{0xff, 0xfe, 0, byte(2 + len(script))}, script...)
	jpeg, gif, png := aJPEG(t), aGIF(t), aPNG(t)
	for name, raw := range map[string][]byte{
		"a page in a JPEG's comment":    bytes.Join([][]byte{jpeg[:2], comment, jpeg[2:]}, nil),
		"a page behind a JPEG":          append(bytes.Clone(jpeg), script...),
		"an archive behind a PNG":       append(bytes.Clone(png), "PK\x03\x04"+script...),
		"a page in a PNG's text":        bytes.Join([][]byte{png[:33], pngChunk("tEXt", []byte("Comment\x00"+script)), png[33:]}, nil),
		"a page in an unknown chunk":    bytes.Join([][]byte{png[:33], pngChunk("scRp", []byte(script)), png[33:]}, nil),
		"a script behind a GIF":         append(bytes.Clone(gif), "/*"+script+"*/=1;"...),
		"a page in a GIF's comment":     bytes.Join([][]byte{gif[:len(gif)-1], {0x21, 0xfe, byte(len(script))}, []byte(script), {0, 0x3b}}, nil),
		"a picture in another's letter": append(bytes.Clone(png), jpeg...),
	} {
		require.True(t, strings.Contains(string(raw), script) || name == "a picture in another's letter", name)
		for _, address := range []string{
			ada.post(t, images, object{"img": raw}).is(201).text("data.img"), ada.post(t, plates,
				object{"event": event, "photo": raw}).is(201).text("data.photo"),
			ada.send(t, "PUT", avatars, object{"avatar": raw}).is(200).text("data.avatar"),
		} {
			shown := s.anyone().fetches(t, address).is(200)
			assert.NotContains(t, string(shown.body), "script", name)
			assert.NotContains(t, string(shown.body), "php", name)
			assert.Contains(t, []string{"image/jpeg", "image/png"}, shown.header.Get("Content-Type"))
			assert.Equal(t, "nosniff", shown.header.Get("X-Content-Type-Options"))
			assert.Equal(t, "default-src 'none'; frame-ancestors 'none'", shown.header.Get("Content-Security-Policy"))
		}
	}
}

func unusualJPEGs(t *testing.T, s *server) {
	ada := s.member(t)
	for _, name := range []string{"3x1", "2x2-progressive-restarts", "ycck-1x3-progressive-restarts"} {
		raw, err := os.ReadFile("../../adapters/imaging/jpeg/testdata/" + name + ".jpg")
		require.NoError(t, err)
		shown := s.anyone().fetches(t, ada.post(t, images, object{"img": raw}).is(201).text("data.img")).is(200)
		assert.Equal(t, "image/jpeg", shown.header.Get("Content-Type"), name)
	}
}

func phonePictures(t *testing.T, s *server) {
	ada := s.member(t)
	for _, name := range []string{"turned-6.heic", "turned-6.avif"} {
		// The first picture of a kind compiles its decoder, for which a request has no time on a busy machine.
		_, err := imaging.NewProcessor(1).Process(t.Context(), "", bytes.NewReader(pictures.Made(t, name)))
		require.NoError(t, err)
		shown := s.anyone().fetches(t, ada.post(t, images, object{"img": pictures.Made(t, name)}).is(201).text("data.img")).is(200)
		assert.Equal(t, "image/jpeg", shown.header.Get("Content-Type"))
		size, err := jpeg.DecodeConfig(bytes.NewReader(shown.body))
		require.NoError(t, err)
		assert.Equal(t, []int{47, 63}, []int{size.Width, size.Height}, name)
	}
}

func otherPictures(t *testing.T, s *server) {
	ada := s.member(t)
	event := ada.publishes(t, "x")
	before := ada.get(t, profile).is(200).text("data.avatar")
	png := string(aPNG(t))
	for name, raw := range map[string]string{
		"SVG":                  `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>`,
		"SVG as XML":           `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg>&x;</svg>`,
		"a page before a PNG":  "<script>alert(1)</script>" + png,
		"a line before a PNG":  "\n" + png,
		"a JPEG's magic alone": "\xff\xd8\xff",
		"MVG":                  "push graphic-context\nfill 'url(https://x.example/)'",
		"a playlist":           "#EXTM3U\nfile:///etc/passwd",
	} {
		ada.post(t, images, object{"img": []byte(raw)}).invalid("img")
		ada.post(t, plates, object{"event": event, "photo": []byte(raw)}).invalid("photo")
		assert.Contains(t, ada.send(t, "PUT", avatars, object{"avatar": []byte(raw)}).invalid("avatar").text("data.avatar.0"), "JPEG", name)
	}
	jpeg := aJPEG(t)
	for _, c := range []struct {
		raw  []byte
		says string
	}{{jpeg[:len(jpeg)*2/3], "cut off"}, {bytes.Replace(jpeg, []byte("\xff\xda"), []byte("\xff\xd8"), 1), "can't read"},
		{[]byte("text"), "Upload a valid image"}} {
		assert.Contains(t, ada.post(t, images, object{"img": c.raw}).invalid("img").text("data.img.0"), c.says)
	}
	assert.Equal(t, before, ada.get(t, profile).is(200).text("data.avatar"))
	assert.Empty(t, s.anyone().get(t, imagesOf(ada)).is(200).list("data"))
}
