// Package imaging makes pictures.
//
// A portrait is drawn from nothing but its seed, so it is never stored, and it
// looks the same for ever and in every size (USR-04).
package imaging

import (
	"fmt"
	"strconv"
	"strings"

	"plaza/domain/media"
)

// portraitSizes are the sizes of a portrait in pixels, smallest first.
var portraitSizes = []struct {
	name   string
	pixels int
}{{"sm", 64}, {"md", 128}, {"lg", 256}}

// Portraits implements media.Portraits. Its addresses name what ParsePortrait
// reads and Draw draws.
type Portraits struct{ folder string }

// NewPortraits returns the portraits that are served under the public address.
func NewPortraits(publicURL string) *Portraits {
	return &Portraits{folder: strings.TrimRight(publicURL, "/") + "/media/portrait/"}
}

// Portrait implements media.Portraits.
func (p *Portraits) Portrait(seed int64) media.Picture {
	var picture media.Picture
	for _, s := range portraitSizes {
		picture.Path = fmt.Sprintf("%s%d-%s.png", p.folder, seed, s.name)
		picture.Sizes = append(picture.Sizes, media.Size{Name: s.name, Width: s.pixels, Height: s.pixels, Path: picture.Path})
	}
	return picture
}

// ParsePortrait reads the last part of a portrait's address, like 12-md.png. It
// takes only what Portrait writes, so that each picture has one address.
func ParsePortrait(name string) (seed int64, size int, ok bool) {
	stem, isPNG := strings.CutSuffix(name, ".png")
	number, sizeName, _ := cutLast(stem, "-")
	seed, err := strconv.ParseInt(number, 10, 64)
	if !isPNG || err != nil || strconv.FormatInt(seed, 10) != number {
		return 0, 0, false
	}
	for _, s := range portraitSizes {
		if s.name == sizeName {
			return seed, s.pixels, true
		}
	}
	return 0, 0, false
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
