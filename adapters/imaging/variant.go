package imaging

import (
	"cmp"
	"context"
	"image"
	"slices"

	"golang.org/x/image/draw"

	"plaza/domain/media"
)

// variants returns the variants for the specs, in their order. A variant without bytes is
// the picture itself.
//
// The largest is made first. A variant of at most half the size of the one made before it is
// made from that one, without visible loss; any other is made from the picture.
func (p picture) variants(ctx context.Context, specs []media.SizeSpec) ([]media.Variant, error) {
	all := make([]media.Variant, len(specs))
	order := make([]int, len(specs))
	whole := p.pixels.Bounds().Size()
	size := func(i int) image.Point { return fit(whole, specs[i]) }
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(area(size(b)), area(size(a))) })
	for from := p.pixels; len(order) > 0; order = order[1:] {
		i := order[0]
		all[i].Name = specs[i].Name
		if size(i) == whole {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if has := from.Bounds().Size(); has.X < 2*size(i).X || has.Y < 2*size(i).Y {
			from = p.pixels
		}
		from = shrink(from, size(i))
		var err error
		if all[i].Upload, err = (picture{from, p.profile, p.lossless}).encode(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// fit returns the dimensions of the picture in the size.
func fit(size image.Point, s media.SizeSpec) image.Point { return image.Pt(s.Fit(size.X, size.Y)) }

// boxFor returns the boxes to average before the filter.
func boxFor(size, to image.Point) box {
	return box{max(size.X/(2*to.X), 1), max(size.Y/(2*to.Y), 1)}
}

// shrink scales the pixels down, sharp and without moiré. While at least twice the size
// remains, it averages boxes of pixels, which is fast. A filter that keeps edges does the
// rest.
func shrink(pixels image.Image, to image.Point) image.Image {
	size := pixels.Bounds().Size()
	pixels = average(pixels, boxFor(size, to))
	if n, ok := pixels.(*image.NRGBA); ok && n.Opaque() {
		pixels = asRGBA(n)
	}
	r := image.Rectangle{Max: to}
	var shrunk draw.Image
	switch pixels.(type) {
	case *image.Gray:
		shrunk = image.NewGray(r)
	case *image.NRGBA:
		shrunk = image.NewNRGBA(r)
	default:
		shrunk = image.NewRGBA(r)
	}
	draw.CatmullRom.Scale(shrunk, r, pixels, pixels.Bounds(), draw.Src, nil)
	return plain(shrunk, to)
}
