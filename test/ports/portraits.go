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

	t.Run("a portrait has the sizes sm, md and lg, with the true dimensions, and the same seed always has the same", func(t *testing.T) {
		for _, seed := range seeds {
			p := fresh(t).Portrait(seed)
			assert.Equal(t, p, fresh(t).Portrait(seed))
			assert.Equal(t, fetch(t, p.Path), fetch(t, p.Path))
			decode(t, fetch(t, p.Path))
			require.Len(t, p.Sizes, 3)
			for i, name := range []string{"sm", "md", "lg"} {
				assert.Equal(t, name, p.Sizes[i].Name)
				assert.True(t, i == 0 || p.Sizes[i-1].Width < p.Sizes[i].Width, "smallest first")
				assert.Equal(t, image.Pt(p.Sizes[i].Width, p.Sizes[i].Height), decode(t, fetch(t, p.Sizes[i].Path)).Bounds().Size(), name)
			}
		}
	})

	t.Run("everyone's picture is theirs alone", func(t *testing.T) {
		p := fresh(t)
		pictures := map[string]int64{}
		for _, seed := range seeds {
			for _, s := range p.Portrait(seed).Sizes {
				picture := string(fetch(t, s.Path))
				assert.NotContains(t, pictures, picture)
				pictures[picture] = seed
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
