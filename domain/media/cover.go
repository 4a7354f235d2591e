package media

import (
	"fmt"
	"time"

	"plaza/domain/fault"
	"plaza/domain/text"
)

// Names of the sizes of covers (FED-07, FED-08).
const (
	CoverSM       = "cover_sm"
	DemandCoverMD = "demand_cover_md"
)

// maxSide is far beyond any picture: more pixels than MaxPixels allows in one row.
const maxSide = 65_535

// CoverAt is the picture at an address elsewhere, which nobody fetches: all that is
// known of it is what its source says.
func CoverAt(address, size string, width, height int) (Picture, error) {
	var wrong fault.Fields
	wrong.Add("url", text.AddressProblem(address))
	wrong.Add("width", sideProblem(width))
	wrong.Add("height", sideProblem(height))
	return Picture{Path: address, Sizes: []Size{{Name: size, Width: width, Height: height, Path: address}}}, wrong.Err()
}

// CoverOf is the picture that is kept under the key.
func CoverOf(key Key, size string, width, height int) Picture {
	return Picture{Key: key, Sizes: []Size{{Name: size, Width: width, Height: height, Key: key}}}
}

func sideProblem(pixels int) string {
	if pixels < 1 || pixels > maxSide {
		return fmt.Sprintf("Enter a number of pixels from 1 to %d.", maxSide)
	}
	return ""
}

// Public is where everyone finds what the store keeps.
func Public(s Store, now time.Time) func(Key) string {
	return func(key Key) string { return s.URL(key, Everyone, now) }
}

// At gives the pictures that are kept under keys the addresses that they have now.
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
