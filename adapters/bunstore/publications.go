package bunstore

import (
	"context"

	"github.com/uptrace/bun"

	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// Publications implements publication.Repository.
type Publications struct{ s *Store }

// Publications returns the repository of publications and nodes.
func (s *Store) Publications() Publications { return Publications{s} }

var _ publication.Repository = Publications{}

// contentColumns are common to publications and nodes.
type contentColumns struct {
	Title      string
	Summary    string
	Cover      cover
	AuthorID   user.ID
	Language   string
	CategoryID feed.CategoryID `bun:",nullzero"`
	Published  bool
	Deleted    bool
	Created    dbTime
	Updated    dbTime
}

func (c contentColumns) content() publication.Content {
	return publication.Content{
		Title: c.Title, Summary: c.Summary, Cover: c.Cover.Picture, Author: c.AuthorID, Language: c.Language,
		Category: c.CategoryID, Published: c.Published, Deleted: c.Deleted,
		Created: c.Created.Time, Updated: c.Updated.Time,
	}
}

type publicationRow struct {
	bun.BaseModel   `bun:"table:publications,alias:p"`
	ID              publication.ID       `bun:",pk"`
	BundleID        publication.BundleID `bun:",nullzero"`
	FirstOriginalID publication.BundleID `bun:",nullzero"`
	OriginalID      publication.BundleID `bun:",nullzero"`
	NodeID          publication.NodeID   `bun:",nullzero"`
	Type            publication.Type
	contentColumns
}

func (r publicationRow) publication() publication.Publication {
	return publication.Publication{
		ID: r.ID, Node: r.NodeID, Type: r.Type, Content: r.content(),
		Bundle: publication.Bundle{ID: r.BundleID, FirstOriginal: r.FirstOriginalID, Original: r.OriginalID},
	}
}

type nodeRow struct {
	bun.BaseModel `bun:"table:nodes,alias:n"`
	ID            publication.NodeID   `bun:",pk"`
	BundleID      publication.BundleID `bun:",nullzero"`
	contentColumns
}

func (r nodeRow) node() publication.Node {
	return publication.Node{ID: r.ID, Bundle: r.BundleID, Content: r.content()}
}

func (v Publications) List(ctx context.Context, q publication.Query) (page.Page[publication.Publication], error) {
	statement, args := v.s.hot.latest, []any{int64(q.Page.Size()), int64(q.Page.Offset())}
	if q.OriginOnly {
		statement = v.s.hot.latestOrigins
	}
	if q.Category != nil {
		statement, args = v.s.hot.latestOf, append(args, int64(*q.Category))
		if q.OriginOnly {
			statement = v.s.hot.latestOriginsOf
		}
	}
	p, err := v.s.feedPage(ctx, statement, args, pageShapes[feed.Publication], q.Page)
	return page.Map(p, func(t feed.Listable) publication.Publication { return t.(publication.Publication) }), err
}
