package media

import (
	"context"
	"errors"
	"io"
)

// Raw is what somebody has sent, in memory or on the disk: it can be read at any place,
// by one reader at a time.
type Raw interface {
	io.ReaderAt
	Size() int64 // bytes
}

// SizeSpec is a size that is wanted of a picture: its name, and the pixels that it must fit
// into.
type SizeSpec struct {
	Name          string
	Width, Height int
}

// The frames of pictures that are shown in several sizes, smallest first.
var (
	AvatarSizes      = []SizeSpec{{"sm", 96, 96}, {"md", 256, 256}, {"lg", 640, 640}}
	CoverSizes       = []SizeSpec{{CoverSM, 480, 480}}
	DemandCoverSizes = []SizeSpec{{DemandCoverMD, 720, 720}}
)

// Processor makes pictures of what came in. Every implementation passes test/ports.Processor.
type Processor interface {
	// Process returns the picture that the bytes are, judged by their content, made anew
	// of its pixels: upright, of an animation the first one, its colours meaning what they
	// did, and nothing else that was in the bytes: no metadata, and nothing behind the
	// picture. It is a JPEG, or a PNG where something is transparent.
	//
	// Each frame gets a rendering, in their order, as large as fits into the frame and
	// never larger than the picture.
	//
	// What is no picture of an accepted type, can't be decoded, or has more than MaxBytes
	// or MaxPixels, is a fault on the field. It must read the header before anything else:
	// what is refused for what its header says costs nothing. Few pictures are in the
	// making at once; whoever comes later waits, as long as their context lets them.
	Process(ctx context.Context, field string, raw Raw, frames ...SizeSpec) (Processed, error)
}

// Processed is a picture with its renderings.
type Processed struct {
	Upload
	Variants []Variant
}

// Variant is a picture in one of its sizes. Without bytes the picture itself will do:
// it fits into the frame.
type Variant struct {
	Name string
	Upload
}

// Store stores the picture and its renderings, all of them or none.
func (d Processed) Store(ctx context.Context, s Store, a Audience) (Picture, error) {
	key, err := s.Put(ctx, d.Upload, a)
	if err != nil {
		return Picture{}, err
	}
	p := Picture{Key: key}
	for _, r := range d.Variants {
		size := Size{Name: r.Name, Width: r.Width, Height: r.Height, Key: key}
		if r.Bytes != nil {
			if size.Key, err = s.Put(ctx, r.Upload, a); err != nil {
				return Picture{}, errors.Join(err, p.Discard(context.WithoutCancel(ctx), s))
			}
		}
		p.Sizes = append(p.Sizes, size)
	}
	return p, nil
}

// Keys are those of the picture and its sizes, each once.
func (p Picture) Keys() []Key {
	var keys []Key
	if p.Key != "" {
		keys = append(keys, p.Key)
	}
	for _, s := range p.Sizes {
		if s.Key != "" && s.Key != p.Key {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

// Discard removes the picture and its sizes from the store.
func (p Picture) Discard(ctx context.Context, s Store) error {
	var err error
	for _, key := range p.Keys() {
		err = errors.Join(err, s.Remove(ctx, key))
	}
	return err
}
