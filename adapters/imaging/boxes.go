package imaging

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"image"
	"iter"
	"math"
	"slices"
)

// heif is what the boxes of a HEIC or an AVIF say about its primary picture. The boxes are those of ISO/IEC
// 14496-12 and 23008-12.
type heif struct {
	size        image.Point // before it is turned
	orientation orientation // that turns it upright
	profile     []byte
	narrow      bool   // the values do not span the whole byte
	deep        bool   // more than 8 bits a value
	alpha       bool   // a picture of the file says more of another one, such as its opacity
	opacity     uint32 // the number of the picture that is the opacity of this one; zero: none
	aperture    []byte // the clean aperture, if it has one: the part that is shown, before it is turned
}

// maxMeta bounds the box with all others about pictures. That of a phone has 10 KiB.
const maxMeta = 1 << 20

// beginsHEIF reports whether the file begins with a box that names one of the brands.
func beginsHEIF(r *bufio.Reader, brands []string) bool {
	const start, most = 8, 256
	head, _ := r.Peek(start)
	if len(head) < start || string(head[4:]) != "ftyp" {
		return false
	}
	size := binary.BigEndian.Uint32(head)
	if size < start || size > most {
		return false
	}
	head, _ = r.Peek(int(size))
	for named := head[start:]; len(named) >= 4; named = named[4:] {
		if slices.Contains(brands, string(named[:4])) {
			return true
		}
	}
	return false
}

func readHEIF(r *bufio.Reader) (heif, error) {
	for {
		head, err := r.Peek(boxHead)
		if len(head) < boxHead {
			return heif{}, err
		}
		kind, size := string(head[4:]), int64(binary.BigEndian.Uint32(head))
		switch { // a box that has no size reaches to the end of the file, and one of size 1 is larger than files that are accepted
		case size < boxHead || kind == "meta" && size > maxMeta:
			return heif{}, errUnsupported
		case kind == "meta":
			meta := upTo(r, size)
			if int64(len(meta)) < size {
				return heif{}, errCutOff
			}
			return primary(meta[boxHead:])
		}
		if _, err := r.Discard(int(min(size, math.MaxInt32))); err != nil {
			return heif{}, err
		}
	}
}

// boxHead is how many bytes the size and the type of a box have.
const boxHead = 8

// isoBox is a box of the type, without its head.
type isoBox struct {
	kind string
	data []byte
}

// boxes returns the boxes that follow each other in the data, up to one that does not fit.
func boxes(data []byte) []isoBox {
	var all []isoBox
	for len(data) >= boxHead {
		size := int64(binary.BigEndian.Uint32(data))
		if size < boxHead || size > int64(len(data)) {
			break
		}
		all = append(all, isoBox{string(data[4:boxHead]), data[boxHead:size]})
		data = data[size:]
	}
	return all
}

// child returns the data of the first box of the type, without the version and flags that versioned boxes have.
func child(of []isoBox, kind string) (version byte, data []byte) {
	whole := content(of, kind)
	if len(whole) < 4 {
		return 0, nil
	}
	return whole[0], whole[4:]
}

// content returns the data of the first box of the type.
func content(of []isoBox, kind string) []byte {
	i := slices.IndexFunc(of, func(b isoBox) bool { return b.kind == kind })
	if i < 0 {
		return nil
	}
	return of[i].data
}

// primary reads what the properties of the primary picture say.
func primary(meta []byte) (heif, error) {
	const versioned = 4
	all := boxes(meta[min(versioned, len(meta)):])
	version, item := child(all, "pitm")
	id, _ := number(item, idBytes(version))
	iprp := boxes(content(all, "iprp"))
	h := heif{alpha: content(boxes(content(iprp, "ipco")), "auxC") != nil}
	for of, p := range properties(iprp) {
		if of == id {
			h.apply(p)
		}
	}
	if h.size.X <= 0 || h.size.Y <= 0 {
		return heif{}, errUnsupported
	}
	h.opacity = opacityOf(all, iprp, id)
	return h, nil
}

// opacityOf returns the number of the picture that says of itself that it is the opacity of the one with the id, or zero.
func opacityOf(all, iprp []isoBox, id uint32) uint32 {
	version, references := child(all, "iref")
	auxiliary := map[uint32]bool{} // pictures that say more of the one with the id
	for _, b := range boxes(references) {
		from, to := number(b.data, idBytes(version))
		_, to = number(to, 2) // how many
		for b.kind == "auxl" && len(to) > 0 {
			var of uint32
			of, to = number(to, idBytes(version))
			auxiliary[from] = auxiliary[from] || of == id
		}
	}
	for of, p := range properties(iprp) {
		if auxiliary[of] && isOpacity(p) {
			return of
		}
	}
	return 0
}

