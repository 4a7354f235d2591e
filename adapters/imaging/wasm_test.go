package imaging

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
	"plaza/test/pictures"
)

// TestPLA03_a_decoder_stays_within_its_memory: one that asks for more gets an error.
func TestPLA03_a_decoder_stays_within_its_memory(t *testing.T) {
	for _, m := range []module{libheif, libavif} {
		const limit = 8 << 20
		d, err := m.start(t.Context(), limit)
		require.NoError(t, err)
		d.alloc(limit / 2)
		require.NoError(t, d.err)
		d.alloc(limit)
		require.ErrorIs(t, d.err, errMemory)
		assert.LessOrEqual(t, d.Memory().Size(), uint32(limit))
		d.stop()
	}
}

// TestPLA03_a_decoder_ends_with_its_context: before it decodes, and while it does.
func TestPLA03_a_decoder_ends_with_its_context(t *testing.T) {
	for _, name := range []string{"turned-1.heic", "turned-1.avif"} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := NewProcessor(1).Process(ctx, "user 1", &cancels{bytes.NewReader(pictures.Made(t, name)), cancel, 2})
		assert.ErrorIs(t, err, context.Canceled, name)
	}
	for _, m := range []module{libheif, libavif} {
		ctx, cancel := context.WithCancel(t.Context())
		d, err := m.start(ctx, 8<<20)
		require.NoError(t, err)
		cancel()
		d.alloc(1)
		assert.ErrorIs(t, d.err, errDecoder)
		d.stop()
	}
}

// endless is a module whose function spin never returns by itself. It has one page of memory.
const endless = "\x00asm\x01\x00\x00\x00" + "\x01\x05\x01\x60\x00\x01\x7f" + "\x03\x02\x01\x00" + "\x05\x03\x01\x00\x01" +
	"\x07\x11\x02\x04spin\x00\x00\x06memory\x02\x00" + "\x0a\x0b\x01\x09\x00\x03\x40\x0c\x00\x0b\x41\x01\x0b"

// TestPLA03_a_loop_ends_with_the_context, although it would not otherwise. It does not keep the collector from stopping all
// goroutines.
func TestPLA03_a_loop_ends_with_the_context(t *testing.T) {
	m := newModule(func() ([]byte, error) { return []byte(endless), nil })
	ctx, cancel := context.WithCancel(t.Context())
	d, err := m.start(ctx, 1)
	require.NoError(t, err)
	defer d.stop()
	ended := make(chan error)
	go func() {
		d.call("spin")
		ended <- d.err
	}()
	for binary.LittleEndian.Uint32(d.memory.bytes[turnsAt:]) == 0 { // it has not begun
		runtime.Gosched()
	}
	runtime.GC()
	cancel()
	assert.ErrorIs(t, <-ended, errDecoder)
}

// TestPLA03_every_loop_is_interruptible: the decoders consist of instructions that are known, and others are refused.
func TestPLA03_every_loop_is_interruptible(t *testing.T) {
	for _, compressed := range [][]byte{heicDecoder, avifDecoder} {
		code, err := uncompressed(compressed)
		require.NoError(t, err)
		checked, err := interruptible(code)
		require.NoError(t, err)
		assert.Greater(t, bytes.Count(checked, stopCheck), 1000)
		_, err = interruptible(code[:len(code)/2])
		assert.ErrorIs(t, err, errWebAssembly)
	}
	for _, other := range []string{"\xfd", "\xfc\x12", "\x12", "\xff"} {
		_, err := interruptible([]byte(strings.Replace(endless, "\x41", other, 1)))
		assert.ErrorIs(t, err, errWebAssembly, "%q", other)
	}
}

// TestPLA03_pictures_that_need_too_much_memory are refused: by their header, or where it says less than there is.
func TestPLA03_pictures_that_need_too_much_memory(t *testing.T) {
	extent, larger := []byte{0, 0, 0x13, 0x88, 0, 0, 0x0f, 0xa0}, []byte{0, 0, 0x1e, 0, 0, 0, 0x13, 0x88}
	raw := bytes.ReplaceAll(pictures.Made(t, "large-deep.avif"), extent, larger)
	_, err := NewProcessor(1).Process(t.Context(), "user 1", bytes.NewReader(raw))
	assert.ErrorIs(t, err, media.ErrTooDemanding)
	for _, name := range []string{"large.avif", "large.heic"} {
		raw := bytes.ReplaceAll(pictures.Made(t, name), []byte{0, 0, 0x13, 0x88, 0, 0, 0x0f, 0xa0}, []byte{0, 0, 0, 0x50, 0, 0, 0, 0x40})
		_, err := NewProcessor(1).Process(t.Context(), "user 1", bytes.NewReader(raw))
		assert.ErrorIs(t, err, media.ErrTooDemanding, name)
	}
}

// cancels cancels the context when it is read once more than so often.
type cancels struct {
	*bytes.Reader
	cancel context.CancelFunc
	reads  int
}

func (c *cancels) ReadAt(p []byte, at int64) (int, error) {
	if c.reads--; c.reads < 0 {
		c.cancel()
	}
	return c.Reader.ReadAt(p, at)
}

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
