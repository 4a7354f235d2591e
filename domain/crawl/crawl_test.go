package crawl_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/crawl"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/publication"
)

func shelf(id, parent feed.CategoryID) crawl.Record {
	return crawl.Shelf{Category: feed.Category{ID: id, Parent: parent}}
}

func binding(id, firstOriginal, original publication.BundleID) crawl.Record {
	return crawl.Binding{Bundle: publication.Bundle{ID: id, FirstOriginal: firstOriginal, Original: original}}
}

func writing(id publication.ID, in publication.BundleID, by string, category feed.CategoryID) crawl.Record {
	return crawl.Text{By: by, Publication: publication.Publication{
		ID: id, Bundle: publication.Bundle{ID: in}, Content: publication.Content{Category: category},
	}}
}

func part(id publication.NodeID, in publication.BundleID, by string, category feed.CategoryID) crawl.Record {
	return crawl.Part{By: by, Node: publication.Node{ID: id, Bundle: in, Content: publication.Content{Category: category}}}
}

func wish(id demand.ID, by string, category feed.CategoryID) crawl.Record {
	return crawl.Wish{By: by, Demand: demand.Demand{ID: id, Category: category}}
}

func guide(category, by string, bundles ...publication.BundleID) crawl.Record {
	return crawl.Guide{By: by, HowTo: publication.HowTo{Category: category, Bundles: bundles}}
}

func TestADM04_what_records_are_called_and_what_they_need(t *testing.T) {
	type needs = []crawl.Need
	need := func(field string, kind crawl.Kind, id string) crawl.Need {
		return crawl.Need{Field: field, Ref: crawl.Ref{Kind: kind, ID: id}}
	}
	for name, c := range map[string]struct {
		record crawl.Record
		kind   crawl.Kind
		id     string
		needs  needs
	}{
		"a person":                {crawl.Person{Source: "u1"}, crawl.User, "u1", nil},
		"news":                    {crawl.Clipping{Source: "n1"}, crawl.News, "n1", nil},
		"a root":                  {shelf(1, 0), crawl.Category, "1", nil},
		"a category":              {shelf(2, 1), crawl.Category, "2", needs{need("parent", crawl.Category, "1")}},
		"its own parent":          {shelf(2, 2), crawl.Category, "2", nil},
		"an original":             {binding(5, 0, 0), crawl.Bundle, "5", nil},
		"an original of its own":  {binding(5, 5, 0), crawl.Bundle, "5", nil},
		"a translation":           {binding(7, 5, 6), crawl.Bundle, "7", needs{need("first_original", crawl.Bundle, "5"), need("original", crawl.Bundle, "6")}},
		"a translation of itself": {binding(7, 7, 7), crawl.Bundle, "7", nil},
		"a publication":           {writing(3, 5, "u1", 0), crawl.Publication, "3", needs{need("bundle", crawl.Bundle, "5"), need("author", crawl.User, "u1")}},
		"one in a category": {writing(3, 5, "u1", 2), crawl.Publication, "3",
			needs{need("bundle", crawl.Bundle, "5"), need("author", crawl.User, "u1"), need("category", crawl.Category, "2")}},
		"a node": {part(3, 0, "u1", 0), crawl.Node, "3", needs{need("author", crawl.User, "u1")}},
		"one in a bundle": {part(3, 5, "u1", 2), crawl.Node, "3",
			needs{need("bundle", crawl.Bundle, "5"), need("author", crawl.User, "u1"), need("category", crawl.Category, "2")}},
		"a demand":          {wish(3, "u1", 0), crawl.Demand, "3", needs{need("author", crawl.User, "u1")}},
		"one of a category": {wish(3, "u1", 2), crawl.Demand, "3", needs{need("author", crawl.User, "u1"), need("category", crawl.Category, "2")}},
		"a how-to": {guide("Tea", "r1", 5, 6), crawl.HowTo, `"Tea" r1`,
			needs{need("robot", crawl.User, "r1"), need("bundles", crawl.Bundle, "5"), need("bundles", crawl.Bundle, "6")}},
	} {
		assert.Equal(t, crawl.Ref{Kind: c.kind, ID: c.id}, c.record.Ref(), name)
		assert.Equal(t, c.needs, c.record.Needs(), name)
		assert.Contains(t, crawl.Kinds(), c.kind)
	}
	assert.Len(t, crawl.Kinds(), 8)
}

func TestADM04_no_two_how_tos_are_called_the_same(t *testing.T) {
	names := rapid.StringMatching(`["a \\\n]{0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		category, robot := names.Draw(t, "category"), names.Draw(t, "robot")
		other, otherRobot := names.Draw(t, "other"), names.Draw(t, "other robot")
		same := category == other && robot == otherRobot
		require.Equal(t, same, guide(category, robot).Ref() == guide(other, otherRobot).Ref())
	})
	assert.NotEqual(t, guide("a\nb", "c").Ref(), guide("a", "b\nc").Ref())
}

func TestADM04_a_record_with_its_cover(t *testing.T) {
	for _, c := range []struct {
		record crawl.Illustrated
		frame  media.Frame
		cover  func(crawl.Record) media.Picture
	}{
		{writing(3, 5, "u1", 2).(crawl.Text), media.CoverFrames[0], func(r crawl.Record) media.Picture { return r.(crawl.Text).Cover }},
		{part(3, 5, "u1", 2).(crawl.Part), media.CoverFrames[0], func(r crawl.Record) media.Picture { return r.(crawl.Part).Cover }},
		{wish(3, "u1", 2).(crawl.Wish), media.DemandCoverFrames[0], func(r crawl.Record) media.Picture { return r.(crawl.Wish).Cover }},
	} {
		assert.Equal(t, []media.Frame{c.frame}, c.record.CoverFrames())
		picture := media.Picture{Key: "public/a", Sizes: []media.Size{{Name: c.frame.Name, Width: 30, Height: 20, Key: "public/b"}}}
		covered := c.record.WithCover(picture)
		assert.Equal(t, picture, c.cover(covered))
		assert.Zero(t, c.cover(c.record), "the record itself stays as it is")
		assert.Equal(t, c.record.Ref(), covered.Ref())
		assert.Equal(t, c.record.Needs(), covered.Needs())
		assert.Empty(t, c.record.CoverFile())
	}
}
