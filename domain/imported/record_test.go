package imported_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/publication"
)

func categoryRecord(id, parent feed.CategoryID) imported.Record {
	return imported.CategoryRecord{Category: feed.Category{ID: id, Parent: parent}}
}

func bundleRecord(id, firstOriginal, original publication.BundleID) imported.Record {
	return imported.BundleRecord{Bundle: publication.Bundle{ID: id, FirstOriginal: firstOriginal, Original: original}}
}

func publicationRecord(id publication.ID, in publication.BundleID, by string, category feed.CategoryID) imported.Record {
	return imported.PublicationRecord{By: by, Publication: publication.Publication{
		ID: id, Bundle: publication.Bundle{ID: in}, Content: publication.Content{Category: category},
	}}
}

func nodeRecord(id publication.NodeID, in publication.BundleID, by string, category feed.CategoryID) imported.Record {
	return imported.NodeRecord{By: by, Node: publication.Node{ID: id, Bundle: in, Content: publication.Content{Category: category}}}
}

func demandRecord(id demand.ID, by string, category feed.CategoryID) imported.Record {
	return imported.DemandRecord{By: by, Demand: demand.Demand{ID: id, Category: category}}
}

func howToRecord(category, by string, bundles ...publication.BundleID) imported.Record {
	return imported.HowToRecord{By: by, HowTo: publication.HowTo{Category: category, Bundles: bundles}}
}

func TestADM04_what_records_are_called_and_what_they_need(t *testing.T) {
	type needs = []imported.Need
	need := func(field string, kind imported.Kind, id string) imported.Need {
		return imported.Need{Field: field, Ref: imported.Ref{Kind: kind, ID: id}}
	}
	for name, c := range map[string]struct {
		record imported.Record
		kind   imported.Kind
		id     string
		needs  needs
	}{
		"a person":               {imported.UserRecord{Source: "u1"}, imported.User, "u1", nil},
		"news":                   {imported.NewsRecord{Source: "n1"}, imported.News, "n1", nil},
		"a root":                 {categoryRecord(1, 0), imported.Category, "1", nil},
		"a category":             {categoryRecord(2, 1), imported.Category, "2", needs{need("parent", imported.Category, "1")}},
		"its own parent":         {categoryRecord(2, 2), imported.Category, "2", nil},
		"an original":            {bundleRecord(5, 0, 0), imported.Bundle, "5", nil},
		"an original of its own": {bundleRecord(5, 5, 0), imported.Bundle, "5", nil},
		"a translation": {bundleRecord(7, 5, 6), imported.Bundle, "7",
			needs{need("first_original", imported.Bundle, "5"), need("original", imported.Bundle, "6")}},
		"a translation of itself": {bundleRecord(7, 7, 7), imported.Bundle, "7", nil},
		"a publication": {publicationRecord(3, 5, "u1", 0), imported.Publication, "3",
			needs{need("bundle", imported.Bundle, "5"), need("author", imported.User, "u1")}},
		"one in a category": {publicationRecord(3, 5, "u1", 2), imported.Publication, "3",
			needs{need("bundle", imported.Bundle, "5"), need("author", imported.User, "u1"), need("category", imported.Category, "2")}},
		"a node": {nodeRecord(3, 0, "u1", 0), imported.Node, "3", needs{need("author", imported.User, "u1")}},
		"one in a bundle": {nodeRecord(3, 5, "u1", 2), imported.Node, "3",
			needs{need("bundle", imported.Bundle, "5"), need("author", imported.User, "u1"), need("category", imported.Category, "2")}},
		"a demand": {demandRecord(3, "u1", 0), imported.Demand, "3", needs{need("author", imported.User, "u1")}},
		"one of a category": {demandRecord(3, "u1", 2), imported.Demand, "3",
			needs{need("author", imported.User, "u1"), need("category", imported.Category, "2")}},
		"a how-to": {howToRecord("Tea", "r1", 5, 6), imported.HowTo, `"Tea" r1`,
			needs{need("robot", imported.User, "r1"), need("bundles", imported.Bundle, "5"), need("bundles", imported.Bundle, "6")}},
	} {
		assert.Equal(t, imported.Ref{Kind: c.kind, ID: c.id}, c.record.Ref(), name)
		assert.Equal(t, c.needs, c.record.Needs(), name)
		assert.Contains(t, imported.Kinds(), c.kind)
	}
	assert.Len(t, imported.Kinds(), 8)
}

func TestADM04_no_two_how_tos_are_called_the_same(t *testing.T) {
	names := rapid.StringMatching(`["a \\\n]{0,4}`)
	rapid.Check(t, func(t *rapid.T) {
		category, robot := names.Draw(t, "category"), names.Draw(t, "robot")
		other, otherRobot := names.Draw(t, "other"), names.Draw(t, "other robot")
		same := category == other && robot == otherRobot
		require.Equal(t, same, howToRecord(category, robot).Ref() == howToRecord(other, otherRobot).Ref())
	})
}
