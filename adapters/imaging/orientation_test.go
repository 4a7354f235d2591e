package imaging

import (
	"image"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestPLA03_turning_twice: an orientation that is turned or mirrored is one that does both.
func TestPLA03_turning_twice(t *testing.T) {
	m := &image.Gray{Pix: []byte{1, 2, 3, 4, 5, 6}, Stride: 3, Rect: image.Rect(0, 0, 3, 2)}
	for o := range orientation(9) {
		once := o.upright(m)
		for name, c := range map[string][2]image.Image{
			"anticlockwise":  {orientation(8).upright(once), o.turned(1).upright(m)},
			"half":           {orientation(3).upright(once), o.turned(2).upright(m)},
			"top and bottom": {orientation(4).upright(once), o.mirrored(0).upright(m)},
			"left and right": {orientation(2).upright(once), o.mirrored(1).upright(m)},
		} {
			assert.Equal(t, c[0], c[1], "%d, %s", o, name)
		}
	}
}
