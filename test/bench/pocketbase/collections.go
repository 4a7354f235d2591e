package main

import (
	"fmt"

	"github.com/pocketbase/pocketbase/core"
)

// createCollections makes the collections with indexes for what is asked. Instants are numbers, in microseconds
// since 1970: PocketBase's dates have milliseconds. A number that is 0, and a relation that is empty, are none.
func createCollections(app core.App) error {
	members := core.NewBaseCollection("members")
	addTexts(members, "firstname", "lastname", "expertise", "location", "timezone")
	addNumbers(members, "seen")

	categories := core.NewBaseCollection("categories")
	addTexts(categories, "name", "slug")

	publications := core.NewBaseCollection("publications")
	addNumbers(publications, "bundle", "first_original", "original", "node", "type", "created", "updated")
	addTexts(publications, "title", "summary", "language")
	publications.AddIndex("publications_newest", false, "category, published, deleted, created DESC, id", "")

	demands := core.NewBaseCollection("demands")
	addTexts(demands, "title", "description", "address")
	addNumbers(demands, "lat", "lng", "closed", "starts", "ends", "created", "updated")
	demands.Fields.Add(&core.JSONField{Name: "tags"}, &core.JSONField{Name: "images"})
	demands.AddIndex("demands_near", false, "category, published, deleted, lat, lng", "")

	images := core.NewBaseCollection("images")
	addTexts(images, "key")
	addNumbers(images, "width", "height", "created", "deleted")
	images.Fields.Add(&core.JSONField{Name: "tags"})
	images.AddIndex("images_newest", false, "owner, deleted, created DESC, id DESC", "")

	for _, c := range []*core.Collection{members, categories, publications, demands, images} {
		switch c {
		case publications, demands:
			c.Fields.Add(
				&core.JSONField{Name: "cover"}, &core.BoolField{Name: "published"}, &core.BoolField{Name: "deleted"},
				relation("author", members), relation("category", categories),
			)
		case images:
			c.Fields.Add(relation("owner", members))
		}
		if err := app.Save(c); err != nil {
			return fmt.Errorf("the collection %s: %w", c.Name, err)
		}
	}
	return nil
}

func addTexts(to *core.Collection, names ...string) {
	for _, name := range names {
		to.Fields.Add(&core.TextField{Name: name})
	}
}

func addNumbers(to *core.Collection, names ...string) {
	for _, name := range names {
		to.Fields.Add(&core.NumberField{Name: name})
	}
}

// relation is a field with one record of the collection, which must be saved before.
func relation(name string, to *core.Collection) core.Field {
	return &core.RelationField{Name: name, CollectionId: to.Id, MaxSelect: 1}
}
