package demo

import "plaza/domain/feed"

// Ids of categories.jsonl, on three levels: hundreds, tens, ones.
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
