package imaging

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"image"
	"image/draw"
	"io"
	"math"

	"golang.org/x/image/webp"
)

// webpHeader knows simple files, which are lossy and opaque. Any other may be lossless, and
// have thousands of Huffman trees.
func webpHeader(r *bufio.Reader) (header, error) {
	const chunk, trees = 12, 150_000_000 // offset; bytes
	n := need{plain: 4, most: 12.1, extra: trees}
	if head, _ := r.Peek(chunk + 4); len(head) == chunk+4 && string(head[chunk:]) == "VP8 " {
		n = need{plain: 1.5, most: 3.8}
	}
	c, err := webp.DecodeConfig(r)
	return header{image.Pt(c.Width, c.Height), n}, err
}

// decodeWebP decodes a WebP, of an animation its first picture.
func decodeWebP(r io.Reader) (image.Image, error) {
	const canvas, animated = 30, 0x02 // bytes; a flag
	b := bufio.NewReader(r)
	if head, _ := b.Peek(canvas); len(head) == canvas && string(head[12:16]) == "VP8X" && head[20]&animated != 0 {
		return decodeAnimation(b, upTo(b, canvas))
	}
	return decodeStill(b)
}

// decodeStill stretches VP8's values, which run from 16 to 235 and from 16 to 240 (ITU-R
// BT.601). The decoder leaves that to its caller. Without it, black is dark grey.
func decodeStill(r io.Reader) (image.Image, error) {
	m, err := webp.Decode(r)
	if err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case *image.YCbCr:
		widen(m)
	case *image.NYCbCrA:
		widen(&m.YCbCr)
	}
	return m, nil
}

// decodeAnimation decodes the first picture after the head, which ends with the size of the canvas. It makes a still WebP of
// it: the size of a picture follows its place, and is written as that of a canvas is.
func decodeAnimation(r *bufio.Reader, head []byte) (image.Image, error) {
	const chunk, placed, size, alpha = 8, 16, 24, 0x10
	le := binary.LittleEndian
	var frame [chunk + placed]byte
	for {
		if _, err := io.ReadFull(r, frame[:chunk]); err != nil {
			return nil, err
		}
		if string(frame[:4]) == "ANMF" {
			break
		}
		n := int64(le.Uint32(frame[4:]))
		if _, err := r.Discard(int(min(n+n%2, math.MaxInt32))); err != nil {
			return nil, err
		}
	}
	if _, err := io.ReadFull(r, frame[chunk:]); err != nil {
		return nil, err
	}
	one := image.Pt(1, 1)
	canvas := image.Rectangle{Max: pair(head[size:]).Add(one)}
	at := image.Rectangle{Max: pair(frame[chunk+6:]).Add(one)}.Add(pair(frame[chunk:]).Mul(2))
	length := int64(le.Uint32(frame[4:])) - placed
	if !at.In(canvas) || length < 0 {
		return nil, errUnsupported
	}
	head[20] = 0
	if kind, _ := r.Peek(4); string(kind) == "ALPH" {
		head[20] = alpha
	}
	length += length % 2
	le.PutUint32(head[4:], uint32(int64(len(head)-chunk)+length))
	copy(head[size:], frame[chunk+6:][:6])
	m, err := decodeStill(io.MultiReader(bytes.NewReader(head), io.LimitReader(r, length)))
	if err != nil || at == canvas {
		return m, err
	}
	return placedOn(canvas, plain(m, at.Size()), at.Min), nil
}

// pair reads two numbers of three bytes.
func pair(b []byte) image.Point {
	return image.Pt(int(b[0])|int(b[1])<<8|int(b[2])<<16, int(b[3])|int(b[4])<<8|int(b[5])<<16)
}

// placedOn paints a plain picture on a transparent canvas.
func placedOn(whole image.Rectangle, m image.Image, at image.Point) image.Image {
	n, hasAlpha := m.(*image.NRGBA)
	if !hasAlpha {
		canvas := image.NewRGBA(whole)
		draw.Draw(canvas, m.Bounds().Add(at), m, image.Point{}, draw.Src)
		return canvas
	}
	canvas := image.NewNRGBA(whole)
	for y := range n.Rect.Dy() {
		copy(canvas.Pix[canvas.PixOffset(at.X, at.Y+y):], n.Pix[y*n.Stride:][:4*n.Rect.Dx()])
	}
	return canvas
}
