package imaging_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/adapters/imaging"
	"plaza/domain/fault"
	"plaza/domain/media"
	"plaza/test/ports"
)

func TestInspector(t *testing.T) {
	ports.Inspector(t, func(*testing.T) media.Inspector { return imaging.NewInspector() })
}

func FuzzInspect(f *testing.F) {
	for _, raw := range []string{"\xff\xd8\xff\xc0", "\x89PNG\r\n\x1a\n", "GIF89a\x01\x00\x01\x00", "RIFF\x04\x00\x00\x00WEBPVP8X"} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		u, err := imaging.NewInspector().Inspect(t.Context(), "photo", raw)
		if err != nil {
			assert.Equal(t, fault.Invalid, fault.KindOf(err))
			return
		}
		assert.Contains(t, media.Accepted(), u.Type)
		assert.LessOrEqual(t, u.Width*u.Height, media.MaxPixels)
		assert.Positive(t, u.Width*u.Height)
	})
}
