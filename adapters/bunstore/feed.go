package bunstore

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/page"
)

// Feed implements feed.Reader.
type Feed struct{ s *Store }

// Feed returns the reader of the feed.
func (s *Store) Feed() Feed { return Feed{s} }

var _ feed.Reader = Feed{}

func (v Feed) Page(
	ctx context.Context, in feed.CategoryID, sel feed.Selection, r page.Request,
) (page.Page[feed.Item], error) {
	var shape pageShape
	var statement string
	args := []any{int64(r.Size()), int64(r.Offset()), int64(in)}
	switch {
	case slices.Contains(sel.Kinds, feed.Xfile):
		return page.Page[feed.Item]{}, errors.New("feed pages do not list events")
	case sel.Near != nil && slices.Contains(sel.Kinds, feed.Demand):
		shape, statement = pageShapes[feed.Demand], v.s.hot.pageNear
		args = slices.Concat(args, circleParameters(*sel.Near), boxParameters(*sel.Near))
	case sel.Near == nil && len(sel.Kinds) == 1:
		shape, statement = pageShapes[sel.Kinds[0]], v.s.hot.pageOf[sel.Kinds[0]]
	default: // no other kind has a location, so nothing is within the area
		shape, statement = merged, v.s.hot.pageMerged
		wanted := sel.Kinds
		if sel.Near != nil {
			wanted = nil
		}
		args = append(args, v.s.dialect.listOf(kindNames(wanted)))
	}
	p, err := v.s.feedPage(ctx, statement, args, shape, r)
	if len(p.Items) == 0 {
		err = cmp.Or(v.known(ctx, in), err)
	}
	if err != nil {
		return page.Page[feed.Item]{}, err
	}
	if sel.Near != nil {
		for i := range p.Items {
			addDistance(&p.Items[i], *sel.Near)
		}
	}
	return p, nil
}

// known returns nil if the category exists or is 0, for the uncategorised items.
func (v Feed) known(ctx context.Context, in feed.CategoryID) error {
	if in == 0 {
		return nil
	}
	found, err := v.s.Categories().ByIDs(ctx, []feed.CategoryID{in})
	if err == nil && len(found) == 0 {
		return feed.ErrNoCategory
	}
	return err
}

// addDistance adds the item's distance from the centre of the area.
func addDistance(i *feed.Item, near feed.Area) {
	if l, listed := i.Listing(); listed && l.Point != nil {
		i.Distance = new(near.Centre.To(*l.Point).Rounded())
	}
}

// feedPage runs a statement of pageStatement.
func (s *Store) feedPage(
	ctx context.Context, statement string, args []any, shape pageShape, r page.Request,
) (page.Page[feed.Item], error) {
	return readPage(ctx, s, r, statement, args, func(total *int) func(scanner) (feed.Item, error) {
		return shape.reader(s.dialect, total)
	})
}

func kindNames(kinds []feed.Kind) []string {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = string(kind)
	}
	return names
}

// circleParameters are the parameters of inCircle.
func circleParameters(a feed.Area) []any {
	sine := math.Sin(float64(a.Within/geo.Radius) / 2)
	return []any{a.Centre.Lat, math.Cos(a.Centre.Lat * math.Pi / 180), a.Centre.Lng, sine * sine}
}

// boxParameters are the parameters of inBox.
func boxParameters(a feed.Area) []any {
	box := geo.Around(a.Centre, a.Within)
	west, east := box.Lng[0], box.Lng[len(box.Lng)-1]
	return []any{box.Lat.Min, box.Lat.Max, west.Min, west.Max, east.Min, east.Max}
}
