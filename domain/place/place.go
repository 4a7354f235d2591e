// Package place names where in China something is: its province, city and
// district, by their official full names.
//
// A place is known from the outside in: a district has a city, a city has a
// province (for a municipality the two are the same). Elsewhere it is zero.
package place

import "context"

// Place is an administrative place. Empty names are not known.
type Place struct {
	Province string // 浙江省
	City     string // 杭州市
	District string // 西湖区
}

// IsZero says whether no place is known.
func (p Place) IsZero() bool { return p == Place{} }

// Analyser finds the place that a text is about (EVT-16). Every implementation
// passes test/ports.Analyser.
type Analyser interface {
	// Analyse returns the place of the text with the title, or the zero Place.
	// The same text must always have the same place. It must not be called while
	// a store is being changed: it may do I/O, and then keeps a deadline.
	Analyse(ctx context.Context, title, content string) (Place, error)
}
