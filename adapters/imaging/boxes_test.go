package imaging

import (
	"bytes"
	"encoding/binary"
	"image"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
	"plaza/test/pictures"
)

// withBox returns a HEIC with another box at the end of the last of its boxes, each of which has the next one.
func withBox(t *testing.T, raw []byte, kind string, data []byte, of ...string) []byte {
	t.Helper()
	be := binary.BigEndian
	box := append(append(be.AppendUint32(nil, uint32(8+len(data))), kind...), data...)
	pixels := bytes.Index(raw, []byte("mdat")) + 4
	out, end := bytes.Clone(raw), 0
	for _, parent := range of {
		at := bytes.Index(raw, []byte(parent)) - 4
		end = at + int(be.Uint32(raw[at:]))
		be.PutUint32(out[at:], uint32(end-at+len(box)))
	}
	moved := bytes.Index(raw, be.AppendUint32(nil, uint32(pixels)))
	require.Positive(t, moved)
	be.PutUint32(out[moved:], uint32(pixels+len(box)))
	return slices.Concat(out[:end], box, out[end:])
}

func TestPLA03_the_boxes_about_pictures_are_bounded(t *testing.T) {
	raw := pictures.Made(t, "turned-1.heic")
	length := int(binary.BigEndian.Uint32(raw[bytes.Index(raw, []byte("meta"))-4:]))
	for size, refusal := range map[int]error{maxMeta - length: nil, maxMeta - length + 1: media.ErrUnreadable} {
		_, err := NewProcessor(1).Process(t.Context(), "user 1", bytes.NewReader(withBox(t, raw, "free", make([]byte, size-8), "meta")))
		assert.ErrorIs(t, err, refusal)
	}
}

// TestPLA03_a_decoder_returns_no_more_than_the_boxes_say: it believes an aperture that is larger than the picture.
func TestPLA03_a_decoder_returns_no_more_than_the_boxes_say(t *testing.T) {
	for size, refusal := range map[uint32]error{40: nil, 80: media.ErrUnreadable} {
		aperture := make([]byte, 32)
		for i, n := range []uint32{size, 1, size, 1, 0, 1, 0, 1} {
			binary.BigEndian.PutUint32(aperture[4*i:], n)
		}
		raw := withBox(t, pictures.Made(t, "turned-1.heic"), "clap", aperture, "meta", "iprp", "ipco")
		raw = bytes.Replace(raw, []byte{0, 2, 2, 3, 0x84}, []byte{0, 2, 2, 3, 0x85}, 1)
		_, err := NewProcessor(1).Process(t.Context(), "user 1", bytes.NewReader(raw))
		assert.ErrorIs(t, err, refusal, size)
	}
}

func TestPLA03_clean_apertures(t *testing.T) {
	whole := image.Rect(0, 0, 64, 48)
	for name, c := range map[string]struct {
		of   [8]int32
		want image.Rectangle
	}{
		"all":                     {[8]int32{64, 1, 48, 1, 0, 1, 0, 1}, whole},
		"the middle":              {[8]int32{20, 1, 10, 1, 0, 1, 0, 1}, image.Rect(22, 19, 42, 29)},
		"a corner":                {[8]int32{20, 1, 10, 1, -22, 1, 19, 1}, image.Rect(0, 38, 20, 48)},
		"fractions":               {[8]int32{40, 2, 30, 3, -11, 2, 9, 3}, image.Rect(16, 22, 36, 32)},
		"halves of pixels":        {[8]int32{21, 1, 11, 1, 0, 1, 0, 1}, image.Rect(21, 18, 42, 29)},
		"more than there is":      {[8]int32{100, 1, 100, 1, 0, 1, 0, 1}, whole},
		"half outside":            {[8]int32{20, 1, 10, 1, 32, 1, 0, 1}, image.Rect(54, 19, 64, 29)},
		"outside":                 {[8]int32{20, 1, 10, 1, 100, 1, 0, 1}, image.Rectangle{}},
		"nothing":                 {[8]int32{0, 1, 10, 1, 0, 1, 0, 1}, image.Rectangle{}},
		"less than nothing":       {[8]int32{-20, 1, 10, 1, 0, 1, 0, 1}, image.Rectangle{}},
		"a fraction that is none": {[8]int32{20, 0, 10, 1, 0, 1, 0, 1}, image.Rectangle{}},
		"nothing of nothing":      {[8]int32{0, 0, 0, 0, 0, 0, 0, 0}, image.Rectangle{}},
	} {
		var aperture []byte
		for _, n := range c.of {
			aperture = binary.BigEndian.AppendUint32(aperture, uint32(n))
		}
		h := heif{size: whole.Max}
		h.apply(isoBox{"clap", aperture})
		assert.Equal(t, c.want, h.shown(), name)
	}
	assert.Equal(t, whole, heif{size: whole.Max}.shown())
	raw := pictures.Made(t, "aperture.avif")
	at := bytes.Index(raw, []byte("clap")) + 4
	binary.BigEndian.PutUint32(raw[at+16:], 200)
	_, err := NewProcessor(1).Process(t.Context(), "user 1", bytes.NewReader(raw))
	assert.ErrorIs(t, err, media.ErrUnreadable, "nothing is shown")
}
