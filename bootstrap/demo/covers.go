package demo

import (
	"bytes"
	"io"

	"plaza/domain/imported"
)

// covers are the covers that the records name.
var covers = []struct {
	file string
	drawing
}{
	{"text-1.png", drawing{card, moss, 71}}, {"text-2.png", drawing{card, moss, 71}}, {"text-3.png", drawing{card, moss, 71}},
	{"text-5.png", drawing{ridges, noon, 72}}, {"text-8.png", drawing{card, dawn, 73}}, {"text-11.png", drawing{towers, autumn, 74}},
	{"text-13.png", drawing{shore, dawn, 75}}, {"text-24.png", drawing{bars, moss, 76}}, {"text-26.png", drawing{ridges, dawn, 77}},
	{"text-27.png", drawing{card, autumn, 78}},
	{"wish-1.png", drawing{towers, noon, 81}}, {"wish-6.png", drawing{ridges, moss, 82}}, {"wish-9.png", drawing{towers, dawn, 83}},
	{"wish-14.png", drawing{card, autumn, 84}},
}

// beside is a file of records with the covers in the same folder.
type beside struct {
	imported.File
	pictures []File
}

// OpenCover implements imported.File.
func (b beside) OpenCover(name string) (io.ReadCloser, error) {
	for _, c := range b.pictures {
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
