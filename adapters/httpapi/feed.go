package httpapi

import (
	"context"
	"fmt"
	"slices"

	"plaza/domain/demand"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/page"
	"plaza/domain/text"
	"plaza/domain/user"
)

// uncategorised is the wire name of the list of items without a category.
const uncategorised = "uncategory"

// listCategories returns the tree of categories with their counters (FED-01).
func (a *api) listCategories(c *call) (reply, error) {
	q := c.query()
	selection := q.selection(feed.Node, feed.Publication, feed.Demand, feed.Xfile)
	if err := q.err(); err != nil {
		return reply{}, err
	}
	return a.whileUnchanged(c.ctx(), selection, fmt.Sprint("tree ", selection.Kinds), func(ctx context.Context, s feed.Selection) (reply, bool, error) {
		tree, err := a.Browsing.Categories(ctx, s)
		return data(each(tree, renderCategory)), true, err
	})
}

// listFeedItems returns the items of a category, or those without one (FED-06).
func (a *api) listFeedItems(c *call) (reply, error) {
	in, err := pathCategory(c)
	if err != nil {
		return reply{}, err
	}
	q := c.query()
	selection, request := q.selection(feed.ItemKinds()...), q.page()
	if err := q.err(); err != nil {
		return reply{}, err
	}
	name := fmt.Sprint("items ", in, selection.Kinds, request.Number(), request.Size())
	return a.whileUnchanged(c.ctx(), selection, name, func(ctx context.Context, s feed.Selection) (reply, bool, error) {
		items, err := a.Browsing.Items(ctx, in, s, request)
		if err != nil {
			return reply{}, false, err
		}
		authors, members := demandersIn(items.Items)
		people, err := a.describe(members, authors)
		return paged(page.Map(items, people.renderItem)), len(authors) == 0, err
	})
}

// pathCategory returns the category in the path; zero stands for the uncategorised items.
func pathCategory(c *call) (feed.CategoryID, error) {
	if c.name() == uncategorised {
		return 0, nil
	}
	id, err := pathID[feed.CategoryID](c)
	if err != nil {
		return 0, errNoCategoryID
	}
	return id, nil
}

// errNoCategoryID is for clients that send the slug, which the tree of categories has, too.
var errNoCategoryID = fault.New(fault.NotFound, "Category not found. The path takes its id, not its slug, or "+uncategorised+".")

// demandersIn returns the authors of the demands, and those of them that came with the items.
// Other items render only the author's uid.
func demandersIn(items []feed.Item) (ids []user.ID, members map[user.ID]*user.Member) {
	members = map[user.ID]*user.Member{}
	for _, item := range items {
		if d, isDemand := item.Listable.(demand.Demand); isDemand {
			ids = append(ids, d.Author)
		}
		if item.Author != nil {
			members[item.Author.ID] = item.Author
		}
	}
	return ids, members
}

// selection reads the requested kinds and the area.
func (q *query) selection(allowed ...feed.Kind) feed.Selection {
	var kinds []feed.Kind
	for _, name := range q.list("type") {
		kinds = append(kinds, feed.Kind(name))
		if !slices.Contains(allowed, feed.Kind(name)) {
			q.wrong.Merge(fault.Fields{"type": {text.NoChoice(name, allowed...)}})
		}
	}
	if feed.Select(kinds, &feed.Area{}).Near == nil {
		return feed.Select(kinds, nil) // without demands the area is ignored, even an invalid one
	}
	return feed.Select(kinds, q.circle())
}

// circle reads the area to search (FED-05); nil means anywhere.
func (q *query) circle() *feed.Area {
	lat, hasLat := q.number("lat")
	lng, hasLng := q.number("lng")
	centre := geo.Point{Lat: lat, Lng: lng}
	latProblem, lngProblem := centre.Problems()
	q.wrong.Merge(fault.Fields{"lat": {latProblem}, "lng": {lngProblem}})
	within := geo.DefaultDistance
	if km, isSaid := q.number("within_distance"); isSaid {
		within = geo.Kilometres(km)
		q.wrong.Merge(fault.Fields{"within_distance": {within.SearchProblem()}})
	}
	switch {
	case hasLat && !hasLng:
		q.wrong.Add("lng", text.Required)
	case hasLng && !hasLat:
		q.wrong.Add("lat", text.Required)
	case !hasLat:
		return nil
	}
	return &feed.Area{Centre: centre, Within: within}
}
