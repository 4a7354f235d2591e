// Package news models what other sites published. The importer stores it, and it is shown with the
// events of its day. The interface has no way to change it.
package news

import (
	"plaza/domain/calendar"
	"plaza/domain/fault"
	"plaza/domain/markup"
	"plaza/domain/text"
)

// Item is what another site published on a day, shown as a place-around item
// with the events of that day, near it or not (EVT-15). The import sanitised its HTML
// and checked its addresses.
type Item struct {
	ID       int64 // zero until stored
	SiteName string
	SiteLogo string // path of a picture
	URL      string
	Title    string
	Released calendar.Date
	HTML     markup.HTML
	Category string
	City     string
	District string
	Province string
	Country  string // empty: unknown
}

// ForCity returns at most limit of the items of a day, those of the city first (EVT-15). No item is of an empty city. The items keep
// their order.
func ForCity(ofDay []Item, city string, limit int) []Item {
	var own, others []Item
	for _, item := range ofDay {
		if item.City == city && city != "" {
			own = append(own, item)
		} else {
			others = append(others, item)
		}
	}
	all := append(own, others...)
	return all[:min(len(all), limit)]
}

// Limits of an item.
var (
	TitleLimit = text.Limit{Chars: 300}
	HTMLLimit  = text.Limit{Bytes: 256 << 10}
	// NameLimit bounds the names of sites, of their categories and of places.
	NameLimit = text.Limit{Chars: 100}
)

// New checks the item and returns it in the stored form. The HTML must be sanitised
// already.
func New(n Item) (Item, error) {
	var wrong fault.Fields
	wrong.Add("site_name", NameLimit.RequiredLine(&n.SiteName))
	wrong.Add("title", TitleLimit.RequiredLine(&n.Title))
	wrong.Add("html", HTMLLimit.Problem(string(n.HTML)))
	wrong.Add("url", text.AddressProblem(n.URL))
	if n.SiteLogo != "" {
		wrong.Add("site_logo", text.AddressProblem(n.SiteLogo))
	}
	if n.Released.IsZero() {
		wrong.Add("released", text.Required)
	}
	for _, f := range []struct {
		name  string
		value *string
	}{
		{"category", &n.Category}, {"city", &n.City}, {"district", &n.District}, {"province", &n.Province}, {"country", &n.Country},
	} {
		wrong.Add(f.name, NameLimit.Line(f.value))
	}
	return n, wrong.Err()
}
