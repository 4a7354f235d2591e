package contract

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var pictureRows = []row{
	{"PLA-03 what a camera noted is not kept, and the picture stands upright", cameraNotes, oneStore},
	{"PLA-03 nothing behind a picture is kept", behindPicture, oneStore},
	{"PLA-03 a header that promises too much is refused", hugeHeader, oneStore},
	{"PLA-03 what is transparent stays so", transparentPicture, oneStore},
	{"USR-04 an avatar of one's own in all three sizes", ownAvatar, oneStore},
	{"USR-04 what is no avatar is refused", noAvatar, oneStore},
	{"USR-04 an avatar is seen wherever its person is", avatarEverywhere, oneStore},
}

const (
	avatars = "/api/user/avatar/"
	// secretPlace stands in a picture where a camera notes where it was taken.
	secretPlace = "30.2741 N 120.1551 E"
)

// photo is a JPEG, 60 pixels wide and 40 high, red on its left and blue on its right, as a
// camera makes it that was turned: it notes so, and where it was.
func photo(t *testing.T, orientation byte) []byte {
	t.Helper()
	picture := image.NewRGBA(image.Rect(0, 0, 60, 40))
	for x := range 60 {
		for y := range 40 {
			picture.Set(x, y, map[bool]color.Color{true: color.RGBA{R: 255, A: 255}, false: color.RGBA{B: 255, A: 255}}[x < 30])
		}
	}
	plain := encoded(t, func(w io.Writer) error { return jpeg.Encode(w, picture, &jpeg.Options{Quality: 95}) })
	le := binary.LittleEndian
	tiff := []byte("II*\x00\x08\x00\x00\x00\x02\x00")
	entry := func(tag, kind uint16, count, value uint32) {
		tiff = le.AppendUint32(le.AppendUint32(le.AppendUint16(le.AppendUint16(tiff, tag), kind), count), value)
	}
	entry(0x010e, 2, uint32(len(secretPlace)+1), 38)
	entry(0x0112, 3, 1, uint32(orientation))
	tiff = append(le.AppendUint32(tiff, 0), secretPlace+"\x00"...)
	segment := append([]byte("Exif\x00\x00"), tiff...)
	segment = append(binary.BigEndian.AppendUint16([]byte("\xff\xe1"), uint16(len(segment)+2)), segment...)
	comment := append(binary.BigEndian.AppendUint16([]byte("\xff\xfe"), uint16(len(secretPlace)+2)), secretPlace...)
	return bytes.Join([][]byte{plain[:2], segment, comment, plain[2:]}, nil)
}

func cameraNotes(t *testing.T, s *server) {
	ada := s.member(t)
	event := ada.writes(t, object{"title": "x"}).int("data.id")
	for _, c := range []struct {
		orientation   byte
		width, height int
		red           image.Point // where the left of the sensor is
	}{
		{1, 60, 40, image.Pt(5, 20)}, {3, 60, 40, image.Pt(55, 20)}, {6, 40, 60, image.Pt(20, 5)}, {8, 40, 60, image.Pt(20, 55)},
	} {
		raw := photo(t, c.orientation)
		require.Contains(t, string(raw), secretPlace)
		kept := ada.post(t, images, object{"img": raw}).is(201)
		assert.Equal(t, []int{c.width, c.height}, []int{kept.int("data.img_width"), kept.int("data.img_height")})
		plate := ada.post(t, "/api/xfile/plate/", object{"event": event, "photo": raw}).is(201)
		for _, address := range []string{kept.text("data.img"), plate.text("data.photo")} {
			shown := s.picture(t, address)
			assert.NotContains(t, string(shown), secretPlace)
			assert.NotContains(t, string(shown), "Exif")
			drawn, err := jpeg.Decode(bytes.NewReader(shown))
			require.NoError(t, err)
			assert.Equal(t, image.Pt(c.width, c.height), drawn.Bounds().Size())
			r, _, b, _ := drawn.At(c.red.X, c.red.Y).RGBA()
			assert.Greater(t, r, b, "orientation %d", c.orientation)
		}
	}
}

func behindPicture(t *testing.T, s *server) {
	ada := s.member(t)
	for _, raw := range [][]byte{aPNG(t), aJPEG(t), aGIF(t)} {
		kept := ada.post(t, images, object{"img": append(raw, "PK\x03\x04<script>alert(1)</script>"...)}).is(201)
		shown := s.picture(t, kept.text("data.img"))
		assert.NotContains(t, string(shown), "script")
		assert.NotContains(t, string(shown), "PK\x03\x04")
	}
}

// pngChunk is a chunk of a PNG.
func pngChunk(name string, data []byte) []byte {
	named := append([]byte(name), data...)
	whole := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), named...)
	return binary.BigEndian.AppendUint32(whole, crc32.ChecksumIEEE(named))
}

// bomb is a PNG of 71 bytes that promises 60000×60000 pixels.
func bomb() []byte {
	header := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 60_000), 60_000)
	return bytes.Join([][]byte{
		[]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", append(header, 8, 2, 0, 0, 0)),
		pngChunk("IDAT", make([]byte, 14)), pngChunk("IEND", nil),
	}, nil)
}

