// Package place models places in China: a province, a city and a district by their
// official full names.
//
// A district always comes with its city, and a city with its province (for a
// municipality the two are the same). A place outside China is zero.
package place

import "context"

// Place is an administrative place. Empty names are unknown.
type Place struct {
	Province string // 浙江省
	City     string // 杭州市
	District string // 西湖区
}

// IsZero reports whether the place is unknown.
func (p Place) IsZero() bool { return p == Place{} }

// Analyser finds the place that a text describes (EVT-16).
type Analyser interface {
	// Analyse returns the place of the text with the title, or the zero Place. The same
	// text must always have the same place. Analyse may do I/O, for which it must set a
	// deadline, so it must not be called inside a Change of a store.
	Analyse(ctx context.Context, title, content string) (Place, error)
}
