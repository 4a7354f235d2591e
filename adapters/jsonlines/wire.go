package jsonlines

import (
	"time"

	"plaza/domain/demand"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/imported"
	"plaza/domain/publication"
)

// The records as they are on a line. Their fields match those of the drafts, so a conversion
// between the types keeps them in step. A field with the tag `id:"text"` is an ID that may
// also be written as an integer.

type userWire struct {
	ID        string    `json:"id" id:"text"`
	Username  string    `json:"username"`
	Firstname string    `json:"firstname"`
	Lastname  string    `json:"lastname"`
	Expertise string    `json:"expertise"`
	Location  string    `json:"location"`
	Timezone  string    `json:"timezone"`
	Joined    time.Time `json:"joined"`
}

type categoryWire struct {
	ID     feed.CategoryID `json:"id"`
	Parent feed.CategoryID `json:"parent"`
	Name   string          `json:"name"`
	Slug   string          `json:"slug"`
}

type bundleWire struct {
	ID            publication.BundleID `json:"id"`
	FirstOriginal publication.BundleID `json:"first_original"`
	Original      publication.BundleID `json:"original"`
}

type coverWire struct {
	File   string `json:"file"`
	URL    string `json:"url"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

type publicationWire struct {
	ID        publication.ID       `json:"id"`
	Bundle    publication.BundleID `json:"bundle"`
	Node      publication.NodeID   `json:"node"`
	Type      publication.Type     `json:"type"`
	Title     string               `json:"title"`
	Summary   string               `json:"summary"`
	Cover     *imported.CoverDraft `json:"cover"`
	Author    string               `json:"author" id:"text"`
	Language  string               `json:"language"`
	Category  feed.CategoryID      `json:"category"`
	Published bool                 `json:"published"`
	Deleted   bool                 `json:"deleted"`
	Created   time.Time            `json:"created"`
	Updated   time.Time            `json:"updated"`
}

type nodeWire struct {
	ID        publication.NodeID   `json:"id"`
	Bundle    publication.BundleID `json:"bundle"`
	Title     string               `json:"title"`
	Summary   string               `json:"summary"`
	Cover     *imported.CoverDraft `json:"cover"`
	Author    string               `json:"author" id:"text"`
	Language  string               `json:"language"`
	Category  feed.CategoryID      `json:"category"`
	Published bool                 `json:"published"`
	Deleted   bool                 `json:"deleted"`
	Created   time.Time            `json:"created"`
	Updated   time.Time            `json:"updated"`
}

type demandWire struct {
	ID          demand.ID            `json:"id"`
	Title       string               `json:"title"`
	Description string               `json:"description"`
	Tags        []string             `json:"tags"`
	Cover       *imported.CoverDraft `json:"cover"`
	Images      []string             `json:"images"`
	Author      string               `json:"author" id:"text"`
	Address     string               `json:"address"`
	Category    feed.CategoryID      `json:"category"`
	Lat         *float64             `json:"lat"`
	Lng         *float64             `json:"lng"`
	Closed      time.Time            `json:"closed"`
	Start       time.Time            `json:"start"`
	End         time.Time            `json:"end"`
	Published   bool                 `json:"published"`
	Deleted     bool                 `json:"deleted"`
	Created     time.Time            `json:"created"`
	Updated     time.Time            `json:"updated"`
}

type howToWire struct {
	Category string                 `json:"category"`
	Robot    string                 `json:"robot" id:"text"`
	Bundles  []publication.BundleID `json:"bundles"`
	Created  time.Time              `json:"created"`
	Updated  time.Time              `json:"updated"`
}

type newsWire struct {
	ID       string     `json:"id" id:"text"`
	SiteName string     `json:"site_name"`
	SiteLogo string     `json:"site_logo"`
	URL      string     `json:"url"`
	Title    string     `json:"title"`
	Released event.Date `json:"released"`
	HTML     string     `json:"html"`
	Category string     `json:"category"`
	City     string     `json:"city"`
	District string     `json:"district"`
	Province string     `json:"province"`
	Country  string     `json:"country"`
}

// form describes how the records of a kind are read and written. absent holds the values of
// absent fields.
type form struct {
	shape
	read func(ms []member) (imported.Draft, error)
}

func formOf[W any](draft func(W) imported.Draft, absent W) form {
	s := shapeOf(absent)
	return form{s, func(ms []member) (imported.Draft, error) {
		w := absent
		wrong := s.fill(&w, ms)
		return draft(w), wrong.Err()
	}}
}

var coverShape = shapeOf(coverWire{})

var forms = map[imported.Kind]form{
	imported.User:     formOf(func(w userWire) imported.Draft { return imported.UserDraft(w) }, userWire{}),
	imported.Category: formOf(func(w categoryWire) imported.Draft { return imported.CategoryDraft(w) }, categoryWire{}),
	imported.Bundle:   formOf(func(w bundleWire) imported.Draft { return imported.BundleDraft(w) }, bundleWire{}),
	imported.Publication: formOf(func(w publicationWire) imported.Draft { return imported.PublicationDraft(w) },
		publicationWire{Published: true}),
	imported.Node:   formOf(func(w nodeWire) imported.Draft { return imported.NodeDraft(w) }, nodeWire{Published: true}),
	imported.Demand: formOf(func(w demandWire) imported.Draft { return imported.DemandDraft(w) }, demandWire{Published: true}),
	imported.HowTo:  formOf(func(w howToWire) imported.Draft { return imported.HowToDraft(w) }, howToWire{}),
	imported.News:   formOf(func(w newsWire) imported.Draft { return imported.NewsDraft(w) }, newsWire{}),
}
