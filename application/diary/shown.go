package diary

import (
	"context"
	"slices"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/user"
)

// View is an event with all that is shown around it.
type View struct {
	event.Entry
	Category string          // its name; empty: none
	Moment   []Moment        // others' and own events of the same day (EVT-14)
	News     []event.News    // of the same day (EVT-15)
	Comments []event.Comment // the newest (EVT-17)
}

// Moment is another event of the same day.
type Moment struct {
	*event.Event
	Category string
}

// PeopleIn returns everybody who appears in what is shown, so that they can be
// looked up at once.
func PeopleIn(shown ...View) []user.ID {
	var ids []user.ID
	for _, s := range shown {
		ids = append(ids, s.Author())
		for _, m := range s.Moment {
			ids = append(ids, m.Author())
		}
		for _, c := range s.Comments {
			ids = append(ids, c.Author)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// depth is how much is shown around an event.
type depth struct{ moment, news, comments int }

var (
	alone  = depth{moment: 10, news: 10, comments: 10}
	inList = depth{moment: 3, news: 3, comments: 10}
)

func (d *Diary) view(ctx context.Context, actor access.Actor, e event.Entry) (View, error) {
	shown, err := d.views(ctx, actor, []event.Entry{e}, alone)
	if err != nil {
		return View{}, err
	}
	return shown[0], nil
}

// views returns the entries, in their order, with what is around each.
func (d *Diary) views(ctx context.Context, actor access.Actor, entries []event.Entry, deep depth) ([]View, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	around, err := d.scenery.Load(ctx, sceneOf(actor, entries, deep))
	if err != nil {
		return nil, err
	}
	shown := make([]View, len(entries))
	for i, entry := range entries {
		s := entry.State()
		shown[i] = View{
			Entry:    entry,
			Category: around.CategoryNames[s.Category],
			News:     around.News[spotOf(s)],
			Comments: around.Comments[s.ID],
		}
		for _, other := range around.Events[s.Date] {
			if other.ID() != s.ID && len(shown[i].Moment) < deep.moment {
				category := around.CategoryNames[other.State().Category]
				shown[i].Moment = append(shown[i].Moment, Moment{other, category})
			}
		}
	}
	return shown, nil
}

func spotOf(s event.State) event.DayInCity { return event.DayInCity{Date: s.Date, City: s.Place.City} }

// sceneOf is what is shown around the entries. Of the events of a day there is one
// more than is shown: none is part of its own moment.
func sceneOf(actor access.Actor, entries []event.Entry, deep depth) event.RelatedQuery {
	scene := event.RelatedQuery{Viewer: actor.ID, Events: deep.moment + 1, News: deep.news, Comments: deep.comments}
	dates := set[event.Date]{}
	spots := set[event.DayInCity]{}
	categories := set[feed.CategoryID]{}
	for _, entry := range entries {
		s := entry.State()
		if entry.Counts.Comments > 0 {
			scene.CommentsFor = append(scene.CommentsFor, s.ID)
		}
		dates.add(s.Date)
		spots.add(spotOf(s))
		categories.add(s.Category)
	}
	delete(categories, 0)
	scene.Dates, scene.DaysInCities, scene.Categories = dates.all(), spots.all(), categories.all()
	return scene
}

// set is a set of keys to look up.
type set[K comparable] map[K]struct{}

func (s set[K]) add(key K) { s[key] = struct{}{} }

func (s set[K]) all() []K {
	keys := make([]K, 0, len(s))
	for key := range s {
		keys = append(keys, key)
	}
	return keys
}
