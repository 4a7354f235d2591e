package event

import (
	"context"

	"plaza/domain/feed"
	"plaza/domain/user"
)

// Scene says what is wanted around events that are shown, of each at most so many.
type Scene struct {
	Viewer     user.ID
	Dates      []Date
	Events     int // for every date
	Spots      []Spot
	News       int  // for every spot
	Talks      []ID // events
	Comments   int  // for every talk
	Categories []feed.CategoryID
}

// Surroundings is what there is of a scene. What there is none of is left out.
type Surroundings struct {
	// Events are, by their date, the published ones of all authors that the viewer
	// may see by Reach, newest creation first, ties by descending id.
	Events map[Date][]*Event
	// News are those of the spot's day, those of its own city first, then by ascending
	// id. A spot without a city has no news of its own city.
	News map[Spot][]News
	// Comments are the newest of every talk, newest first, ties by descending id.
	Comments map[ID][]Comment
	// Names are those of the categories asked for, and of those of Events.
	Names map[feed.CategoryID]string
}

// Scenery finds what is shown around events. It is one port, so that a store can look
// all of it up at once. Every implementation passes test/ports.Events.
type Scenery interface {
	Around(ctx context.Context, s Scene) (Surroundings, error)
}
