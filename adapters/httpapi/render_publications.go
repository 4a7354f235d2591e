package httpapi

import (
	"plaza/application/reading"
	"plaza/domain/feed"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// publicationItem is a publication in a feed (FED-08).
type publicationItem struct {
	ID         publication.ID       `json:"id"`
	BundleID   publication.BundleID `json:"bundle_id"`
	NodeID     publication.NodeID   `json:"node_id"`
	Title      string               `json:"title"`
	Content    string               `json:"content"`
	Type       publication.Type     `json:"pub_type"`
	Cover      string               `json:"cover_image"`
	Covers     picture              `json:"cover_images"`
	Author     user.ID              `json:"author"`
	UpdateAt   timestamp            `json:"update_at"`
	Bundle     bundleView           `json:"bundle"`
	Language   string               `json:"language"`
	EntityType feed.Kind            `json:"entity_type"`
	EntityID   publication.ID       `json:"entity_id"`
	Kind       string               `json:"kind"`
	Localised  *localisedView       `json:"localized,omitempty"`
}

type bundleView struct {
	FirstOriginal *publication.BundleID `json:"first_original_id"`
	Original      *publication.BundleID `json:"original_id"`
}

// localisedView is a publication's text in the reader's language (PUB-04).
type localisedView struct {
	Title      string         `json:"title"`
	Content    string         `json:"content"`
	Translator translatorView `json:"__translator"`
	Source     string         `json:"__source_language"`
	Language   string         `json:"language"`
}

type translatorView struct {
	Title   string `json:"title"`
	Content string `json:"content"`
}

func renderPublication(p publication.Publication) publicationItem {
	return publicationItem{
		ID: p.ID, BundleID: p.Bundle.ID, NodeID: p.Node, Title: p.Title, Content: p.Summary, Type: p.Type,
		Cover: p.Cover.Path, Covers: renderPicture(p.Cover), Author: p.Author, UpdateAt: timestamp(p.Updated),
		Bundle:   bundleView{orNull(p.Bundle.FirstOriginal), orNull(p.Bundle.Original)},
		Language: p.Language, EntityType: feed.Publication, EntityID: p.ID, Kind: inFeed,
	}
}

func renderReading(i reading.Item) publicationItem {
	view := renderPublication(i.Publication)
	if l := i.Localised; l != nil {
		view.Localised = &localisedView{
			Title: l.Title.Text, Content: l.Content.Text,
			Translator: translatorView{l.Title.Translator, l.Content.Translator},
			Source:     l.Source.String(), Language: l.Language.String(),
		}
	}
	return view
}
