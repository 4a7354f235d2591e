// Package qrcode draws QR codes for pages.
package qrcode

import (
	"fmt"
	"image/color"
	"strings"

	"github.com/boombuler/barcode/qr"
)

// Code is a QR code for an SVG element: its dark modules as a path, in modules, with the margin that readers need.
type Code struct {
	Size int
	Path string
}

// Of returns the QR code of the text, or nil if the text is too long.
func Of(text string) *Code {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return nil
	}
	const margin = 4
	var dark strings.Builder
	size := code.Bounds().Dx()
	for n := range size * size {
		if x, y := n%size, n/size; code.At(x, y) == color.Black {
			fmt.Fprintf(&dark, "M%d %dh1v1h-1z", x+margin, y+margin)
		}
	}
	return &Code{size + 2*margin, dark.String()}
}
