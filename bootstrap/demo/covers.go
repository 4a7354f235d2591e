package demo

import (
	"bytes"
	"fmt"
	"io"

	"plaza/domain/demand"
	"plaza/domain/imported"
	"plaza/domain/publication"
)

// textCovers and wishCovers are the covers of publications and demands. Others have none.
var (
	textCovers = map[publication.BundleID]drawing{
		1: {card, moss, 71}, 2: {card, moss, 71}, 3: {card, moss, 71}, 5: {ridges, noon, 72}, 8: {card, dawn, 73},
		11: {towers, autumn, 74}, 13: {shore, dawn, 75}, 24: {bars, moss, 76}, 26: {ridges, dawn, 77}, 27: {card, autumn, 78},
	}
	wishCovers = map[demand.ID]drawing{1: {towers, noon, 81}, 6: {ridges, moss, 82}, 9: {towers, dawn, 83}, 14: {card, autumn, 84}}
)

// cover draws the cover for the id, if it has one, and returns it with its file name.
func cover[N ~int64](p *plan, of string, number N, drawings map[N]drawing) *imported.CoverDraft {
	d, has := drawings[number]
	if !has {
		return nil
	}
	content, err := d.png()
	p.note(err)
	name := fmt.Sprintf("%s-%d.png", of, number)
	p.covers = append(p.covers, File{name, content})
	return &imported.CoverDraft{File: name}
}

// beside is a file of records with the covers in the same folder.
type beside struct {
	imported.File
	covers []File
}

// OpenCover implements imported.File.
func (b beside) OpenCover(name string) (io.ReadCloser, error) {
	for _, c := range b.covers {
		if c.Name == name {
			return io.NopCloser(bytes.NewReader(c.Content)), nil
		}
	}
	return nil, imported.ErrNoFile
}

// card draws a page with a heading and unreadable lines.
func card(c *canvas, l light) {
	const left, right, foot = 48.0, drawnWidth - 48.0, drawnHeight - 34.0
	c.bar(left, right, 30, foot, blend(l.low, rgb(0xFFFFFF), 0.6))
	c.bar(left, right, 30, 36, l.far)
	c.bar(left+24, left+c.between(130, 200), 56, 68, l.near)
	for y := 90.0; y < foot-20; y += 18 {
		c.bar(left+24, left+c.between(170, 236), y, y+5, blend(l.far, l.low, 0.3))
	}
	c.disc(right-34, 66, 13, l.sun)
}
