package imaging

import (
	"context"
	"fmt"
	"image"

	"golang.org/x/sync/semaphore"

	"plaza/domain/fault"
	"plaza/domain/media"
)

// placePixels are the pixels of the largest picture that takes one place in the
// studio. A larger one takes more of them: a progressive JPEG of 40 megapixels
// needs more than half a gigabyte while it is decoded, and there must not be two.
const placePixels = 16_000_000

// Studio implements media.Studio.
type Studio struct {
	slots  int64
	places *semaphore.Weighted
}

var _ media.Studio = (*Studio)(nil)

// NewStudio returns a studio that has so many pictures in the making at once, at
// most.
func NewStudio(slots int) *Studio {
	n := int64(max(slots, 1))
	return &Studio{slots: n, places: semaphore.NewWeighted(n)}
}

// Develop implements media.Studio.
func (s *Studio) Develop(ctx context.Context, field string, raw media.Raw, frames ...media.Frame) (media.Developed, error) {
	if err := ctx.Err(); err != nil {
		return media.Developed{}, err
	}
	o := &original{ctx: ctx, raw: raw}
	if raw.Size() > media.MaxBytes {
		return media.Developed{}, fault.Field(field, media.TooLarge)
	}
	form, size, err := o.judge()
	switch {
	case err != nil:
		return media.Developed{}, o.refuse(field, media.NotAccepted)
	case int64(size.X)*int64(size.Y) > media.MaxPixels:
		return media.Developed{}, o.refuse(field, media.TooManyDots)
	}

	places := min(int64(size.X*size.Y/placePixels)+1, s.slots)
	if err := s.places.Acquire(ctx, places); err != nil {
		return media.Developed{}, fmt.Errorf("wait for a place in the studio: %w", err)
	}
	defer s.places.Release(places)
	p, err := o.decode(form, size)
	if err != nil {
		return media.Developed{}, o.refuse(field, media.NotAccepted)
	}
	return p.develop(ctx, frames)
}

// picture is one in the making: its pixels, and what their colours mean.
type picture struct {
	pixels  image.Image // *image.Gray, *image.YCbCr or *image.NRGBA, from (0, 0)
	profile *profile    // nil: sRGB
}

// develop makes the files of the picture.
func (p picture) develop(ctx context.Context, frames []media.Frame) (media.Developed, error) {
	renderings, err := p.renderings(ctx, frames)
	if err != nil {
		return media.Developed{}, err
	}
	if err := ctx.Err(); err != nil {
		return media.Developed{}, err
	}
	whole, err := p.encode()
	if err != nil {
		return media.Developed{}, err
	}
	for i, r := range renderings {
		if r.Bytes == nil {
			renderings[i].Upload = media.Upload{Type: whole.Type, Width: whole.Width, Height: whole.Height}
		}
	}
	return media.Developed{Upload: whole, Renderings: renderings}, nil
}
