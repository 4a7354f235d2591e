package httpapi

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/application/reading"
	"plaza/domain/demand"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/markup"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/text"
	"plaza/domain/user"
)

// uncategorised is the wire name of the list of items without a category.
const uncategorised = "uncategory"

// listCategories returns the tree of categories with their counters (FED-01).
func (a *api) listCategories(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	selection := selectionIn(q, feed.Node, feed.Publication, feed.Demand, feed.Event)
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	name := fmt.Sprint("tree ", selection.Kinds)
	return a.whileUnchanged(c.Context(), selection, name, func(ctx context.Context, s feed.Selection) (transport.Reply, bool, error) {
		tree, err := a.Browsing.Categories(ctx, c.Actor.QueueKeyAt(c.Address()), s)
		return transport.Data(mapSlice(tree, renderCategory)), true, err
	})
}

// listFeedItems returns the items of a category, or those without one (FED-06).
func (a *api) listFeedItems(c *transport.Call) (transport.Reply, error) {
	in, err := pathCategory(c)
	if err != nil {
		return transport.Reply{}, err
	}
	q := c.Query()
	selection, request := selectionIn(q, feed.ItemKinds()...), q.Page()
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	name := fmt.Sprint("items ", in, selection.Kinds, request.Number(), request.Size(), request.IsBehind(), request.After())
	return a.whileUnchanged(c.Context(), selection, name, func(ctx context.Context, s feed.Selection) (transport.Reply, bool, error) {
		items, err := a.Browsing.Items(ctx, c.Actor.QueueKeyAt(c.Address()), in, s, request)
		authors, members := demandersIn(items.Items)
		people, err := a.describe(c, members, authors, err)
		return transport.Paged(c, page.Map(items, people.renderItem)), len(authors) == 0, err
	})
}

