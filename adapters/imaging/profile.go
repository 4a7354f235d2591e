package imaging

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// profile holds the tables of an ICC profile, which defines the colours of a picture.
//
// Colours are not converted to sRGB: photos of current phones have colours outside it. But
// any data can be hidden in a profile. So only the tables that convert pixels to colours are
// kept, each with the length of its type, and a new profile is built from them.
type profile struct {
	grey    bool   // for greyscale, not for red, green and blue
	version uint32 // as in the file
	class   string
	space   string // of the tables' colours: XYZ or Lab
	intent  uint32
	tags    []profileTag // in the order of the file
}

type profileTag struct {
	name string
	data []byte
}

// Offsets in a profile.
const (
	profileHeader = 128
	profileStart  = profileHeader + 4 // the tags' data in a profile without tags
	tagEntry      = 12
	maxTags       = 100
)

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
	p := &profile{
		grey: grey, version: be.Uint32(raw[8:]), class: string(raw[12:16]), space: string(raw[20:24]),
		intent: min(be.Uint32(raw[64:]), 3),
	}
	values := "RGB "
	if grey {
		values = "GRAY"
	}
	switch major := p.version >> 24; {
	case major < 2 || major > 4, string(raw[16:20]) != values:
		return nil
	case !slices.Contains([]string{"mntr", "scnr", "prtr", "spac"}, p.class):
		return nil
	case p.space != "XYZ " && p.space != "Lab ":
		return nil
	}
	entries := raw[profileStart:]
	for n := be.Uint32(raw[profileHeader:]); n > 0 && len(entries) >= tagEntry; n, entries = n-1, entries[tagEntry:] {
		name, at, length := string(entries[:4]), int64(be.Uint32(entries[4:])), int64(be.Uint32(entries[8:]))
		if at+length > int64(len(raw)) || len(p.tags) == maxTags {
			return nil
		}
		if data := tagData(name, raw[at:at+length]); data != nil && p.tag(name) == nil {
			p.tags = append(p.tags, profileTag{name, data})
		}
	}
	if !p.complete() {
		return nil
	}
	return p
}

func (p *profile) tag(name string) []byte {
	for _, t := range p.tags {
		if t.name == name {
			return t.data
		}
	}
	return nil
}

// complete reports whether the tags suffice to convert pixels to colours.
func (p *profile) complete() bool {
	if p.grey {
		return p.tag("kTRC") != nil
	}
	matrix := true
	for _, name := range []string{"rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC"} {
		matrix = matrix && p.tag(name) != nil
	}
	return matrix && p.space == "XYZ " || p.tag("A2B0") != nil
}

// tagData returns the part of a tag to keep: nothing if the tag does not convert pixels or
// has the wrong type.
func tagData(name string, raw []byte) []byte {
	if len(raw) < 12 {
		return nil
	}
	kind, length := string(raw[:4]), 0
	switch name {
	case "rXYZ", "gXYZ", "bXYZ", "wtpt":
		if kind == "XYZ " {
			length = 20
		}
	case "chad":
		if kind == "sf32" {
			length = 8 + 9*4
		}
	case "rTRC", "gTRC", "bTRC", "kTRC":
		length = curveLength(kind, raw)
	case "A2B0", "A2B1", "A2B2": // the inverse tables, from colours to pixels, are never used
		if slices.Contains([]string{"mft1", "mft2", "mAB "}, kind) {
			length = len(raw)
		}
	}
	if length == 0 || length > len(raw) {
		return nil
	}
	return slices.Concat([]byte(kind), make([]byte, 4), raw[8:length])
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
	c := *p
	c.grey, c.tags = false, nil
	for _, t := range p.tags {
		switch t.name {
		case "kTRC":
			for _, name := range []string{"rTRC", "gTRC", "bTRC"} {
				c.tags = append(c.tags, profileTag{name, t.data})
			}
		case "wtpt", "chad":
			c.tags = append(c.tags, t)
		}
	}
	// The primaries of sRGB; any that add up to white would do.
	for _, primary := range []struct {
		name    string
		x, y, z uint32
	}{
		{"rXYZ", 0x6fa2, 0x38f5, 0x0390}, {"gXYZ", 0x6299, 0xb787, 0x18da}, {"bXYZ", 0x249b, 0x0f84, 0xb6c3},
	} {
		data := []byte("XYZ \x00\x00\x00\x00")
		for _, v := range []uint32{primary.x, primary.y, primary.z} {
			data = binary.BigEndian.AppendUint32(data, v)
		}
		c.tags = append(c.tags, profileTag{primary.name, data})
	}
	return &c
}

// bytes returns the profile as a file, or nil for nil.
func (p *profile) bytes() []byte {
	if p == nil {
		return nil
	}
	be := binary.BigEndian
	tags := append([]profileTag{{"desc", p.text("desc")}, {"cprt", p.text("text")}}, p.tags...)
	out := p.header()
	out = be.AppendUint32(out, uint32(len(tags)))
	var data []byte
	start := len(out) + len(tags)*tagEntry
	for i, t := range tags {
		at := start + len(data)
		// Tags may share their data, as the curves of the three colours usually do.
		if same := slices.IndexFunc(tags[:i], func(o profileTag) bool { return bytes.Equal(o.data, t.data) }); same >= 0 {
			at = int(be.Uint32(out[profileStart+same*tagEntry+4:]))
		} else {
			data = append(data, t.data...)
			data = append(data, make([]byte, -len(data)&3)...)
		}
		out = append(out, t.name...)
		out = be.AppendUint32(out, uint32(at))
		out = be.AppendUint32(out, uint32(len(t.data)))
	}
	out = append(out, data...)
	be.PutUint32(out, uint32(len(out)))
	return out
}

func (p *profile) header() []byte {
	be := binary.BigEndian
	out := make([]byte, profileHeader)
	be.PutUint32(out[8:], p.version)
	copy(out[12:], p.class)
	copy(out[16:], "RGB ")
	if p.grey {
		copy(out[16:], "GRAY")
	}
	copy(out[20:], p.space)
	copy(out[24:], "\x07\xea\x00\x01\x00\x01") // the format requires a date: 1 January 2026
	copy(out[36:], "acsp")
	be.PutUint32(out[64:], p.intent)
	copy(out[68:], "\x00\x00\xf6\xd6\x00\x01\x00\x00\x00\x00\xd3\x2d") // D50, as the format requires
	return out
}

// text returns a tag with the profile's name, which the format requires. kind is the tag's
// type up to version 2.
func (p *profile) text(kind string) []byte {
	const name = "Colours"
	if p.version>>24 >= 4 {
		out := []byte("mluc\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x0cenUS\x00\x00\x00\x0e\x00\x00\x00\x1c")
		for _, c := range name {
			out = append(out, 0, byte(c))
		}
		return out
	}
	if kind == "text" {
		return []byte("text\x00\x00\x00\x00" + name + "\x00")
	}
	out := []byte("desc\x00\x00\x00\x00\x00\x00\x00\x08" + name + "\x00")
	return append(out, make([]byte, 4+4+2+1+67)...)
}
