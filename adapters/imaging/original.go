package imaging

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"runtime/debug"

	"plaza/domain/media"
)

// original is an uploaded picture. It is read from its start as often as needed and never
// held as a whole.
type original struct {
	ctx    context.Context // of the call that the original belongs to
	raw    media.Raw
	broken error // a read error that the picture did not cause
	ended  bool  // the last reader was read past the end of the file
	large  bool  // its garbage is collected at once
}

// collect frees what the last step has left behind. Without it, a large picture would take
// its memory several times over before the collector runs.
func (o *original) collect() {
	if o.large {
		debug.FreeOSMemory()
	}
}

func (o *original) open() *bufio.Reader {
	const buffer = 32 << 10
	o.ended = false
	return bufio.NewReaderSize(&pass{o, io.NewSectionReader(o.raw, 0, o.raw.Size())}, buffer)
}

// pass is one read of an original. It fails when the context ends, because decoders can't be
// stopped otherwise.
type pass struct {
	*original
	from io.Reader
}

func (p *pass) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		p.broken = err
		return 0, err
	}
	n, err := p.from.Read(b)
	switch {
	case err == io.EOF:
		p.ended = true
	case err != nil:
		p.broken = fmt.Errorf("reading a picture: %w", err)
	}
	return n, err
}

// refuse returns the fault, unless the picture was not read to its end for another reason.
func (o *original) refuse(f error) error { return cmp.Or(o.broken, o.ctx.Err(), f) }

var (
	// errUnsupported is the error of a header that is not that of a picture. Clients read a sentence of
	// package media instead.
	errUnsupported = errors.New("unsupported picture format")
	// errCutOff is the error of a file of boxes that is not whole.
	errCutOff = errors.New("the picture is cut off")
)

// undecodable returns the fault of a picture of an accepted format that was not decoded because of the error.
func (o *original) undecodable(err error) error {
	if errors.Is(err, errMemory) {
		return o.refuse(media.ErrTooDemanding)
	}
	if errors.Is(err, errCutOff) || o.ended && !errors.Is(err, errDecoder) {
		return o.refuse(media.ErrCutOff)
	}
	return o.refuse(media.ErrUnreadable)
}

// judge reads the format and the size from the header. The size then limits the decoder. Its error is a fault
// of package media.
func (o *original) judge() (form, header, error) {
	r := o.open()
	for _, f := range forms {
		if !f.begins(r) {
			continue
		}
		h, err := f.header(r)
		switch {
		case err != nil || h.size.X <= 0 || h.size.Y <= 0:
			return form{}, header{}, o.undecodable(err)
		case int64(h.size.X)*int64(h.size.Y) > media.MaxPixels:
			return form{}, header{}, o.refuse(media.ErrTooManyPixels)
		}
		return f, h, nil
	}
	return form{}, header{}, o.refuse(media.ErrNotAccepted)
}

// decode returns the upright picture.
func (o *original) decode(f form, size image.Point) (picture, error) {
	n, err := f.notes(o.open())
	if err != nil {
		return picture{}, err
	}
	decoded, err := f.decode(o.ctx, o.open())
	if err != nil {
		return picture{}, err
	}
	o.collect()
	_, isGrey := decoded.(*image.Gray)
	_, isInk := decoded.(*image.CMYK)
	p := picture{pixels: plain(decoded, size), lossless: n.lossless}
	o.collect()
	// The profile of a CMYK picture describes its inks by tables. They are not applied; the
	// inks are converted as if they were pure.
	if !isInk {
		p.profile = parseProfile(n.profile, isGrey || n.grey)
	}
	if area(p.pixels.Bounds().Size()) > media.MaxStoredPixels {
		p.pixels = average(p.pixels, box{2, 2})
		o.collect()
	}
	p.pixels = n.orientation.upright(p.pixels)
	o.collect()
	return p, nil
}
