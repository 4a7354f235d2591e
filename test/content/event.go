package content

import (
	"strings"

	"plaza/domain/event"
	"plaza/domain/markup"
)

// AsSent is a markup.Sanitiser that changes nothing, for HTML of tests.
type AsSent struct{}

// Sanitise implements markup.Sanitiser.
func (AsSent) Sanitise(raw string) markup.HTML { return markup.HTML(raw) }

// Ordering returns the ordering by the comma-separated keys. A leading minus sign means descending. It panics on a key
// that does not exist.
func Ordering(keys string) event.Ordering {
	var terms []event.Term
	for key := range strings.SplitSeq(keys, ",") {
		if name, descending := strings.CutPrefix(key, "-"); name != "" {
			terms = append(terms, event.Term{Key: event.Key(name), Descending: descending})
		}
	}
	ordering, err := event.NewOrdering(terms...)
	if err != nil {
		panic(err)
	}
	return ordering
}
