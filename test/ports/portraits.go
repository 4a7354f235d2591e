package ports

import (
	"bytes"
	"image"
	_ "image/jpeg" // pictures may come in any of these forms
	_ "image/png"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/media"
)

// Portraits is the suite of media.Portraits. Fetch returns what is served at an
// address.
func Portraits(t *testing.T, fresh func(t *testing.T) media.Portraits, fetch func(t *testing.T, address string) []byte) {
	seeds := []int64{1, 2, 12, math.MaxInt64}

	t.Run("a portrait has the sizes sm, md and lg", func(t *testing.T) {
		for _, seed := range seeds {
			p := fresh(t).Portrait(seed)
			assert.NotEmpty(t, p.Path)
			require.Len(t, p.Sizes, 3)
			for i, name := range []string{"sm", "md", "lg"} {
				assert.Equal(t, name, p.Sizes[i].Name)
			}
			assert.Less(t, p.Sizes[0].Width, p.Sizes[1].Width, "smallest first")
			assert.Less(t, p.Sizes[1].Width, p.Sizes[2].Width, "smallest first")
		}
	})

	t.Run("the same seed always has the same picture", func(t *testing.T) {
		p := fresh(t)
		for _, seed := range seeds {
			first := p.Portrait(seed)
			assert.Equal(t, first, p.Portrait(seed))
			assert.Equal(t, first, fresh(t).Portrait(seed))
			assert.Equal(t, fetch(t, first.Path), fetch(t, first.Path))
		}
	})

	t.Run("everyone's picture is theirs alone", func(t *testing.T) {
		p := fresh(t)
		addresses, pictures := map[string]int64{}, map[string]int64{}
		for _, seed := range seeds {
			for _, s := range p.Portrait(seed).Sizes {
				address, picture := s.Path, string(fetch(t, s.Path))
				assert.NotContains(t, addresses, address)
				assert.NotContains(t, pictures, picture)
				addresses[address], pictures[picture] = seed, seed
			}
		}
	})

	t.Run("every address in it is served, with the true dimensions", func(t *testing.T) {
		for _, seed := range seeds {
			p := fresh(t).Portrait(seed)
			decode(t, fetch(t, p.Path))
			for _, s := range p.Sizes {
				assert.Equal(t, image.Pt(s.Width, s.Height), decode(t, fetch(t, s.Path)).Bounds().Size(), s.Path)
			}
		}
	})
}

func decode(t *testing.T, picture []byte) image.Image {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(picture))
	require.NoError(t, err)
	return img
}