// pathCategory returns the category in the path; zero stands for the uncategorised items.
func pathCategory(c *transport.Call) (feed.CategoryID, error) {
	if c.Name() == uncategorised {
		return 0, nil
	}
	if id := transport.PositiveInt(c.Name()); id > 0 {
		return feed.CategoryID(id), nil
	}
	return 0, errNoCategoryID
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

// selectionIn reads the requested kinds and the area.
func selectionIn(q *transport.Query, allowed ...feed.Kind) feed.Selection {
	var kinds []feed.Kind
	for _, name := range q.List("type") {
		kinds = append(kinds, feed.Kind(name))
		if !slices.Contains(allowed, feed.Kind(name)) {
			q.Wrong.Merge(fault.Fields{"type": {text.NoChoice(name, allowed...)}})
		}
	}
	if feed.Select(kinds, &feed.Area{}).Near == nil {
		return feed.Select(kinds, nil) // without demands the area is ignored, even an invalid one
	}
	return feed.Select(kinds, circleIn(q))
}

// circleIn reads the area to search (FED-05); nil means anywhere.
func circleIn(q *transport.Query) *feed.Area {
	centre, wrong := geo.PointOf(q.Number("lat"), q.Number("lng"))
	q.Wrong.Merge(wrong)
	within := geo.DefaultDistance
	if km := q.Number("within_distance"); km != nil {
		within = geo.Kilometres(*km)
		q.Wrong.Merge(fault.Fields{"within_distance": {within.SearchProblem()}})
	}
	if centre == nil {
		return nil
	}
	return &feed.Area{Centre: *centre, Within: within}
}

// readSelection reads a selection for whileUnchanged.
type readSelection = func(context.Context, feed.Selection) (r transport.Reply, isConstant bool, err error)

// whileUnchanged returns the tagged reply that fn returns, or the one that fn returned for the
// name while the version of the selection was the same. fn reports whether its reply depends on
// nothing but the selection and the name.
func (a *api) whileUnchanged(ctx context.Context, s feed.Selection, name string, fn readSelection) (transport.Reply, error) {
	version, has, err := a.Browsing.Version(ctx, s)
	if err != nil {
		return transport.Reply{}, err
	}
	if !has {
		r, _, err := fn(ctx, s)
		return transport.WithETag(r), err
	}
	return a.kept.Once(ctx, name, version, func() (transport.Reply, bool, error) { return fn(ctx, s) })
}

// categoryRef is a category without its parent and children.
type categoryRef struct {
	ID       categoryRefID    `json:"id"`
	Name     *string          `json:"name,omitempty"` // absent for uncategorised items
	ParentID *feed.CategoryID `json:"parent_id"`
	Kind     string           `json:"kind"`
	Slug     string           `json:"slug"`
	Level    int              `json:"level"`
	Meta     metaView         `json:"meta"`
}

// categoryView is a category with its parent and children (FED-01).
type categoryView struct {
	categoryRef
	Parent   *categoryRef   `json:"parent,omitempty"` // absent for roots
	Children []categoryView `json:"children"`
}

type categoryRefID feed.CategoryID

// MarshalJSON writes a number or the name of the uncategorised items.
func (id categoryRefID) MarshalJSON() ([]byte, error) {
	if id == 0 {
		return []byte(strconv.Quote(uncategorised)), nil
	}
	return strconv.AppendInt(nil, int64(id), 10), nil
}

type metaView struct {
	CreatedAt *transport.Timestamp `json:"feed_created_at"`
	UpdatedAt *transport.Timestamp `json:"feed_updated_at"`
	Count     int                  `json:"feeds_count"`
}

func renderCategory(b feed.CategoryNode) categoryView {
	view := categoryView{categoryRef: renderCategoryRef(b), Children: mapSlice(b.Children, renderCategory)}
	if b.ParentNode != nil {
		view.Parent = new(renderCategoryRef(*b.ParentNode))
	}
	return view
}

func renderCategoryRef(b feed.CategoryNode) categoryRef {
	s := categoryRef{
		ID: categoryRefID(b.ID), Name: &b.Name, ParentID: view.OrNull(b.Parent),
		Kind: "category", Slug: b.Slug, Level: b.Level,
		Meta: metaView{view.OrNever(b.Meta.Created), view.OrNever(b.Meta.Updated), b.Meta.Count},
	}
	if b.IsUncategorised() {
		s.Name, s.Slug = nil, uncategorised
	}
	return s
}

// demandItem is a demand in the feed (FED-07).
type demandItem struct {
	Title          string              `json:"title"`
	Description    string              `json:"description"`
	Tags           []string            `json:"tags"`
	Cover          string              `json:"auto_cover"`
	Covers         picture             `json:"auto_covers"`
	Images         []string            `json:"images"`
	Author         person              `json:"author"`
	ServiceAddress *string             `json:"service_address"`
	ClosedTime     transport.Timestamp `json:"closed_time"`
	StartTime      transport.Timestamp `json:"start_time"`
	EndTime        transport.Timestamp `json:"end_time"`
	CreateTime     transport.Timestamp `json:"create_time"`
	UpdateAt       transport.Timestamp `json:"update_at"`
	EntityType     feed.Kind           `json:"entity_type"`
	Kind           string              `json:"kind"`
	EntityID       demand.ID           `json:"entity_id"`
	Distance       *geo.Kilometres     `json:"distance"`
}

// nodeItem is a node in the feed (FED-09).
type nodeItem struct {
	ID         publication.NodeID    `json:"id"`
	BundleID   *publication.BundleID `json:"bundle_id"`
	Title      string                `json:"title"`
	Content    string                `json:"content"`
	Cover      string                `json:"cover_image"`
	Covers     picture               `json:"cover_images"`
	Author     user.ID               `json:"author"`
	Language   string                `json:"language"`
	CreateTime transport.Timestamp   `json:"create_time"`
	UpdateAt   transport.Timestamp   `json:"update_at"`
	EntityType feed.Kind             `json:"entity_type"`
	EntityID   publication.NodeID    `json:"entity_id"`
	Kind       string                `json:"kind"`
}

// inFeed is the type of every feed item.
const inFeed = "feed"

func (people users) renderItem(i feed.Item) any {
	switch thing := i.Listable.(type) {
	case publication.Publication:
		return renderPublication(thing)
	case publication.Node:
		return renderNode(thing)
	case demand.Demand:
		return people.renderDemand(thing, i.Distance)
	}
	panic(fmt.Sprintf("httpapi: unknown feed item %T", i.Listable))
}

func (people users) renderDemand(d demand.Demand, away *geo.Kilometres) demandItem {
	if away != nil {
		away = new(away.Rounded())
	}
	return demandItem{
		Title: d.Title, Description: d.Description, Tags: listed(d.Tags),
		Cover: d.Cover.Path, Covers: renderPicture(d.Cover), Images: listed(d.Images),
		Author: renderPerson(people[d.Author]), ServiceAddress: view.OrNull(d.Address),
		ClosedTime: transport.Timestamp(d.Closed), StartTime: transport.Timestamp(d.Start), EndTime: transport.Timestamp(d.End),
		CreateTime: transport.Timestamp(d.Created), UpdateAt: transport.Timestamp(d.Updated),
		EntityType: feed.Demand, Kind: inFeed, EntityID: d.ID, Distance: away,
	}
}

func renderNode(n publication.Node) nodeItem {
	return nodeItem{
		ID: n.ID, BundleID: view.OrNull(n.Bundle), Title: n.Title, Content: n.Summary,
		Cover: n.Cover.Path, Covers: renderPicture(n.Cover), Author: n.Author, Language: n.Language,
		CreateTime: transport.Timestamp(n.Created), UpdateAt: transport.Timestamp(n.Updated),
		EntityType: feed.Node, EntityID: n.ID, Kind: inFeed,
	}
}

// openFeedItem returns one item of the feed with its text (FED-11).
func (a *api) openFeedItem(c *transport.Call) (transport.Reply, error) {
	card, err := a.Reading.Open(c.Context(), c.Actor, c.Address(), feed.Kind(c.Gin.Param("entity_type")), c.ID, languageOf(c))
	if err != nil {
		return transport.Reply{}, err
	}
	authors, members := demandersIn([]feed.Item{card.Item})
	people, err := a.describe(c, members, authors, nil)
	return transport.WithETag(transport.Data(people.renderCard(card))), err
}

// textView is what an opened publication or node has beyond the list's item.
type textView struct {
	HTML         markup.HTML       `json:"html_content"`
	Translations []translationView `json:"translations"`
}

type translationView struct {
	ID       int64  `json:"id"`
	Language string `json:"language"`
	Title    string `json:"title"`
}

type publicationCard struct {
	publicationItem
	textView
}

type nodeCard struct {
	nodeItem
	textView
	Localised *localisedView `json:"localized,omitempty"`
}

func (people users) renderCard(c reading.Card) any {
	text := textView{c.HTML, mapSlice(c.Translations, func(t feed.Translation) translationView { return translationView(t) })}
	switch thing := c.Listable.(type) {
	case publication.Publication:
		return publicationCard{renderReading(reading.Item{Publication: thing, Localised: c.Localised}), text}
	case publication.Node:
		return nodeCard{renderNode(thing), text, renderLocalised(c.Localised)}
	case demand.Demand:
		return people.renderDemand(thing, nil)
	}
	panic(fmt.Sprintf("httpapi: unknown feed item %T", c.Listable))
}
