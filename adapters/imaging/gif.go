package imaging

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"image"
	"image/gif"
	"io"
	"math"
	"slices"
)

// gifHeader returns the size of the screen, which the first picture enlarges if it ends outside, as in browsers.
func gifHeader(r *bufio.Reader) (header, error) {
	start, err := gifStart(r)
	if err != nil {
		return header{}, err
	}
	c, err := gif.DecodeConfig(bytes.NewReader(start))
	return header{image.Pt(c.Width, c.Height), need{plain: 4, most: 12.1}}, err
}

func decodeGIF(r io.Reader) (image.Image, error) {
	rest := bufio.NewReader(r)
	start, err := gifStart(rest)
	if err != nil {
		return nil, err
	}
	return gif.Decode(io.MultiReader(bytes.NewReader(start), rest))
}

// gifStart reads up to the first picture. It returns what it has read as the decoder accepts it: the picture is inside of the
// screen, and of the extensions only that is there which says what colour is transparent.
func gifStart(r *bufio.Reader) ([]byte, error) {
	const screen, flags, extension, picture, transparency = 13, 10, '!', ',', 0xf9
	start := upTo(r, screen)
	if len(start) == screen && start[flags]&0x80 != 0 {
		start = append(start, upTo(r, 3*2<<(start[flags]&7))...)
	}
	var control []byte
	for {
		switch kind, err := r.Peek(1); {
		case err != nil:
			return nil, err
		case kind[0] == extension:
			label, block, err := readExtension(r)
			if err != nil {
				return nil, err
			}
			if label == transparency {
				control = slices.Concat([]byte{extension, label, byte(len(block))}, block, []byte{0})
			}
			continue
		case kind[0] == picture:
			const place = 1 + 4*2
			head, err := r.Peek(place)
			if err != nil {
				return nil, err
			}
			if err := enlarge(start[6:], head[1:]); err != nil {
				return nil, err
			}
		}
		return append(start, control...), nil
	}
}

// readExtension returns the label of an extension and the first of its blocks.
func readExtension(r *bufio.Reader) (label byte, first []byte, err error) {
	head := upTo(r, 2)
	for i := 0; ; i++ {
		size, err := r.ReadByte()
		switch {
		case err != nil:
			return 0, nil, err
		case size == 0:
			return head[1], first, nil
		case i == 0:
			first = upTo(r, int64(size))
		default:
			_, _ = r.Discard(int(size)) // the next read also fails
		}
	}
}

// enlarge makes a screen as large as its picture demands.
func enlarge(screen, picture []byte) error {
	le := binary.LittleEndian
	for axis := 0; axis < 4; axis += 2 {
		end := int(le.Uint16(picture[axis:])) + int(le.Uint16(picture[4+axis:]))
		if end > math.MaxUint16 {
			return errUnsupported
		}
		le.PutUint16(screen[axis:], max(le.Uint16(screen[axis:]), uint16(end)))
	}
	return nil
}
