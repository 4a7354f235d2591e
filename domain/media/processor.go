package media

import (
	"context"
	"errors"
	"io"
)

// Raw is an uploaded file in memory or on the disk. It can be read at any offset, by one
// reader at a time.
type Raw interface {
	io.ReaderAt
	Size() int64 // bytes
}

// SizeSpec is a requested size of a picture: its name and its maximum dimensions in
// pixels.
type SizeSpec struct {
	Name          string
	Width, Height int
}

// Fit returns the dimensions of a picture in this size: as large as fits, at least one pixel wide and high, and never larger
// than the picture.
func (s SizeSpec) Fit(width, height int) (int, int) {
	switch {
	case width <= s.Width && height <= s.Height:
		return width, height
	case width*s.Height >= height*s.Width:
		return max(s.Width, 1), max((height*s.Width+width/2)/width, 1)
	}
	return max((width*s.Height+height/2)/height, 1), max(s.Height, 1)
}

// The sizes of pictures that are shown in several sizes, smallest first.
var (
	AvatarSizes      = []SizeSpec{{"sm", 96, 96}, {"md", 256, 256}, {"lg", 640, 640}}
	CoverSizes       = []SizeSpec{{CoverSM, 480, 480}}
	DemandCoverSizes = []SizeSpec{{DemandCoverMD, 720, 720}}
)

// PictureSizes are the sizes of user images and plates, which are stored under keys derived
// from the picture's (IMG-08).
var PictureSizes = []SizeSpec{{"sm", 320, 320}, {"md", 1024, 1024}}

// Processor decodes uploaded pictures and encodes them again. Every implementation
// passes test/ports.Processor.
type Processor interface {
	// Process decodes the picture, whose type it must detect from the content, and
	// encodes its pixels again: upright, the first image of an animation, with unchanged
	// colours. The result must contain nothing else of the file: no metadata, and no
	// data after the picture.
	//
	// It is a PNG if a pixel is transparent, or if the picture exceeds the size limit of
	// JPEG, or if a PNG, a GIF or a lossless WebP is not larger as a PNG than as a JPEG.
	// Otherwise it is a JPEG, which is not larger than MaxBytes and its colour profile.
	//
	// A wrong checksum of metadata is ignored, and so is an unknown extension. A first image that
	// ends outside of its screen enlarges it, as in browsers.
	//
	// A picture of more than MaxStoredPixels gets half of its width and height, rounded up.
	//
	// The result has one variant per size, in the order of the sizes: as large as fits
	// into the size, and never larger than the picture.
	//
	// Process returns ErrNotAccepted if the file is not of an accepted type, ErrCutOff if it
	// ends before its picture, and ErrUnreadable if it cannot be decoded for another reason.
	// Process returns ErrTooLarge if the file exceeds MaxBytes, and ErrTooManyPixels if it
	// exceeds MaxPixels. It may return ErrTooDemanding for a picture of more than 15 megapixels,
	// and for one that takes more memory than its size explains. It must read the header first,
	// so that refusing a picture because of its header is cheap.
	//
	// Process must limit the memory of the pictures that are processed concurrently. Further
	// calls wait, at most until their context ends: small pictures never for large ones, and
	// the pictures of a key that has many behind those of others. by is the key, such as
	// that of an account. The time that a call waits and the number of waiting calls are
	// bounded: beyond them, and when the deadline of the context passes, Process returns an
	// Unavailable fault.
	Process(ctx context.Context, by string, raw Raw, sizes ...SizeSpec) (Processed, error)
}

// Processed is a picture with its variants.
type Processed struct {
	Upload
	Variants []Variant
}

// Variant is a picture in one of its sizes. If Bytes is nil, the picture itself fits
// into the size.
type Variant struct {
	Name string
	Upload
}

// Size returns the bytes of the picture and all its variants, as they are stored.
func (d Processed) Size() int64 {
	bytes := len(d.Bytes)
	for _, r := range d.Variants {
		bytes += len(r.Bytes)
	}
	return int64(bytes)
}

// Store stores the picture and all its variants, or nothing.
func (d Processed) Store(ctx context.Context, s Store, a Audience) (Picture, error) {
	key, err := d.Put(ctx, s, a)
	if err != nil {
		return Picture{}, err
	}
	p := Picture{Key: key}
	for _, r := range d.Variants {
		size := Size{Name: r.Name, Width: r.Width, Height: r.Height, Key: key}
		if r.Bytes != nil {
			if size.Key, err = r.Put(ctx, s, a); err != nil {
				return Picture{}, errors.Join(err, p.Discard(context.WithoutCancel(ctx), s))
			}
		}
		p.Sizes = append(p.Sizes, size)
	}
	return p, nil
}

// StoreDerived stores the picture, and its variants under keys derived from the picture's, or
// nothing (IMG-08). A variant that is the picture itself is stored as an empty file.
func (d Processed) StoreDerived(ctx context.Context, s Store, a Audience) (Key, error) {
	key, err := d.Put(ctx, s, a)
	if err != nil {
		return "", err
	}
	for _, v := range d.Variants {
		if err := s.Put(ctx, key.Size(v.Name, v.Type), v.Bytes); err != nil {
			return "", errors.Join(err, Remove(context.WithoutCancel(ctx), s, key))
		}
	}
	return key, nil
}

// Keys returns the keys of the picture and its sizes, each once.
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
		err = errors.Join(err, Remove(ctx, s, key))
	}
	return err
}
