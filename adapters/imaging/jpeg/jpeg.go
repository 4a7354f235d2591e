// Package jpeg decodes JPEGs of 8 bits a sample, as ITU-T T.81 defines them: coded with Huffman codes, sequentially or
// progressively, in one, three or four components.
//
// It also reads what package image/jpeg refuses or misreads: any sampling factors, restart markers in scans of one component, inks
// without Adobe's mark, and files without the marker of their end whose scans complete the picture. It takes three quarters of the
// time, and of a progressive picture half of the memory for its coefficients.
package jpeg

import (
	"errors"
	"image"
	"image/color"
	"io"
	"iter"
	"math"
	"slices"
)

var errFormat = errors.New("invalid or unsupported JPEG")

// The markers of segments.
const (
	sof0, sof1, sof2 = 0xc0, 0xc1, 0xc2 // frames: baseline, extended sequential, progressive
	dht, dqt, dri    = 0xc4, 0xdb, 0xdd // codes, quantisation, restart interval
	rst0, rst7       = 0xd0, 0xd7       // restarts
	soi, eoi, sos    = 0xd8, 0xd9, 0xda // start and end of the image, scan
	app0, app14      = 0xe0, 0xee       // JFIF, Adobe
	endOfFile        = 0x02             // in no file: the reader puts it at the end
)

type decoder struct {
	in          bitReader
	segment     [1 << 16]byte
	size        image.Point
	units       image.Point // how many interleaved units the picture has
	factors     image.Point // the largest sampling factors
	components  []component
	progressive bool
	codes       [2][4]codes // of first coefficients, and of others
	quant       [4][64]int32
	interval    int // units between restarts
	jfif, adobe bool
	transform   byte // Adobe's; zero: none
}

// component is a component of the frame.
type component struct {
	id, table byte        // its name; which quantisation it uses
	factors   image.Point // sampling factors
	size      image.Point // in samples
	blocks    image.Point // in blocks of 8 × 8 samples, with those that only fill units
	quant     [64]int32
	coded     []int16 // progressive: the coefficients, 64 for each block in the order of the zigzag
	samples   []byte
	complete  uint64 // a bit for each coefficient, in the order of the zigzag: its lowest bit is in a scan
}

// Config says what a JPEG is before it is decoded.
type Config struct {
	image.Config
	Progressive bool
	Ratio       image.YCbCrSubsampleRatio // of brightness to colours, which are otherwise of full size
}

func DecodeConfig(r io.Reader) (Config, error) {
	d := decoder{in: bitReader{from: r}}
	if err := d.read(true); err != nil {
		return Config{}, err
	}
	c := Config{Config: image.Config{ColorModel: color.YCbCrModel, Width: d.size.X, Height: d.size.Y}, Progressive: d.progressive}
	c.Ratio, _ = d.ratio()
	switch {
	case len(d.components) == 1:
		c.ColorModel = color.GrayModel
	case len(d.components) == 4:
		c.ColorModel = color.CMYKModel
	case d.isRGB():
		c.ColorModel = color.RGBAModel
	}
	return c, nil
}

// Decode returns a picture of the types that package image/jpeg returns.
func Decode(r io.Reader) (image.Image, error) {
	d := decoder{in: bitReader{from: r}}
	if err := d.read(false); err != nil {
		return nil, err
	}
	for i := range d.components {
		c := &d.components[i]
		if c.samples == nil && c.coded == nil { // it is in no scan
			return nil, errFormat
		}
		c.reconstruct()
	}
	return d.picture(), nil
}

// read reads the segments and the scans. For the header alone, it stops when size and colours are known.
func (d *decoder) read(header bool) error {
	if d.in.marker() != soi {
		return d.in.or(errFormat)
	}
	for {
		marker := d.in.marker()
		switch {
		case d.in.err != nil:
			return d.in.err
		case rst0 <= marker && marker <= rst7:
			continue
		case marker == endOfFile && !d.isComplete():
			return io.ErrUnexpectedEOF
		case marker == endOfFile:
			return nil
		case marker == eoi && header, (marker == eoi || marker == sos) && len(d.components) == 0:
			return errFormat
		case marker == eoi, marker == sos && header:
			return nil
		}
		content, err := d.content()
		if err == nil {
			err = d.process(marker, content)
		}
		if err != nil {
			return err
		}
		if header && d.jfif && len(d.components) > 0 {
			return nil
		}
	}
}

