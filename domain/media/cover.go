package media

import (
	"fmt"
	"strings"
	"time"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// Names of the sizes of covers (FED-07, FED-08).
const (
	CoverSM       = "cover_sm"
	DemandCoverMD = "demand_cover_md"
)

// maxDimension bounds the stated width and height of a cover, in pixels. Real pictures are
// much smaller.
const maxDimension = 65_535

// CoverAt returns the picture at an external address. The server never fetches it; the
// source states its width and height.
func CoverAt(address, size string, width, height int) (Picture, error) {
	var wrong fault.Fields
	wrong.Add("url", text.AddressProblem(address))
	wrong.Add("width", dimensionProblem(width))
	wrong.Add("height", dimensionProblem(height))
	return Picture{Path: address, Sizes: []Size{{Name: size, Width: width, Height: height, Path: address}}}, wrong.Err()
}

// PictureAt returns the picture of so many pixels at the address of a user image or plate, in the PictureSizes (PLA-05). It has no
// sizes if its dimensions are not known.
func PictureAt(address string, width, height int) Picture {
	p := Picture{Path: address}
	if width == 0 {
		return p
	}
	for _, spec := range PictureSizes {
		size := Size{Name: spec.Name, Path: SizeAt(address, spec.Name)}
		size.Width, size.Height = spec.Fit(width, height)
		p.Sizes = append(p.Sizes, size)
	}
	return p
}

// SizeAt returns the address of a size of the picture at the address (IMG-08).
func SizeAt(address, size string) string {
	if strings.Contains(address, "?") {
		return address + "&size=" + size
	}
	return address + "?size=" + size
}

// CoverOf returns the picture that is stored under the key.
func CoverOf(key Key, size string, width, height int) Picture {
	return Picture{Key: key, Sizes: []Size{{Name: size, Width: width, Height: height, Key: key}}}
}

func dimensionProblem(pixels int) string {
	if pixels < 1 || pixels > maxDimension {
		return fmt.Sprintf("Enter a number of pixels between 1 and %d.", maxDimension)
	}
	return ""
}

// Public returns a function that returns the public address of a key in the store.
func Public(s Store, now time.Time) func(Key) string {
	return func(key Key) string { return s.URL(key, Everyone, now) }
}

// At returns the picture with the current addresses of its keys.
func (p Picture) At(address func(Key) string) Picture {
	if p.Key == "" {
		return p
	}
	sizes := make([]Size, len(p.Sizes))
	for i, s := range p.Sizes {
		if s.Key != "" {
			s.Path = address(s.Key)
		}
		sizes[i] = s
	}
	return Picture{Key: p.Key, Path: address(p.Key), Sizes: sizes}
}
