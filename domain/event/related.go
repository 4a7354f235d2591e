package event

import (
	"context"

	"plaza/domain/calendar"
	"plaza/domain/feed"
	"plaza/domain/news"
	"plaza/domain/user"
)

// RelatedQuery selects the data related to a list of events. The counts are upper
// limits.
type RelatedQuery struct {
	Viewer       user.ID
	Dates        []calendar.Date
	Events       int // per date
	DaysInCities []DayInCity
	News         int  // per day in a city
	CommentsFor  []ID // events
	Comments     int  // per event
	Categories   []feed.CategoryID
	People       []user.ID
}

// DayInCity is the day and the city that select the news of an event. The city may be
// empty.
type DayInCity struct {
	Date calendar.Date
	City string
}

// Related is the data that a RelatedQuery selects. Keys without results are absent
// from the maps.
type Related struct {
	// Events are the published events of all authors that the viewer may see by
	// VisibleStates, by date: newest creation first, ties by descending id.
	Events map[calendar.Date][]*Event
	// News are the news of the day: news of the city first, then by ascending id. No
	// news is of an empty city.
	News map[DayInCity][]news.Item
	// Comments are the newest comments of each event, newest first, ties by descending
	// id, without those that are not VisibleTo the viewer.
	Comments map[ID][]Comment
	// CategoryNames are the names of the requested categories and of the categories of
	// Events.
	CategoryNames map[feed.CategoryID]string
	// Members are the requested people and the authors of Events and Comments, as
	// user.Directory returns them at that moment.
	Members map[user.ID]*user.Member
}

// RelatedReader loads the data related to events. It is one port, so that a store can
// load everything in one round trip. Every implementation passes test/ports.Events.
type RelatedReader interface {
	// Load returns the related data that the query selects.
	Load(ctx context.Context, s RelatedQuery) (Related, error)
}