// Segments yields the marker and the content of each segment up to the end of the picture, without the data of scans. A content
// is valid until the next one.
func Segments(r io.Reader) iter.Seq2[byte, []byte] {
	return func(yield func(byte, []byte) bool) {
		d := decoder{in: bitReader{from: r}}
		for marker := d.in.marker(); marker != eoi && marker != endOfFile && d.in.err == nil; marker = d.in.marker() {
			if rst0 <= marker && marker <= soi {
				continue
			}
			if content, err := d.content(); err != nil || !yield(marker, content) {
				return
			}
		}
	}
}

// isComplete reports whether the scans have all coefficients.
func (d *decoder) isComplete() bool {
	isPartial := func(c component) bool { return c.complete != math.MaxUint64 }
	return len(d.components) > 0 && !slices.ContainsFunc(d.components, isPartial)
}

func (d *decoder) content() ([]byte, error) {
	d.in.readFull(d.segment[:2])
	length := int(d.segment[0])<<8 + int(d.segment[1]) - 2
	if length < 0 {
		return nil, d.in.or(errFormat)
	}
	d.in.readFull(d.segment[:length])
	return d.segment[:length], d.in.err
}

func (d *decoder) process(marker byte, content []byte) error {
	switch {
	case marker == dht:
		return d.readCodes(content)
	case marker == dqt:
		return d.readQuant(content)
	case marker == dri && len(content) == 2:
		d.interval = int(content[0])<<8 + int(content[1])
	case marker == sos:
		return d.scan(content)
	case sof0 <= marker && marker <= sof2:
		d.progressive = marker == sof2
		return d.readFrame(content)
	case marker < app0: // other frames, and what arithmetic codes need
		return errFormat
	case marker == app0:
		d.jfif = d.jfif || len(content) >= 5 && string(content[:5]) == "JFIF\x00"
	case marker == app14 && len(content) >= 12 && string(content[:5]) == "Adobe":
		d.adobe, d.transform = true, content[11]
	}
	return nil
}

// readFrame reads the header of the frame (section B.2.2 of the standard).
func (d *decoder) readFrame(content []byte) error {
	if len(d.components) > 0 || len(content) < 6 {
		return errFormat
	}
	n := int(content[5])
	if content[0] != 8 || n != 1 && n != 3 && n != 4 || len(content) != 6+3*n {
		return errFormat
	}
	d.size = image.Pt(int(content[3])<<8+int(content[4]), int(content[1])<<8+int(content[2]))
	for b := content[6:]; len(b) > 0; b = b[3:] {
		c := component{id: b[0], table: b[2], factors: image.Pt(int(b[1]>>4), int(b[1]&15))}
		if c.factors.X < 1 || c.factors.X > 4 || c.factors.Y < 1 || c.factors.Y > 4 || int(c.table) >= len(d.quant) || d.find(c.id) != nil {
			return errFormat
		}
		d.factors = image.Pt(max(d.factors.X, c.factors.X), max(d.factors.Y, c.factors.Y))
		d.components = append(d.components, c)
	}
	d.units = image.Pt(ceil(d.size.X, 8*d.factors.X), ceil(d.size.Y, 8*d.factors.Y))
	for i := range d.components {
		c := &d.components[i]
		c.size = image.Pt(ceil(d.size.X*c.factors.X, d.factors.X), ceil(d.size.Y*c.factors.Y, d.factors.Y))
		c.blocks = image.Pt(d.units.X*c.factors.X, d.units.Y*c.factors.Y)
	}
	return nil
}

func (d *decoder) find(id byte) *component {
	for i := range d.components {
		if d.components[i].id == id {
			return &d.components[i]
		}
	}
	return nil
}

// readQuant reads tables of quantisation (section B.2.4.1).
func (d *decoder) readQuant(content []byte) error {
	for len(content) > 0 {
		table, bytes := int(content[0]&15), 1+int(content[0]>>4)
		if content = content[1:]; table >= len(d.quant) || bytes > 2 || len(content) < 64*bytes {
			return errFormat
		}
		for k := range 64 {
			d.quant[table][k] = int32(content[k*bytes])
			if bytes == 2 {
				d.quant[table][k] = d.quant[table][k]<<8 | int32(content[2*k+1])
			}
		}
		content = content[64*bytes:]
	}
	return nil
}

// ceil divides and rounds up.
func ceil(a, b int) int { return (a + b - 1) / b }
