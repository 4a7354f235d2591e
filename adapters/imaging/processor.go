// Package imaging processes uploaded pictures and generates portraits.
//
// An upload is checked by its header before memory for its pixels is allocated. Then it is
// encoded anew from its pixels and the tables of its colour profile. Nothing else of the
// file is kept (PLA-03).
//
// Package jpeg decodes JPEGs. Two other parts are the package's own because no library serves as well. Libraries that read
// orientations return no colour profiles (notes.go, profile.go). The kernels of
// golang.org/x/image/draw alone take two to nine times as long to scale a photo of 12
// megapixels down, in up to five times the memory, as averaging its pixels first does
// (average.go); draw.ApproxBiLinear is faster, but skips pixels and shows moiré.
//
// Pictures are admitted by the memory that they take at most at once (memory.go), by a bound for
// each format. It is what was measured of the worst pictures, with noise where that is the worst:
//
//	                              bytes a pixel   40 megapixels, MiB
//	JPEG, grey or 4:2:0                3.8             145
//	JPEG, other samplings              7               267
//	JPEG of RGB or CMYK                8               305
//	progressive, grey or 4:2:0         4.6             176
//	progressive, other samplings      12.1             462
//	progressive, RGB or CMYK          16.1             614
//	PNG, interlaced                   16               610
//	PNG, GIF                          12.1             462
//	WebP, lossy and opaque             3.8             145
//	other WebP                        12.1             605, with its Huffman trees
//
// A portrait is drawn from its seed alone, so it is never stored and looks the same for ever
// and in every size (USR-04).
package imaging

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plaza/application/admission"
	"plaza/domain/fault"
	"plaza/domain/media"
)

// What one of the lanes lets wait. It takes a few seconds to process a large picture, so
// more would not be admitted in time. A dozen that one account sends at once are.
const (
	maxWait      = 40 * time.Second
	waitingLarge = 32
	waitingSmall = 96
)

// errBusy is the fault of a picture that is not admitted in time.
var errBusy = fault.RetryAfter(fault.Unavailable, 5*time.Second, "The server is processing too many pictures. Try again soon.").
	AtLimit("picture_processing")

// MaxMemory returns how much memory the pictures of a processor take at once, in bytes. Only
// progressive JPEGs of ink or of red, green and blue, and pictures of many megapixels in other formats may take
// more, up to 1 GiB, and one at once.
func MaxMemory(processors int) int64 { return largeMemory + int64(max(processors, 1))*smallMemory }

// Processor implements media.Processor. It admits pictures by the memory that they take, in
// two lanes.
type Processor struct {
	small, large lane
}

// NewProcessor returns a processor that works on at most as many small and as many large
// pictures at once as there are processors.
func NewProcessor(processors int) *Processor {
	n := int64(max(processors, 1))
	return &Processor{
		small: newLane(n, n*smallMemory, waitingSmall),
		large: newLane(n, largeMemory, waitingLarge),
	}
}

type lane struct {
	*admission.Queue
	least int64 // weight of a picture, in bytes
}

func newLane(processors, memory int64, waiting int) lane {
	limits := admission.Limits{Capacity: memory, Waiting: waiting, Wait: maxWait}
	return lane{admission.New(limits, errBusy), memory / processors}
}

func (s *Processor) Process(ctx context.Context, by string, raw media.Raw, specs ...media.SizeSpec) (media.Processed, error) {
	done, err := s.process(ctx, by, raw, specs)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("%w: %w", errBusy, err)
	}
	return done, err
}

func (s *Processor) process(ctx context.Context, by string, raw media.Raw, specs []media.SizeSpec) (media.Processed, error) {
	if err := ctx.Err(); err != nil {
		return media.Processed{}, err
	}
	o := &original{ctx: ctx, raw: raw}
	if raw.Size() > media.MaxBytes {
		return media.Processed{}, media.ErrTooLarge
	}
	form, header, err := o.judge()
	if err != nil {
		return media.Processed{}, err
	}
	memory := header.need.bytes(header.size, specs)
	if memory > mostMemory {
		return media.Processed{}, media.ErrTooDemanding
	}
	lane := s.small
	if o.large = memory > smallMemory; o.large {
		lane = s.large
	}
	leave, err := lane.Enter(ctx, max(memory, lane.least), by)
	if err != nil {
		return media.Processed{}, fmt.Errorf("waiting to process a picture: %w", err)
	}
	defer leave()
	defer o.collect()
	p, err := o.decode(form, header.size)
	if err != nil {
		return media.Processed{}, o.undecodable(err)
	}
	return o.encode(p, specs)
}

func (o *original) encode(p picture, specs []media.SizeSpec) (media.Processed, error) {
	variants, err := p.variants(o.ctx, specs)
	if err != nil {
		return media.Processed{}, err
	}
	if err := o.ctx.Err(); err != nil {
		return media.Processed{}, err
	}
	if len(variants) > 0 {
		o.collect()
	}
	whole, err := p.encode()
	if err != nil {
		return media.Processed{}, err
	}
	if whole.Type == "image/jpeg" && slices.ContainsFunc(variants, func(v media.Variant) bool { return v.Type == "image/png" }) {
		p.lossless = false // sizes are of the same kind, or JPEGs (IMG-08)
		if variants, err = p.variants(o.ctx, specs); err != nil {
			return media.Processed{}, err
		}
	}
	for i, r := range variants {
		if r.Bytes == nil {
			variants[i].Upload = media.Upload{Type: whole.Type, Width: whole.Width, Height: whole.Height}
		}
	}
	return media.Processed{Upload: whole, Variants: variants}, nil
}
