package demo

import "plaza/domain/feed"

// Category ids on three levels: hundreds, tens, ones.
const (
	everyday   feed.CategoryID = 100
	kitchen    feed.CategoryID = 110
	breakfast  feed.CategoryID = 111
	tea        feed.CategoryID = 112
	family     feed.CategoryID = 120
	neighbours feed.CategoryID = 130
	outdoors   feed.CategoryID = 200
	walks      feed.CategoryID = 210
	mountains  feed.CategoryID = 211
	water      feed.CategoryID = 212
	garden     feed.CategoryID = 220
	cycling    feed.CategoryID = 230
	craft      feed.CategoryID = 300
	clay       feed.CategoryID = 310
	buildings  feed.CategoryID = 320
	books      feed.CategoryID = 330
	music      feed.CategoryID = 340
)

// categories lists parents before their children.
var categories = []feed.Category{
	{ID: everyday, Name: "Everyday life", Slug: "everyday"},
	{ID: kitchen, Parent: everyday, Name: "In the kitchen", Slug: "kitchen"},
	{ID: breakfast, Parent: kitchen, Name: "Breakfast", Slug: "breakfast"},
	{ID: tea, Parent: kitchen, Name: "Tea", Slug: "tea"},
	{ID: family, Parent: everyday, Name: "Family", Slug: "family"},
	{ID: neighbours, Parent: everyday, Name: "Neighbours", Slug: "neighbours"},
	{ID: outdoors, Name: "Out of doors", Slug: "out-of-doors"},
	{ID: walks, Parent: outdoors, Name: "Walks", Slug: "walks"},
	{ID: mountains, Parent: walks, Name: "Up the mountain", Slug: "up-the-mountain"},
	{ID: water, Parent: walks, Name: "Along the water", Slug: "along-the-water"},
	{ID: garden, Parent: outdoors, Name: "Garden and balcony", Slug: "garden-and-balcony"},
	{ID: cycling, Parent: outdoors, Name: "Cycling", Slug: "cycling"},
	{ID: craft, Name: "Arts and crafts", Slug: "arts-and-crafts"},
	{ID: clay, Parent: craft, Name: "Clay", Slug: "clay"},
	{ID: buildings, Parent: craft, Name: "Old buildings", Slug: "old-buildings"},
	{ID: books, Parent: craft, Name: "Books and words", Slug: "books-and-words"},
	{ID: music, Parent: craft, Name: "Music", Slug: "music"},
}
