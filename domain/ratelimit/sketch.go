package ratelimit

import (
	"hash/maphash"
	"time"
)

// A sketch has 2 MiB of cells. 16 bits of a hash choose a cell of each row.
const (
	sketchRows = 4
	sketchBits = 16
)

// Sketch holds the limits of any number of keys in the memory of one process. It is a
// count-min sketch with conservative update, whose cells are times until which keys have
// paid.
//
// A key has one cell in each row, chosen by a hash that clients can't predict. It has paid
// until the earliest of its cells. A charge moves those of its cells that are earlier, so
// none of them is ever earlier than what any of its keys has paid. So a key keeps its debt
// however many other keys are charged: nothing is evicted. A key has a debt that it did not
// make only if it shares each of its cells. While 1,000 keys are at their limit, that
// stops one of 20 million other keys; while 10,000 are, one of 2,500.
//
// A Sketch is not safe for concurrent use.
type Sketch struct {
	seed  maphash.Seed
	began time.Time
	paid  [sketchRows][1 << sketchBits]time.Duration // after began
}

// NewSketch returns a Sketch in which no key is charged; now is the time. If now and the
// times of the charges have readings of the monotonic clock, changes of the wall clock have
// no effect.
func NewSketch(now time.Time) *Sketch { return &Sketch{seed: maphash.MakeSeed(), began: now} }

// Admits reports whether the limit admits the charge to the key. It charges nothing.
func (s *Sketch) Admits(key []byte, c Charge) bool {
	_, err := c.Apply(s.earliest(s.cells(key)))
	return err == nil
}

// Charge charges the key. If the limit does not admit the charge, Charge changes nothing
// and returns the fault of Apply.
func (s *Sketch) Charge(key []byte, c Charge) error {
	cells := s.cells(key)
	paid, err := c.Apply(s.earliest(cells))
	if err != nil {
		return err
	}
	for _, cell := range cells {
		*cell = max(*cell, paid.Sub(s.began))
	}
	return nil
}

// cells returns the cells of the key, one of each row.
func (s *Sketch) cells(key []byte) (cells [sketchRows]*time.Duration) {
	hash := maphash.Bytes(s.seed, key)
	for row := range cells {
		cells[row] = &s.paid[row][hash>>(row*sketchBits)&(1<<sketchBits-1)]
	}
	return cells
}

// earliest returns the earliest time of the cells, or the zero Time if one was never moved.
func (s *Sketch) earliest(cells [sketchRows]*time.Duration) time.Time {
	first := *cells[0]
	for _, cell := range cells[1:] {
		first = min(first, *cell)
	}
	if first == 0 {
		return time.Time{}
	}
	return s.began.Add(first)
}
