package imaging

import (
	"bytes"
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
	"plaza/test/pictures"
)

// TestPLA03_a_decoder_stays_within_its_memory: one that asks for more gets an error.
func TestPLA03_a_decoder_stays_within_its_memory(t *testing.T) {
	for _, m := range []*module{libheif, libavif} {
		const limit = 8 << 20
		d, err := m.start(t.Context(), limit)
		require.NoError(t, err)
		_, err = d.alloc(limit / 2)
		require.NoError(t, err)
		_, err = d.alloc(limit)
		require.ErrorIs(t, err, errDecoder)
		assert.LessOrEqual(t, d.Memory().Size(), uint32(limit))
		d.stop()
	}
}

// TestPLA03_a_decoder_ends_with_its_context: before it decodes, and while it does.
func TestPLA03_a_decoder_ends_with_its_context(t *testing.T) {
	for _, name := range []string{"turned-1.heic", "turned-1.avif"} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := NewProcessor(1).Process(ctx, "user 1", &cancels{bytes.NewReader(pictures.Made(t, name)), cancel, 3})
		assert.ErrorIs(t, err, context.Canceled, name)
	}
	for _, m := range []*module{libheif, libavif} {
		ctx, cancel := context.WithCancel(t.Context())
		d, err := m.start(ctx, 8<<20)
		require.NoError(t, err)
		cancel()
		_, err = d.alloc(1)
		assert.ErrorIs(t, err, errDecoder)
		d.stop()
	}
}

// TestPLA03_pictures_that_need_too_much_memory are refused by their header.
func TestPLA03_pictures_that_need_too_much_memory(t *testing.T) {
	raw := bytes.ReplaceAll(pictures.Made(t, "large-deep.avif"), []byte{0, 0, 0x13, 0x88, 0, 0, 0x0f, 0xa0}, []byte{0, 0, 0x1e, 0, 0, 0, 0x13, 0x88})
	_, err := NewProcessor(1).Process(t.Context(), "user 1", bytes.NewReader(raw))
	assert.ErrorIs(t, err, media.ErrTooDemanding)
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
