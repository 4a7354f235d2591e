package pictures

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// Progressive returns a progressive JPEG of the size with three components of full size (4:4:4), grey everywhere. Go has no encoder
// of such files. The only code of this one is the bit 0: it says of a block that its value is that of the former, and the others are 0.
func Progressive(width, height int) []byte {
	be := binary.BigEndian
	size := be.AppendUint16(be.AppendUint16(nil, uint16(height)), uint16(width))
	onlyCode := append([]byte{1}, make([]byte, 16)...) // of one bit, for the symbol 0
	out := slices.Concat([]byte("\xff\xd8"), Segment(0xdb, "\x00", bytes.Repeat([]byte{1}, 64)),
		Segment(0xc2, "\x08", append(size, "\x03\x01\x11\x00\x02\x11\x00\x03\x11\x00"...)),
		Segment(0xc4, "\x00", onlyCode), Segment(0xc4, "\x10", onlyCode))
	blocks := (width + 7) / 8 * ((height + 7) / 8)
	scan := make([]byte, (blocks+7)/8)
	for _, component := range []byte{1, 2, 3} {
		first, others := Segment(0xda, "\x01", []byte{component, 0, 0, 0, 0}), Segment(0xda, "\x01", []byte{component, 0, 1, 63, 0})
		out = slices.Concat(out, first, scan, others, scan)
	}
	return append(out, 0xff, 0xd9)
}
