package event

import (
	"context"

	"plaza/domain/markup"
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

// Spot is a day in a city: what the news around an event depends on. The city
// may be empty.
type Spot struct {
	Date Date
	City string
}

// NewsArchive stores news, which Scenery finds. Every implementation passes test/ports.News.
type NewsArchive interface {
	// Add stores the items, in their order.
	Add(ctx context.Context, items []News) error
}
