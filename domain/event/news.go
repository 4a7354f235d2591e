package event

import (
	"plaza/domain/fault"
	"plaza/domain/markup"
	"plaza/domain/text"
)

// News is an item that another site published on a day, shown as a place-around item
// with the events of that day, near it or not (EVT-15). The import sanitised its HTML
// and checked its addresses.
type News struct {
	ID       int64 // zero until stored
	SiteName string
	SiteLogo string // path of a picture
	URL      string
	Title    string
	Released Date
	HTML     markup.HTML
	Category string
	City     string
	District string
	Province string
	Country  string // empty: unknown
}

// Limits of news.
var (
	NewsTitleLimit = text.Limit{Chars: 300}
	NewsHTMLLimit  = text.Limit{Bytes: 256 << 10}
	// NewsNameLimit bounds the names of sites, of their categories and of places.
	NewsNameLimit = text.Limit{Chars: 100}
)

// NewNews checks the news and returns it in the stored form. The HTML must be sanitised
// already.
func NewNews(n News) (News, error) {
	var wrong fault.Fields
	n.SiteName, n.Title = text.Trim(n.SiteName), text.Trim(n.Title)
	wrong.Add("site_name", NewsNameLimit.RequiredProblem(n.SiteName))
	wrong.Add("title", NewsTitleLimit.RequiredProblem(n.Title))
	wrong.Add("html", NewsHTMLLimit.Problem(string(n.HTML)))
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
		*f.value = text.Trim(*f.value)
		wrong.Add(f.name, NewsNameLimit.Problem(*f.value))
	}
	return n, wrong.Err()
}

// DayInCity is the day and the city that select the news of an event. The city may be
// empty.
type DayInCity struct {
	Date Date
	City string
}
