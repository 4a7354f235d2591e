package event

import (
	"plaza/domain/fault"
	"plaza/domain/markup"
	"plaza/domain/text"
)

// News is something that was published elsewhere on the day of an event, near it
// or not: a place-around item (EVT-15). Its HTML was sanitised and its addresses
// were checked when it was imported.
type News struct {
	ID       int64 // zero until a store has given it one
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
	Country  string // empty: not known
}

// Limits of news.
var (
	NewsTitleLimit = text.Limit{Chars: 300}
	NewsHTMLLimit  = text.Limit{Bytes: 256 << 10}
	// NewsNameLimit bounds the names of sites, of their categories and of places.
	NewsNameLimit = text.Limit{Chars: 100}
)

// NewNews checks the news, whose HTML is clean already, and returns it in the form that
// is kept.
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

// DayInCity is a day in a city: what the news around an event depends on. The city
// may be empty.
type DayInCity struct {
	Date Date
	City string
}
