package httpapi

import (
	"slices"

	"plaza/adapters/httpapi/transport"
	"plaza/domain/event"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/search"
	"plaza/domain/text"
)

// searchKinds are the kinds of things that can be searched for, by their names.
var searchKinds = []string{"event", string(feed.Publication), string(feed.Node), string(feed.Demand)}

// foundView is a thing that was found, as its list has it.
type foundView struct {
	Kind string `json:"kind"`
	Item any    `json:"item"`
}

// search returns what has the words of the parameter (SRC-01).
func (a *api) search(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	words, request := q.Text("q"), q.WordCursor()
	var kinds []feed.Kind
	for _, name := range q.List("kind") {
		if !slices.Contains(searchKinds, name) {
			q.Wrong.Merge(fault.Fields{"kind": {text.NoChoice(name, searchKinds...)}})
		}
		kind := feed.Kind(name)
		if name == "event" {
			kind = feed.Event
		}
		kinds = append(kinds, kind)
	}
	if err := c.Enter(a.limits, request.Size()); err != nil {
		return transport.Reply{}, err
	}
	found, err := a.Browsing.Search(c.Context(), c.Actor, words, kinds, request, q.Err())
	views, err := a.showFound(c, found.Items, err)
	return c.Stream(transport.StreamedList{Items: transport.ItemsOf(views), Cursor: c.CursorOf(found.Next)}), err
}

// showFound renders what was found, unless that has failed.
func (a *api) showFound(c *transport.Call, found []search.Found, err error) ([]foundView, error) {
	if err != nil {
		return nil, err
	}
	var entries []event.Entry
	var items []feed.Item
	for _, f := range found {
		if f.Event != nil {
			entries = append(entries, *f.Event)
		} else {
			items = append(items, f.Item)
		}
	}
	shown, err := a.Diary.Show(c.Context(), c.Actor, entries, partsIn(c.Part.Within("item")))
	events, err := a.showEvents(c, shown, err)
	authors, members := demandersIn(items)
	people, err := a.describe(c, members, authors, err)
	if err != nil {
		return nil, err
	}
	return mapSlice(found, func(f search.Found) (view foundView) {
		if f.Event != nil {
			view, events = foundView{"event", events[0]}, events[1:]
			return view
		}
		l, _ := f.Item.Listing()
		return foundView{string(l.Kind), people.renderItem(f.Item)}
	}), nil
}
