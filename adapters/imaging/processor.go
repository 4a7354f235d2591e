package imaging

import (
	"context"
	"fmt"
	"image"

	"golang.org/x/sync/semaphore"

	"plaza/domain/media"
)

// slotPixels is how many pixels a picture of one slot stays below. A larger picture takes one
// more slot for each slotPixels, because it needs more memory: a progressive JPEG of 40
// megapixels, more than half a gigabyte. It takes three slots, or all if there are fewer.
const slotPixels = 16_000_000

// Processor implements media.Processor.
type Processor struct {
	slots int64
	free  *semaphore.Weighted
}

var _ media.Processor = (*Processor)(nil)

// NewProcessor returns a processor that works on at most that many pictures at once.
func NewProcessor(slots int) *Processor {
	n := int64(max(slots, 1))
	return &Processor{slots: n, free: semaphore.NewWeighted(n)}
}

// Process implements media.Processor.
func (s *Processor) Process(ctx context.Context, raw media.Raw, specs ...media.SizeSpec) (media.Processed, error) {
	if err := ctx.Err(); err != nil {
		return media.Processed{}, err
	}
	o := &original{ctx: ctx, raw: raw}
	if raw.Size() > media.MaxBytes {
		return media.Processed{}, media.ErrTooLarge
	}
	form, size, err := o.judge()
	switch {
	case err != nil:
		return media.Processed{}, o.refuse(media.ErrNotAccepted)
	case int64(size.X)*int64(size.Y) > media.MaxPixels:
		return media.Processed{}, o.refuse(media.ErrTooManyPixels)
	}

	slots := min(int64(size.X*size.Y/slotPixels)+1, s.slots)
	if err := s.free.Acquire(ctx, slots); err != nil {
		return media.Processed{}, fmt.Errorf("waiting for an image processor slot: %w", err)
	}
	defer s.free.Release(slots)
	p, err := o.decode(form, size)
	if err != nil {
		return media.Processed{}, o.refuse(media.ErrNotAccepted)
	}
	return p.process(ctx, specs)
}

// picture is a decoded picture with the meaning of its colours.
type picture struct {
	pixels  image.Image // *image.Gray, *image.YCbCr or *image.NRGBA, from (0, 0)
	profile *profile    // nil: sRGB
}

// process encodes the picture and its variants.
func (p picture) process(ctx context.Context, specs []media.SizeSpec) (media.Processed, error) {
	variants, err := p.variants(ctx, specs)
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
	for i, r := range variants {
		if r.Bytes == nil {
			variants[i].Upload = media.Upload{Type: whole.Type, Width: whole.Width, Height: whole.Height}
		}
	}
	return media.Processed{Upload: whole, Variants: variants}, nil
}
