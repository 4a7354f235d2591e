package diary

import (
	"context"
	"maps"
	"slices"

	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/news"
	"plaza/domain/user"
)

// View is an event with its related data.
type View struct {
	event.Entry
	Category string          // name; empty: none
	Moment   []Moment        // events of the same day, own and others' (EVT-14)
	News     []news.Item     // of the same day (EVT-15)
	Comments []event.Comment // the newest (EVT-17)
	// People are the authors of all that is shown. The views of a list share one map.
	People map[user.ID]*user.Member
}

// Moment is one event of the moment of an event: another event of the same day. The API calls
// all of them together the_moment.
type Moment struct {
	*event.Event
	Category string
}

// PeopleIn returns the ids of all users in the views, each once.
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

// depth is how much related data an event is shown with.
type depth struct{ moment, news, comments int }

var (
	alone  = depth{moment: 10, news: 10, comments: 10}
	inList = depth{moment: 3, news: 3, comments: 10}
)

// Parts are the related data that events are shown with. What is not shown is not read (GEN-17).
type Parts struct{ Moment, News, Comments bool }

// AllParts are all related data.
var AllParts = Parts{Moment: true, News: true, Comments: true}

// with returns the depth of the parts alone.
func (d depth) with(p Parts) depth {
	if !p.Moment {
		d.moment = 0
	}
	if !p.News {
		d.news = 0
	}
	if !p.Comments {
		d.comments = 0
	}
	return d
}

func (d *Diary) viewOf(ctx context.Context, actor access.Actor, e event.Entry, deep depth) (View, error) {
	shown, err := d.views(ctx, actor, []event.Entry{e}, deep)
	if err != nil {
		return View{}, err
	}
	return shown[0], nil
}

// views returns the entries with their related data, in order.
func (d *Diary) views(ctx context.Context, actor access.Actor, entries []event.Entry, deep depth) ([]View, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	related, err := d.ports.Related.Load(ctx, relatedQuery(actor, entries, deep))
	if err != nil {
		return nil, err
	}
	shown := make([]View, len(entries))
	for i, entry := range entries {
		s := entry.State()
		shown[i] = View{
			Entry:    entry,
			Category: related.CategoryNames[s.Category],
			News:     related.News[dayInCity(s)],
			Comments: related.Comments[s.ID],
			People:   related.Members,
		}
		for _, other := range related.Events[s.Date] {
			if other.ID() != s.ID && len(shown[i].Moment) < deep.moment {
				category := related.CategoryNames[other.State().Category]
				shown[i].Moment = append(shown[i].Moment, Moment{other, category})
			}
		}
	}
	return shown, nil
}

func dayInCity(s event.State) event.DayInCity {
	return event.DayInCity{Date: s.Date, City: s.Place.City}
}

// relatedQuery returns the query for the related data of the entries. It asks for one more
// event per day than is shown: an event is not part of its own moment.
func relatedQuery(actor access.Actor, entries []event.Entry, deep depth) event.RelatedQuery {
	query := event.RelatedQuery{Viewer: actor.ID, Events: deep.moment + 1, News: deep.news, Comments: deep.comments}
	dates, days := map[calendar.Date]bool{}, map[event.DayInCity]bool{}
	categories, people := map[feed.CategoryID]bool{}, map[user.ID]bool{}
	for _, entry := range entries {
		s := entry.State()
		if deep.comments > 0 { // hidden ones, which are not counted, are their authors'
			query.CommentsFor = append(query.CommentsFor, s.ID)
		}
		if deep.moment > 0 {
			dates[s.Date] = true
		}
		if deep.news > 0 {
			days[dayInCity(s)] = true
		}
		categories[s.Category], people[s.Author] = true, true
	}
	delete(categories, 0)
	query.Dates, query.DaysInCities = slices.Collect(maps.Keys(dates)), slices.Collect(maps.Keys(days))
	query.Categories, query.People = slices.Collect(maps.Keys(categories)), slices.Collect(maps.Keys(people))
	return query
}
