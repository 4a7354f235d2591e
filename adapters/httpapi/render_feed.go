package httpapi

import (
	"fmt"
	"strconv"
	"time"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/publication"
	"plaza/domain/user"
)

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

// categoryRefID is the ID of a category, or the name of the uncategorised items.
type categoryRefID feed.CategoryID

// MarshalJSON writes a number or the name of the uncategorised items.
func (id categoryRefID) MarshalJSON() ([]byte, error) {
	if id == 0 {
		return []byte(strconv.Quote(uncategorised)), nil
	}
	return strconv.AppendInt(nil, int64(id), 10), nil
}

type metaView struct {
	CreatedAt *timestamp `json:"feed_created_at"`
	UpdatedAt *timestamp `json:"feed_updated_at"`
	Count     int        `json:"feeds_count"`
}

func renderCategory(b feed.CategoryNode) categoryView {
	view := categoryView{categoryRef: renderShelf(b), Children: each(b.Children, renderCategory)}
	if b.Above != nil {
		view.Parent = new(renderShelf(*b.Above))
	}
	return view
}

func renderShelf(b feed.CategoryNode) categoryRef {
	s := categoryRef{
		ID: categoryRefID(b.ID), Name: &b.Name, ParentID: orNull(b.Parent),
		Kind: "category", Slug: b.Slug, Level: b.Level,
		Meta: metaView{orNever(b.Meta.Created), orNever(b.Meta.Updated), b.Meta.Count},
	}
	if b.IsUncategorised() {
		s.Name, s.Slug = nil, uncategorised
	}
	return s
}

// orNever returns nil, written as null, for the zero time.
func orNever(at time.Time) *timestamp { return optional(timestamp(at), !at.IsZero()) }

// demandItem is a demand in the feed (FED-07).
type demandItem struct {
	Title          string          `json:"title"`
	Description    string          `json:"description"`
	Tags           []string        `json:"tags"`
	Cover          string          `json:"auto_cover"`
	Covers         picture         `json:"auto_covers"`
	Images         []string        `json:"images"`
	Author         person          `json:"author"`
	ServiceAddress *string         `json:"service_address"`
	ClosedTime     timestamp       `json:"closed_time"`
	StartTime      timestamp       `json:"start_time"`
	EndTime        timestamp       `json:"end_time"`
	CreateTime     timestamp       `json:"create_time"`
	UpdateAt       timestamp       `json:"update_at"`
	EntityType     feed.Kind       `json:"entity_type"`
	Kind           string          `json:"kind"`
	EntityID       demand.ID       `json:"entity_id"`
	Distance       *geo.Kilometres `json:"distance"`
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
	CreateTime timestamp             `json:"create_time"`
	UpdateAt   timestamp             `json:"update_at"`
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
		Author: renderPerson(people[d.Author]), ServiceAddress: orNull(d.Address),
		ClosedTime: timestamp(d.Closed), StartTime: timestamp(d.Start), EndTime: timestamp(d.End),
		CreateTime: timestamp(d.Created), UpdateAt: timestamp(d.Updated),
		EntityType: feed.Demand, Kind: inFeed, EntityID: d.ID, Distance: away,
	}
}

func renderNode(n publication.Node) nodeItem {
	return nodeItem{
		ID: n.ID, BundleID: orNull(n.Bundle), Title: n.Title, Content: n.Summary,
		Cover: n.Cover.Path, Covers: renderPicture(n.Cover), Author: n.Author, Language: n.Language,
		CreateTime: timestamp(n.Created), UpdateAt: timestamp(n.Updated),
		EntityType: feed.Node, EntityID: n.ID, Kind: inFeed,
	}
}

// listed returns a copy that is never nil, so an empty list is written as [].
func listed[T any](items []T) []T { return append([]T{}, items...) }
