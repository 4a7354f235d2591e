package imaging

import (
	"encoding/binary"
	"math"
	"slices"
)

// profile holds the tables of an ICC profile, which defines the colours of a picture.
//
// Colours are not converted to sRGB: photos of current phones have colours outside it. But
// any data can be hidden in a profile. So only the tables that convert pixels to colours are
// kept, each with the length of its type, and a new profile is built from them.
type profile struct {
	grey  bool         // for greyscale, not for red, green and blue
	space string       // of the tables' colours: XYZ or Lab
	tags  []profileTag // in the order of the file
}

type profileTag struct{ name, data string }

// Offsets in a profile.
const (
	profileHeader = 128
	profileStart  = profileHeader + 4 // the tags' data in a profile without tags
	tagEntry      = 12
	maxTags       = 100
)

// maxProfile is how many bytes a profile may have.
const maxProfile = 512 << 10

// parseProfile parses the profile of a picture. It returns nil if the profile is invalid or
// does not fit the picture's type.
func parseProfile(raw []byte, grey bool) *profile {
	be := binary.BigEndian
	if len(raw) < profileStart || string(raw[36:40]) != "acsp" {
		return nil
	}
	size := be.Uint32(raw)
	if size < profileStart || int64(size) > int64(len(raw)) || size > maxProfile {
		return nil
	}
	raw = raw[:size]
	p := &profile{grey: grey, space: string(raw[20:24])}
	if raw[8] < 2 || raw[8] > 4 || string(raw[16:20]) != p.values() || p.space != "XYZ " && p.space != "Lab " {
		return nil
	}
	entries := raw[profileStart:]
	for n := be.Uint32(raw[profileHeader:]); n > 0 && len(entries) >= tagEntry; n, entries = n-1, entries[tagEntry:] {
		name, at, length := string(entries[:4]), int64(be.Uint32(entries[4:])), int64(be.Uint32(entries[8:]))
		if at+length > int64(len(raw)) || len(p.tags) == maxTags {
			return nil
		}
		if data := tagData(name, raw[at:at+length]); data != "" && p.tag(name) == "" {
			p.tags = append(p.tags, profileTag{name, data})
		}
	}
	if !p.complete() {
		return nil
	}
	return p
}

// values returns the profile's name of the pixels' values.
func (p *profile) values() string {
	if p.grey {
		return "GRAY"
	}
	return "RGB "
}

func (p *profile) tag(name string) string {
	for _, t := range p.tags {
		if t.name == name {
			return t.data
		}
	}
	return ""
}

// complete reports whether the tags suffice to convert pixels to colours.
func (p *profile) complete() bool {
	if p.grey {
		return p.tag("kTRC") != ""
	}
	isMissing := func(name string) bool { return p.tag(name) == "" }
	matrix := !slices.ContainsFunc([]string{"rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"}, isMissing)
	return matrix && p.space == "XYZ " || !isMissing("A2B0")
}

// tagData returns the part of a tag to keep: nothing if the tag does not convert pixels or
// has the wrong type.
func tagData(name string, raw []byte) string {
	if len(raw) < 12 {
		return ""
	}
	kind, length := string(raw[:4]), 0
	switch name {
	case "rXYZ", "gXYZ", "bXYZ":
		if kind == "XYZ " {
			length = 20
		}
	case "rTRC", "gTRC", "bTRC", "kTRC":
		length = curveLength(kind, raw)
	case "A2B0", "A2B1", "A2B2": // the inverse tables, from colours to pixels, are never used
		if slices.Contains([]string{"mft1", "mft2", "mAB "}, kind) {
			length = len(raw)
		}
	}
	if length == 0 || length > len(raw) {
		return ""
	}
	return kind + "\x00\x00\x00\x00" + string(raw[8:length])
}

// curveLength returns the length of a curve tag, or 0 for any other tag.
func curveLength(kind string, raw []byte) int {
	switch kind {
	case "curv":
		return 12 + 2*int(binary.BigEndian.Uint32(raw[8:]))
	case "para":
		numbers := []int{1, 3, 4, 5, 7}
		if form := int(binary.BigEndian.Uint16(raw[8:])); form < len(numbers) {
			return 12 + 4*numbers[form]
		}
	}
	return 0
}

