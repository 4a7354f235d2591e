package imaging

import (
	"cmp"
	"context"
	"image"
	"slices"

	"golang.org/x/image/draw"

	"plaza/domain/media"
)

// renderings are those of the frames, in their order. One without bytes is the
// picture itself.
//
// The largest is made first. One that is at most half as large is made of it: nothing
// is lost then that anybody could see.
func (p picture) renderings(ctx context.Context, frames []media.SizeSpec) ([]media.Variant, error) {
	all := make([]media.Variant, len(frames))
	order := make([]int, len(frames))
	whole := p.pixels.Bounds().Size()
	size := func(i int) image.Point { return fit(whole, frames[i]) }
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(area(size(b)), area(size(a))) })
	for from := p.pixels; len(order) > 0; order = order[1:] {
		i := order[0]
		all[i].Name = frames[i].Name
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
		if all[i].Upload, err = (picture{from, p.profile}).encode(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func area(p image.Point) int { return p.X * p.Y }

// fit is the size in which a picture fits into the frame, never larger than it is,
// and never nothing.
func fit(size image.Point, f media.SizeSpec) image.Point {
	switch {
	case size.X <= f.Width && size.Y <= f.Height:
		return size
	case size.X*f.Height >= size.Y*f.Width:
		return image.Pt(max(f.Width, 1), max(roundDiv(size.Y*f.Width, size.X), 1))
	}
	return image.Pt(max(roundDiv(size.X*f.Height, size.Y), 1), max(f.Height, 1))
}

// shrink returns the pixels in a smaller size, sharp and without moiré: boxes of
// pixels become one each while at least twice the size is left, which is fast, and
// then a filter takes over that keeps edges as they are.
func shrink(pixels image.Image, to image.Point) image.Image {
	size := pixels.Bounds().Size()
	pixels = average(pixels, box{max(size.X/(2*to.X), 1), max(size.Y/(2*to.Y), 1)})
	r := image.Rectangle{Max: to}
	if m, ok := pixels.(*image.Gray); ok {
		grey := image.NewGray(r)
		draw.CatmullRom.Scale(grey, r, m, m.Rect, draw.Src, nil)
		return grey
	}
	if !opaque(pixels) {
		n := image.NewNRGBA(r)
		draw.CatmullRom.Scale(n, r, pixels, pixels.Bounds(), draw.Src, nil)
		return n
	}
	if n, ok := pixels.(*image.NRGBA); ok {
		pixels = asRGBA(n)
	}
	rgba := image.NewRGBA(r)
	draw.CatmullRom.Scale(rgba, r, pixels, pixels.Bounds(), draw.Src, nil)
	return &image.NRGBA{Pix: rgba.Pix, Stride: rgba.Stride, Rect: r}
}

// asRGBA is for opaque pixels, which are the same in both.
func asRGBA(n *image.NRGBA) *image.RGBA {
	return &image.RGBA{Pix: n.Pix, Stride: n.Stride, Rect: n.Rect}
}
