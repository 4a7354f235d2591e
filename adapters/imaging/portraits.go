package imaging

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"plaza/domain/media"
)

// portraitSizes are the sizes of a portrait in pixels, smallest first.
var portraitSizes = []struct {
	name   string
	pixels int
}{{"sm", 64}, {"md", 128}, {"lg", 256}}

// Portraits implements media.Portraits. ParsePortrait reads the names in its URLs and Draw
// draws their pictures.
type Portraits struct{ folder string }

// NewPortraits returns the portraits below the public URL.
func NewPortraits(publicURL string) *Portraits {
	return &Portraits{folder: strings.TrimRight(publicURL, "/") + "/media/portrait/"}
}

func (p *Portraits) Portrait(seed int64) media.Picture {
	picture := media.Picture{Sizes: make([]media.Size, len(portraitSizes))}
	start := p.folder + strconv.FormatInt(seed, 10) + "-"
	for i, s := range portraitSizes {
		picture.Path = start + s.name + ".png"
		picture.Sizes[i] = media.Size{Name: s.name, Width: s.pixels, Height: s.pixels, Path: picture.Path}
	}
	return picture
}

// portraitName matches only names that Portrait writes, so each picture has one URL. Seeds are uids.
var portraitName = regexp.MustCompile(`^([1-9][0-9]*)-([a-z]+)\.png$`)

// ParsePortrait reads the last part of a portrait's URL, like 12-md.png.
func ParsePortrait(name string) (seed int64, size int, ok bool) {
	parts := portraitName.FindStringSubmatch(name)
	if parts == nil {
		return 0, 0, false
	}
	seed, err := strconv.ParseInt(parts[1], 10, 64)
	for _, s := range portraitSizes {
		if s.name == parts[2] && err == nil {
			return seed, s.pixels, true
		}
	}
	return 0, 0, false
}

// shape is a figure on a tile. It returns the distance from its edge, negative inside, as a
// fraction of the tile's width. u and v run from 0 to 1.
//
// This package converts products before adding to them, so that no compiler fuses the two.
// The pictures are then identical on every machine.
type shape func(u, v float64) float64

var shapes = []shape{
	empty, full, disc,
	quarter(0, 0), quarter(0, 1), quarter(1, 0), quarter(1, 1),
	leaf(0, 0), leaf(0, 1),
}

func empty(_, _ float64) float64 { return math.Inf(1) }

func full(_, _ float64) float64 { return math.Inf(-1) }

func disc(u, v float64) float64 { return distance(u-0.5, v-0.5) - 0.42 }

// quarter is a quarter disc around a corner of the tile.
func quarter(cornerU, cornerV float64) shape {
	return func(u, v float64) float64 { return distance(u-cornerU, v-cornerV) - 1 }
}

// leaf is a leaf with its tips in the two other corners than this one and its opposite.
func leaf(cornerU, cornerV float64) shape {
	a, b := quarter(cornerU, cornerV), quarter(1-cornerU, 1-cornerV)
	return func(u, v float64) float64 { return max(a(u, v), b(u, v)) }
}

func distance(u, v float64) float64 { return math.Sqrt(float64(u*u) + float64(v*v)) }