// inColour returns a profile for red, green and blue that renders greys as this one does.
// Other colours never occur. It returns nil if no such profile exists.
func (p *profile) inColour() *profile {
	if p.space != "XYZ " {
		return nil // the curve converts to lightness, not to light
	}
	curve := p.tag("kTRC")
	return &profile{space: p.space, tags: []profileTag{
		// The primaries of sRGB; any that add up to white would do.
		{"rXYZ", "XYZ \x00\x00\x00\x00\x00\x00\x6f\xa2\x00\x00\x38\xf5\x00\x00\x03\x90"},
		{"gXYZ", "XYZ \x00\x00\x00\x00\x00\x00\x62\x99\x00\x00\xb7\x87\x00\x00\x18\xda"},
		{"bXYZ", "XYZ \x00\x00\x00\x00\x00\x00\x24\x9b\x00\x00\x0f\x84\x00\x00\xb6\xc3"},
		{"rTRC", curve}, {"gTRC", curve}, {"bTRC", curve},
	}}
}

// What the format requires of every profile.
const (
	profileName = "mluc\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x0cenUS\x00\x00\x00\x0e\x00\x00\x00\x1c\x00C\x00o\x00l\x00o\x00u\x00r\x00s"
	profileDate = "\x07\xea\x00\x01\x00\x01\x00\x00\x00\x00\x00\x00" // 1 January 2026
	d50         = "\x00\x00\xf6\xd6\x00\x01\x00\x00\x00\x00\xd3\x2d" // white
)

// bytes returns the profile as a file of version 4, or nil for nil. Version 4 has the tables of
// version 2, and each means the same in both.
func (p *profile) bytes() []byte {
	if p == nil {
		return nil
	}
	be := binary.BigEndian
	out := make([]byte, profileHeader)
	copy(out[8:], "\x04\x00\x00\x00mntr"+p.values()+p.space+profileDate+"acsp")
	copy(out[68:], d50)
	tags := append([]profileTag{{"desc", profileName}, {"cprt", profileName}, {"wtpt", "XYZ \x00\x00\x00\x00" + d50}}, p.tags...)
	out = be.AppendUint32(out, uint32(len(tags)))
	var data []byte
	start, offsets := len(out)+len(tags)*tagEntry, map[string]int{}
	for _, t := range tags {
		at, isThere := offsets[t.data] // tags share their data, as the curves of the three colours usually do
		if !isThere {
			at = start + len(data)
			offsets[t.data] = at
			data = append(append(data, t.data...), make([]byte, -len(t.data)&3)...)
		}
		out = be.AppendUint32(be.AppendUint32(append(out, t.name...), uint32(at)), uint32(len(t.data)))
	}
	out = append(out, data...)
	be.PutUint32(out, uint32(len(out)))
	return out
}

// pngColours are the chunks of a PNG that tell what its colours mean without a profile: sRGB, or
// else gAMA. They precede the palette and the pixels. Primaries (cHRM) are not read: few PNGs have other ones than sRGB's.
type pngColours struct {
	gamma      []byte // the exponent of the encoder, in 100,000ths
	isComplete bool
}

// read reads the chunks that come before the palette and the pixels.
func (c *pngColours) read(kind string, content []byte) {
	switch {
	case c.isComplete:
	case kind == "gAMA" && len(content) == 4:
		c.gamma = content
	case kind == "sRGB":
		*c = pngColours{isComplete: true}
	case kind == "PLTE", kind == "IDAT":
		c.isComplete = true
	}
}

// profile returns a profile with the meaning of the chunks, or nothing if that is sRGB's. As in
// browsers, a gamma within a twentieth of sRGB's is sRGB's.
func (c *pngColours) profile(grey bool) []byte {
	const screen, tolerance = 2.2, 0.05
	const flattest, steepest = 0.1, 10 // exponents; others are mistakes
	if c.gamma == nil {
		return nil
	}
	exponent := 100_000 / float64(binary.BigEndian.Uint32(c.gamma))
	if math.Abs(screen/exponent-1) <= tolerance || exponent < flattest || exponent > steepest {
		return nil
	}
	curve := binary.BigEndian.AppendUint16([]byte("curv\x00\x00\x00\x00\x00\x00\x00\x01"), uint16(math.Round(exponent*256)))
	p := &profile{grey: true, space: "XYZ ", tags: []profileTag{{"kTRC", string(curve)}}}
	if !grey {
		p = p.inColour()
	}
	return p.bytes()
}
