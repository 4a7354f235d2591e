package event

import (
	"context"

	"plaza/domain/feed"
	"plaza/domain/user"
)

// RelatedQuery says what is wanted around events that are shown, of each at most so many.
type RelatedQuery struct {
	Viewer       user.ID
	Dates        []Date
	Events       int // for every date
	DaysInCities []DayInCity
	News         int  // for every spot
	CommentsFor  []ID // events
	Comments     int  // for every talk
	Categories   []feed.CategoryID
}

// Related is what there is of a scene. What there is none of is left out.
type Related struct {
	// Events are, by their date, the published ones of all authors that the viewer
	// may see by Reach, newest creation first, ties by descending id.
	Events map[Date][]*Event
	// News are those of the spot's day, those of its own city first, then by ascending
	// id. A spot without a city has no news of its own city.
	News map[DayInCity][]News
	// Comments are the newest of every talk, newest first, ties by descending id.
	Comments map[ID][]Comment
	// CategoryNames are those of the categories asked for, and of those of Events.
	CategoryNames map[feed.CategoryID]string
}

// RelatedReader finds what is shown around events. It is one port, so that a store can look
// all of it up at once. Every implementation passes test/ports.Events.
type RelatedReader interface {
	Load(ctx context.Context, s RelatedQuery) (Related, error)
}
