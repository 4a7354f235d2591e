package imaging

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
)

// encodeQuickPNG encodes pixels with transparency as a PNG. Every row is stored as its
// difference to the row above. Package png tries all filters for each row, which takes five
// seconds for 40 megapixels and saves about a tenth.
func encodeQuickPNG(out io.Writer, m *image.NRGBA) error {
	const depth, colours, filterUp = 8, 6, 2
	size := m.Rect.Size()
	header := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	header = binary.BigEndian.AppendUint32(header, uint32(size.Y))
	header = append(header, depth, colours, 0, 0, 0)
	if _, err := out.Write([]byte("\x89PNG\r\n\x1a\n")); err != nil {
		return err
	}
	if err := writeChunk(out, "IHDR", header); err != nil {
		return err
	}
	const chunk = 32 << 10
	data := bufio.NewWriterSize(dataChunks{out}, chunk)
	z, err := zlib.NewWriterLevel(data, zlib.BestSpeed)
	if err != nil {
		return err
	}
	row, above := make([]byte, 1+4*size.X), make([]byte, 4*size.X)
	row[0] = filterUp
	for y := range size.Y {
		pixels := m.Pix[y*m.Stride:][:4*size.X]
		for i, v := range pixels {
			row[1+i] = v - above[i]
		}
		if _, err := z.Write(row); err != nil {
			return err
		}
		above = pixels
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := data.Flush(); err != nil {
		return err
	}
	return writeChunk(out, "IEND", nil)
}

// dataChunks writes each piece as a chunk of pixels.
type dataChunks struct{ out io.Writer }

func (d dataChunks) Write(b []byte) (int, error) {
	return len(b), writeChunk(d.out, "IDAT", b)
}

func writeChunk(out io.Writer, kind string, data []byte) error {
	head := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), kind...)
	sum := crc32.Update(crc32.ChecksumIEEE(head[4:]), crc32.IEEETable, data)
	for _, part := range [][]byte{head, data, binary.BigEndian.AppendUint32(nil, sum)} { // a copy would be as much garbage as the file
		if _, err := out.Write(part); err != nil {
			return err
		}
	}
	return nil
}