func isOpacity(p isoBox) bool {
	const versioned = 4
	return p.kind == "auxC" && len(p.data) >= versioned && slices.ContainsFunc([]string{
		"urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\x00", "urn:mpeg:hevc:2015:auxid:1\x00",
	}, func(urn string) bool { return bytes.HasPrefix(p.data[versioned:], []byte(urn)) })
}

// setPrimary makes the opacity of a picture the primary one of its file. libheif reads it if it is not hidden, and if it says that
// it has colours.
func setPrimary(file []byte, id uint32) {
	const flags, hidden = 3, 1
	const sampling, of420 = 16, 1 // of HEVC
	_, data := child(boxes(file), "meta")
	meta := boxes(data)
	version, item := child(meta, "pitm")
	for i := min(idBytes(version), len(item)) - 1; i >= 0; i-- {
		item[i], id = byte(id), id>>8
	}
	version, items := child(meta, "iinf")
	_, items = number(items, idBytes(version)) // how many
	for _, info := range boxes(items) {
		if len(info.data) > flags {
			info.data[flags] &^= hidden
		}
	}
	for _, p := range boxes(content(boxes(content(meta, "iprp")), "ipco")) {
		if p.kind == "hvcC" && len(p.data) > sampling && p.data[sampling]&3 == 0 {
			p.data[sampling] |= of420
		}
	}
}

// idBytes returns how long the numbers of pictures are in a box of the version.
func idBytes(version byte) int {
	if version == 0 {
		return 2
	}
	return 4
}

// number reads a number of so many bytes, at most four. If there are fewer, it is zero, and nothing is left.
func number(data []byte, bytes int) (n uint32, rest []byte) {
	if len(data) < bytes {
		return 0, nil
	}
	for _, b := range data[:bytes] {
		n = n<<8 | uint32(b)
	}
	return n, data[bytes:]
}

// properties yields the number of each picture with each of its properties.
func properties(iprp []isoBox) iter.Seq2[uint32, isoBox] {
	return func(yield func(uint32, isoBox) bool) {
		const flags, start = 3, 4 // where the bit is that makes places long
		all, whole := boxes(content(iprp, "ipco")), content(iprp, "ipma")
		if len(whole) < start {
			return
		}
		long := int(whole[flags] & 1)
		entries, data := number(whole[start:], 4)
		for ; entries > 0 && len(data) > 0; entries-- {
			var of, count, place uint32
			of, data = number(data, idBytes(min(whole[0], 1)))
			for count, data = number(data, 1); count > 0; count-- {
				place, data = number(data, 1+long)
				place &= 0x80<<(8*long) - 1 // without the bit of essential properties
				if 0 < place && int(place) <= len(all) && !yield(of, all[place-1]) {
					return
				}
			}
		}
	}
}

// shown returns the part of the picture that its clean aperture shows (ISO/IEC 14496-12, section 12.1.4): fractions for its width, its
// height, and how far its centre is from that of the picture.
func (h heif) shown() image.Rectangle {
	whole := image.Rectangle{Max: h.size}
	if h.aperture == nil {
		return whole
	}
	fraction := func(i int) float64 {
		n, d := binary.BigEndian.Uint32(h.aperture[8*i:]), binary.BigEndian.Uint32(h.aperture[8*i+4:])
		return float64(int32(n)) / float64(int32(d))
	}
	width, height := fraction(0), fraction(1)
	from := image.Pt(int(math.Floor((float64(h.size.X)-width)/2+fraction(2))), int(math.Floor((float64(h.size.Y)-height)/2+fraction(3))))
	return image.Rectangle{from, from.Add(image.Pt(int(width), int(height)))}.Intersect(whole)
}

// apply reads one property. Those that turn the picture come in the order in which they are applied.
func (h *heif) apply(p isoBox) {
	be, d := binary.BigEndian, p.data
	switch {
	case p.kind == "ispe" && len(d) >= 12:
		h.size = image.Pt(int(be.Uint32(d[4:])&(1<<31-1)), int(be.Uint32(d[8:])&(1<<31-1)))
	case p.kind == "clap" && len(d) >= 32:
		h.aperture = d
	case p.kind == "irot" && len(d) >= 1:
		h.orientation = h.orientation.turned(d[0] & 3)
	case p.kind == "imir" && len(d) >= 1:
		h.orientation = h.orientation.mirrored(d[0] & 1)
	case p.kind == "pixi" && len(d) >= 6:
		h.deep = h.deep || d[5] > 8
	case p.kind == "av1C" && len(d) >= 3:
		const highBitDepth = 0x40
		h.deep = h.deep || d[2]&highBitDepth != 0
	case p.kind == "colr" && len(d) >= 4:
		switch string(d[:4]) {
		case "prof", "rICC":
			if len(d)-4 <= maxProfile {
				h.profile = d[4:]
			}
		case "nclx":
			const full = 0x80
			h.narrow = len(d) >= 11 && d[10]&full == 0
		}
	}
}