func hugeHeader(t *testing.T, s *server) {
	ada := s.member(t)
	event := ada.writes(t, object{"title": "x"}).int("data.id")
	require.Len(t, bomb(), 71)
	for _, a := range []answer{
		ada.post(t, images, object{"img": bomb()}).invalid("img"),
		ada.post(t, "/api/xfile/plate/", object{"event": event, "photo": bomb()}).invalid("photo"),
		ada.send(t, "PUT", avatars, object{"avatar": bomb()}).invalid("avatar"),
	} {
		assert.Contains(t, string(a.body), "megapixels")
	}
}

func transparentPicture(t *testing.T, s *server) {
	ada := s.member(t)
	clear := image.NewNRGBA(image.Rect(0, 0, 30, 20))
	clear.SetNRGBA(3, 4, color.NRGBA{R: 200, G: 100, B: 50, A: 128})
	kept := ada.post(t, images, object{"img": inPNG(t, clear)}).is(201)
	shown := s.anyone().fetches(t, kept.text("data.img")).is(200)
	assert.Equal(t, "image/png", shown.header.Get("Content-Type"))
	drawn, _, err := image.Decode(bytes.NewReader(shown.body))
	require.NoError(t, err)
	assert.Equal(t, color.NRGBA{R: 200, G: 100, B: 50, A: 128}, color.NRGBAModel.Convert(drawn.At(3, 4)))
	_, _, _, alpha := drawn.At(9, 9).RGBA()
	assert.Zero(t, alpha)
}

func ownAvatar(t *testing.T, s *server) {
	ada := s.member(t)
	before := ada.get(t, profile).is(200).text("data.avatar")
	raw := inPNG(t, drawing(900, 600))
	sent := []answer{
		ada.send(t, "PUT", avatars, object{"avatar": raw}).is(200),
		ada.send(t, "PUT", avatars, object{"avatar": inBase64("data:image/png;base64,", raw)}).is(200),
		ada.sendsTo(t, "PUT", avatars, form{field: "avatar", file: raw}).is(200),
	}
	for _, a := range sent {
		assert.NotEqual(t, before, a.text("data.avatar"))
		before = a.text("data.avatar")
		assert.Equal(t, before, a.text("data.avatars.path"))
		for name, want := range map[string]image.Point{"sm": {X: 96, Y: 64}, "md": {X: 256, Y: 171}, "lg": {X: 640, Y: 427}} {
			size := "data.avatars.sizes." + name
			assert.Equal(t, want, image.Pt(a.int(size+".width"), a.int(size+".height")), name)
		}
	}
	last := sent[2]
	for name, path := range map[string]string{"lg": "data.avatars.sizes.lg", "md": "data.avatars.sizes.md", "sm": "data.avatars.sizes.sm"} {
		drawn, _, err := image.Decode(bytes.NewReader(s.picture(t, last.text(path+".path"))))
		require.NoError(t, err)
		assert.Equal(t, image.Pt(last.int(path+".width"), last.int(path+".height")), drawn.Bounds().Size(), name)
	}
	for _, former := range sent[:2] {
		for _, path := range []string{"data.avatar", "data.avatars.sizes.sm.path", "data.avatars.sizes.lg.path"} {
			s.anyone().fetches(t, former.text(path)).fails(404, "RESOURCE_NOT_FOUND")
		}
	}
	small := ada.send(t, "PUT", avatars, object{"avatar": inPNG(t, drawing(50, 40))}).is(200)
	for _, name := range []string{"sm", "md", "lg"} {
		size := "data.avatars.sizes." + name
		assert.Equal(t, image.Pt(50, 40), image.Pt(small.int(size+".width"), small.int(size+".height")), "never larger than it is")
	}
}

func noAvatar(t *testing.T, s *server) {
	ada := s.member(t)
	before := ada.get(t, profile).is(200).text("data.avatar")
	for _, no := range []any{nil, "", 5, "not base64!", []byte("<svg/>"), aPNG(t)[:20], object{}} {
		ada.send(t, "PUT", avatars, object{"avatar": no}).invalid("avatar")
	}
	ada.send(t, "PUT", avatars, object{}).invalid("avatar")
	ada.saying("Content-Type", "image/png").send(t, "PUT", avatars, aPNG(t)).fails(415, "UNSUPPORTED_MEDIA_TYPE")
	s.anyone().send(t, "PUT", avatars, object{"avatar": aPNG(t)}).fails(401, "NOT_AUTHENTICATED")
	ada.post(t, avatars, object{"avatar": aPNG(t)}).fails(405, "METHOD_NOT_ALLOWED")
	assert.Equal(t, before, ada.get(t, profile).is(200).text("data.avatar"))
}

func avatarEverywhere(t *testing.T, s *server) {
	ada := s.member(t)
	event := ada.writes(t, object{"title": "x", "publish": true}).int("data.id")
	ada.post(t, comments, object{"event": event, "content": "y"}).is(201)
	own := ada.send(t, "PUT", avatars, object{"avatar": inPNG(t, drawing(900, 600))}).is(200)
	seen := map[string]answer{
		"data.0.avatar":               s.anyone().post(t, simpleInfo, object{"uid": []any{ada.id}}).is(200),
		"data.avatar":                 ada.get(t, profile).is(200),
		"data.user.avatar":            ada.get(t, fmt.Sprintf("%s%d/", events, event)).is(200),
		"data.comments.0.user.avatar": ada.get(t, fmt.Sprintf("%s%d/", events, event)).is(200),
	}
	for path, a := range seen {
		assert.Equal(t, own.text("data.avatar"), a.text(path), path)
	}
}
