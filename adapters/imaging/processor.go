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

// Processor implements media.Processor.
type Processor struct {
	slots  int64
	places *semaphore.Weighted
}

var _ media.Processor = (*Processor)(nil)

// NewProcessor returns a studio that has so many pictures in the making at once, at
// most.
func NewProcessor(slots int) *Processor {
	n := int64(max(slots, 1))
	return &Processor{slots: n, places: semaphore.NewWeighted(n)}
}

// Process implements media.Studio.
func (s *Processor) Process(ctx context.Context, field string, raw media.Raw, frames ...media.SizeSpec) (media.Processed, error) {
	if err := ctx.Err(); err != nil {
		return media.Processed{}, err
	}
	o := &original{ctx: ctx, raw: raw}
	if raw.Size() > media.MaxBytes {
		return media.Processed{}, fault.Field(field, media.TooLarge)
	}
	form, size, err := o.judge()
	switch {
	case err != nil:
		return media.Processed{}, o.refuse(field, media.NotAccepted)
	case int64(size.X)*int64(size.Y) > media.MaxPixels:
		return media.Processed{}, o.refuse(field, media.TooManyPixels)
	}

	places := min(int64(size.X*size.Y/placePixels)+1, s.slots)
	if err := s.places.Acquire(ctx, places); err != nil {
		return media.Processed{}, fmt.Errorf("wait for a place in the studio: %w", err)
	}
	defer s.places.Release(places)
	p, err := o.decode(form, size)
	if err != nil {
		return media.Processed{}, o.refuse(field, media.NotAccepted)
	}
	return p.develop(ctx, frames)
}

// picture is one in the making: its pixels, and what their colours mean.
type picture struct {
	pixels  image.Image // *image.Gray, *image.YCbCr or *image.NRGBA, from (0, 0)
	profile *profile    // nil: sRGB
}

// develop makes the files of the picture.
func (p picture) develop(ctx context.Context, frames []media.SizeSpec) (media.Processed, error) {
	renderings, err := p.renderings(ctx, frames)
	if err != nil {
		return media.Processed{}, err
	}
	if err := ctx.Err(); err != nil {
		return media.Processed{}, err
	}
	whole, err := p.encode()
	if err != nil {
		return media.Processed{}, err
	}
	for i, r := range renderings {
		if r.Bytes == nil {
			renderings[i].Upload = media.Upload{Type: whole.Type, Width: whole.Width, Height: whole.Height}
		}
	}
	return media.Processed{Upload: whole, Variants: renderings}, nil
}
