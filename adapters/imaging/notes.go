package imaging

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"io"

	"plaza/adapters/imaging/jpeg"
)

// notes are a file's metadata about its pixels: its orientation and the meaning of its
// colours. Other metadata is dropped.
//
// They are parsed here, because no library that reads orientations also returns colour
// profiles. Unreadable notes count as absent; the decoder decides whether the file is a
// picture.
type notes struct {
	orientation orientation
	profile     []byte // as in the file, at most maxProfile bytes
	grey        bool   // the file is greyscale; the decoder may return another type
	lossless    bool
}

// Bounds of the metadata.
const (
	maxExif = 64 << 10 // limit of a JPEG segment
	// maxScans bounds the scans of a progressive JPEG; ten are usual. Decoding each visits the whole picture, though it may have few
	// bytes.
	maxScans = 100
	// maxChunks bounds the chunks of a PNG, besides its pixels; ten are usual. Decoding takes 4 KiB for each, though it may be empty.
	maxChunks = 10_000
)

func gifNotes(*bufio.Reader) (notes, error) { return notes{lossless: true}, nil }

// The markers of JPEG segments with metadata or pixels, and how those of metadata begin.
const (
	markerSOS, markerAPP1, markerAPP2 = 0xda, 0xe1, 0xe2

	exifName = "Exif\x00\x00"
	iccName  = "ICC_PROFILE\x00"
)

func jpegNotes(r *bufio.Reader) (notes, error) {
	var n notes
	var icc iccParts
	scans := 0
	for marker, content := range jpeg.Segments(r) {
		exif, isExif := bytes.CutPrefix(content, []byte(exifName))
		part, isProfile := bytes.CutPrefix(content, []byte(iccName))
		switch {
		case marker == markerSOS:
			scans++
		case marker == markerAPP1 && isExif && n.orientation == 0:
			n.orientation = parseOrientation(exif)
		case marker == markerAPP2 && isProfile:
			icc.add(part)
		}
		if scans > maxScans {
			return notes{}, errors.New("too many scans")
		}
	}
	n.profile = icc.joined()
	return n, nil
}

// iccParts are the parts of a profile that several segments hold.
type iccParts struct {
	parts map[byte][]byte
	count byte
	bytes int
}

func (p *iccParts) add(part []byte) {
	if len(part) < 2 {
		return
	}
	if p.parts == nil {
		p.parts = map[byte][]byte{}
	}
	p.count = part[1]
	if p.bytes += len(part); p.bytes <= maxProfile {
		p.parts[part[0]] = bytes.Clone(part[2:])
	}
}

// joined returns the whole profile, or nothing if a part is missing or the profile is too
// large.
func (p *iccParts) joined() []byte {
	if p.bytes > maxProfile {
		return nil
	}
	var all []byte
	for i := 1; i <= int(p.count); i++ {
		part, there := p.parts[byte(i)]
		if !there {
			return nil
		}
		all = append(all, part...)
	}
	return all
}

func pngNotes(r *bufio.Reader) (notes, error) {
	n, described := notes{lossless: true}, pngColours{}
	_, err := r.Discard(8)
	for chunks := 0; err == nil; {
		var head [8]byte
		if _, err = io.ReadFull(r, head[:]); err != nil {
			break
		}
		content := &io.LimitedReader{R: r, N: int64(binary.BigEndian.Uint32(head[:4]))}
		kind := string(head[4:])
		if kind != "IDAT" {
			chunks++
		}
		switch {
		case chunks > maxChunks:
			return notes{}, errors.New("too many chunks")
		case kind == "IHDR":
			header := upTo(content, 13)
			const colours = 2 // a bit of the colour type
			n.grey = len(header) == 13 && header[9]&colours == 0
		case kind == "iCCP" && n.profile == nil:
			n.profile = inflatedProfile(content)
		case kind == "eXIf" && n.orientation == 0:
			n.orientation = parseOrientation(upTo(content, maxExif))
		case kind == "IEND":
			err = io.EOF
			continue
		default:
			const longest = 32 // of these chunks
			described.read(kind, upTo(content, longest))
		}
		_, err = r.Discard(int(content.N) + 4) // with the checksum
	}
	if n.profile == nil {
		n.profile = described.profile(n.grey)
	}
	return n, nil
}

// inflatedProfile returns the profile of an iCCP chunk: a name, a zero for the method, and
// the compressed profile. It inflates at most the length that the profile declares, and
// never more than the bound.
func inflatedProfile(chunk io.Reader) []byte {
	const longestName = 79
	r := bufio.NewReader(chunk)
	if name, err := r.ReadSlice(0); err != nil || len(name)-1 > longestName {
		return nil
	}
	if method, err := r.ReadByte(); err != nil || method != 0 {
		return nil
	}
	z, err := zlib.NewReader(r)
	if err != nil {
		return nil
	}
	size := upTo(z, 4)
	if len(size) < 4 {
		return nil
	}
	rest := int64(binary.BigEndian.Uint32(size)) - 4
	if rest < 0 || rest > maxProfile-4 {
		return nil
	}
	return append(size, upTo(z, rest)...)
}

func webpNotes(r *bufio.Reader) (notes, error) {
	var n notes
	var head [12]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return n, nil
	}
	// Bytes after the declared length are not part of the file.
	file := &io.LimitedReader{R: r, N: int64(binary.LittleEndian.Uint32(head[4:])) - 4}
	for {
		if _, err := io.ReadFull(file, head[:8]); err != nil {
			return n, nil
		}
		size := int64(binary.LittleEndian.Uint32(head[4:]))
		content := &io.LimitedReader{R: file, N: size}
		switch kind := string(head[:4]); {
		case kind == "VP8L":
			n.lossless = true
		case kind == "ICCP" && n.profile == nil && size <= maxProfile:
			n.profile = upTo(content, size)
		case kind == "EXIF" && n.orientation == 0:
			exif := upTo(content, maxExif)
			n.orientation = parseOrientation(bytes.TrimPrefix(exif, []byte(exifName)))
		}
		skip := min(content.N+size%2, file.N)
		if _, err := r.Discard(int(skip)); err != nil {
			return n, nil
		}
		file.N -= skip
	}
}

// upTo reads at most that many bytes.
func upTo(r io.Reader, most int64) []byte {
	b, _ := io.ReadAll(io.LimitReader(r, most))
	return b
}
