package jpeg

import (
	"image"
	"math"
)

// scan is a pass over the blocks of some components.
type scan struct {
	*decoder
	parts       []part
	first, last int   // which coefficients it has, in the order of the zigzag
	low         uint  // which of their bits are its lowest
	refines     bool  // it adds one bit to coefficients of former scans
	blocksLeft  int32 // how many blocks have no further coefficients
}

// part is a component in a scan.
type part struct {
	*component
	dc, ac *codes
	level  int32       // the last first coefficient
	unit   image.Point // the size of a unit in blocks
}

// scan reads the header of a scan (section B.2.3), and its data.
func (d *decoder) scan(content []byte) error {
	if len(content) < 1 || len(content) != 4+2*int(content[0]) || int(content[0]) > len(d.components) || content[0] == 0 {
		return errFormat
	}
	s := scan{decoder: d, last: 63}
	n := int(content[0])
	for b := content[1 : 1+2*n]; len(b) > 0; b = b[2:] {
		p := part{component: d.find(b[0])}
		if p.component == nil || b[1]>>4 > 3 || b[1]&15 > 3 {
			return errFormat
		}
		for _, other := range s.parts {
			if other.component == p.component {
				return errFormat
			}
		}
		p.dc, p.ac, p.unit = &d.codes[0][b[1]>>4], &d.codes[1][b[1]&15], p.factors
		if n == 1 {
			p.unit = image.Pt(1, 1)
		}
		s.parts = append(s.parts, p)
	}
	if d.progressive {
		bounds := content[1+2*n:]
		s.first, s.last, s.low, s.refines = int(bounds[0]), int(bounds[1]), uint(bounds[2]&15), bounds[2]>>4 != 0
		if s.last > 63 || s.first > s.last || s.first == 0 && s.last != 0 || s.first > 0 && n > 1 || s.low > 13 {
			return errFormat
		}
	}
	for _, p := range s.parts {
		if s.low == 0 {
			p.complete |= math.MaxUint64 >> (63 - s.last + s.first) << s.first
		}
		if samples := 64 * p.blocks.X * p.blocks.Y; p.coded != nil || p.samples != nil {
			continue
		} else if d.progressive {
			p.coded = make([]int16, samples)
		} else {
			p.samples = make([]byte, samples)
		}
		p.quant = d.quant[p.table]
	}
	s.read()
	return d.in.err
}

// read reads all units. Those of a scan of one component are its blocks, without those that only fill interleaved units
// (section A.2).
func (s *scan) read() {
	units := s.units
	if c := s.parts[0]; len(s.parts) == 1 {
		units = image.Pt(ceil(c.size.X, 8), ceil(c.size.Y, 8))
	}
	left, restart := s.interval, byte(rst0)
	for y := range units.Y {
		for x := range units.X {
			if s.interval > 0 && left == 0 {
				if s.in.marker() != restart {
					s.in.fail(errFormat)
				}
				left, restart = s.interval, rst0+(restart+1)%8
				s.blocksLeft = 0
				for i := range s.parts {
					s.parts[i].level = 0
				}
			}
			left--
			for i := range s.parts {
				p := &s.parts[i]
				for down := range p.unit.Y {
					for right := range p.unit.X {
						s.block(p, x*p.unit.X+right, y*p.unit.Y+down)
					}
				}
			}
			if s.in.err != nil {
				return
			}
		}
	}
}

func (s *scan) block(p *part, x, y int) {
	if !s.progressive {
		var b block
		s.sequential(p, &b)
		b.write(p.at(x, y), 8*p.blocks.X)
		return
	}
	b := (*[64]int16)(p.coded[64*(y*p.blocks.X+x):])
	switch {
	case s.first == 0 && s.refines:
		b[0] |= int16(s.in.take(1) << s.low)
	case s.first == 0:
		p.level += s.in.value(uint(s.in.symbol(p.dc) & 15))
		b[0] = int16(p.level << s.low)
	case s.refines:
		s.refine(p, b)
	default:
		s.further(p, b)
	}
}

// sequential reads all coefficients of a block (section F.2.2).
func (s *scan) sequential(p *part, b *block) {
	p.level += s.in.value(uint(s.in.symbol(p.dc) & 15))
	b[0] = p.level * p.quant[0]
	for k := 1; k < 64; k++ {
		symbol := s.in.symbol(p.ac)
		bits := uint(symbol & 15)
		if bits == 0 && symbol != zeros {
			return
		}
		if k += int(symbol >> 4); k > 63 {
			return
		}
		b[zigzag[k]] = s.in.value(bits) * p.quant[k]
	}
}

// zeros is the symbol of sixteen coefficients that are zero.
const zeros = 0xf0

// further reads coefficients of a block but the first one (section G.1.2.2).
func (s *scan) further(p *part, b *[64]int16) {
	if s.blocksLeft > 0 {
		s.blocksLeft--
		return
	}
	for k := s.first; k <= s.last; k++ {
		symbol := s.in.symbol(p.ac)
		run, bits := uint(symbol>>4), uint(symbol&15)
		if bits == 0 && symbol != zeros {
			s.blocksLeft = 1<<run - 1 + s.in.take(run)
			return
		}
		if k += int(run); k > s.last {
			return
		}
		b[k] = int16(s.in.value(bits) << s.low)
	}
}

// refine reads one more bit of each coefficient of a block but the first one (section G.1.2.3). A coefficient that was
// zero may become one.
func (s *scan) refine(p *part, b *[64]int16) {
	one, k := int16(1)<<s.low, s.first
	for s.blocksLeft == 0 && k <= s.last {
		symbol := s.in.symbol(p.ac)
		run, next := uint(symbol>>4), int16(0)
		switch bits := symbol & 15; {
		case bits > 1:
			s.in.fail(errFormat)
			return
		case bits == 1:
			next = one
			if s.in.take(1) == 0 {
				next = -one
			}
		case symbol != zeros:
			s.blocksLeft = 1<<run + s.in.take(run)
			continue
		}
		if k = s.correct(b, k, one, int(run)); k <= s.last && next != 0 {
			b[k] = next
		}
		k++
	}
	if s.blocksLeft > 0 {
		s.correct(b, k, one, 64)
		s.blocksLeft--
	}
}

// correct reads a bit for each coefficient from k on that is not zero. It passes over as many zeros and returns where
// the next one is.
func (s *scan) correct(b *[64]int16, k int, one int16, pass int) int {
	for ; k <= s.last; k++ {
		v := b[k&63]
		switch {
		case v == 0 && pass == 0:
			return k
		case v == 0:
			pass--
		case s.in.take(1) == 0:
		case v > 0:
			b[k&63] += one
		default:
			b[k&63] -= one
		}
	}
	return k
}
