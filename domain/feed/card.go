package feed

import (
	"plaza/domain/fault"
	"plaza/domain/markup"
)

// Card is one item with what a reader sees when they open it (FED-11).
type Card struct {
	Item
	HTML         markup.HTML   // the text of a publication or of a node; empty if none was imported, and for a demand
	Translations []Translation // of a publication or of a node, by ascending ID; none for a demand
}

// Translation is a publication that has the same original as an opened item.
type Translation struct {
	ID       int64
	Language string // BCP 47
	Title    string
}

// MaxTranslations is the maximum of translations of a card.
const MaxTranslations = 200

// ErrNoItem is the fault of an item that is not listed.
var ErrNoItem = fault.New(fault.NotFound, "Item not found.")
