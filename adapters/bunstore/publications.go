package bunstore

import (
	"context"

	"plaza/domain/feed"
	"plaza/domain/page"
	"plaza/domain/publication"
)

// Publications implements publication.Repository.
type Publications struct{ s *Store }

// Publications returns the repository of publications and nodes.
func (s *Store) Publications() Publications { return Publications{s} }

var _ publication.Repository = Publications{}

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
	return page.Map(p, func(i feed.Item) publication.Publication { return i.Listable.(publication.Publication) }), err
}
