package imaging

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"io"

	"plaza/domain/fault"
	"plaza/domain/media"
)

// errStrange is the error of bytes that are no picture. Nobody sees it: what they
// are told is a sentence of package media.
var errStrange = errors.New("no picture of a form that is accepted")

// original is what came in. It is read from its start as often as needed, and never
// held as a whole.
type original struct {
	ctx    context.Context // of the one call that it lives for
	raw    media.Raw
	broken error // why it could not be read on, when that is not its own fault
}

// open reads the original from its start.
func (o *original) open() *bufio.Reader {
	const buffer = 32 << 10
	return bufio.NewReaderSize(&pass{o, io.NewSectionReader(o.raw, 0, o.raw.Size())}, buffer)
}

// pass is one reading of an original. It ends when the caller goes away, which is
// the only way to stop a decoder.
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
	if err != nil && err != io.EOF {
		p.broken = fmt.Errorf("read a picture: %w", err)
	}
	return n, err
}

// refuse says on the field what is wrong with the original, unless it was not the
// original that failed.
func (o *original) refuse(field, sentence string) error {
	if o.broken != nil {
		return o.broken
	}
	return fault.Field(field, sentence)
}

// judge finds the form and the size of the picture by its header. The size binds
// the decoder.
func (o *original) judge() (form, image.Point, error) {
	r := o.open()
	head, _ := r.Peek(longestMagic)
	for _, f := range forms {
		if !f.isForm(string(head)) {
			continue
		}
		c, err := f.header(r)
		if err != nil || c.Width <= 0 || c.Height <= 0 {
			return form{}, image.Point{}, errStrange
		}
		return f, image.Pt(c.Width, c.Height), nil
	}
	return form{}, image.Point{}, errStrange
}

// decode makes the picture of the original, upright.
func (o *original) decode(f form, size image.Point) (picture, error) {
	n, err := f.notes(o.open())
	if err != nil {
		return picture{}, err
	}
	decoded, err := f.decode(o.open())
	if err != nil {
		return picture{}, err
	}
	_, isGrey := decoded.(*image.Gray)
	_, isInk := decoded.(*image.CMYK)
	p := picture{pixels: plain(decoded, size)}
	// The profile of a CMYK picture says how its inks look, by tables. They are not
	// applied: the inks are converted as if they were pure.
	if !isInk {
		p.profile = parseProfile(n.profile, isGrey || n.grey)
	}
	p.pixels = n.orientation.upright(p.pixels)
	return p, nil
}
