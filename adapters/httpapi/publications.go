package httpapi

import (
	"plaza/adapters/httpapi/transport"
	"plaza/adapters/httpapi/view"
	"plaza/application/reading"
	"plaza/domain/feed"
	"plaza/domain/locale"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// listPublications returns publications, translated if the request names a language (PUB-01
// to PUB-04).
func (a *api) listPublications(c *transport.Call) (transport.Reply, error) {
	q := c.Query()
	wanted := publication.Query{
		Category: categoryIn(q), OriginOnly: q.Text("origin_only") != "", Page: q.Page(),
	}
	if err := q.Err(); err != nil {
		return transport.Reply{}, err
	}
	items, err := a.Reading.Feed(c.Context(), c.Actor, wanted, languageOf(c))
	return transport.Paged(c, page.Map(items, renderReading)), err
}

// languageOf returns the reader's language. An invalid locale counts as absent (PUB-05).
func languageOf(c *transport.Call) locale.Tag {
	language, _ := locale.Parse(c.Gin.GetHeader("x-language-locale"))
	return language
}

// categoryIn reads the requested category; nil means any.
func categoryIn(q *transport.Query) *feed.CategoryID {
	n, isNamed := q.Integer("category_id")
	switch {
	case !isNamed:
		return nil
	case n == 0:
		return new(feed.CategoryID(-1)) // no category has this ID; zero would select the uncategorised items
	}
	return new(feed.CategoryID(n))
}

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
	UpdateAt   transport.Timestamp  `json:"update_at"`
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
		Cover: p.Cover.Path, Covers: renderPicture(p.Cover), Author: p.Author, UpdateAt: transport.Timestamp(p.Updated),
		Bundle:   bundleView{view.OrNull(p.Bundle.FirstOriginal), view.OrNull(p.Bundle.Original)},
		Language: p.Language, EntityType: feed.Publication, EntityID: p.ID, Kind: inFeed,
	}
}

func renderReading(i reading.Item) publicationItem {
	view := renderPublication(i.Publication)
	view.Localised = renderLocalised(i.Localised)
	return view
}

// renderLocalised returns the view of the translation, or nil.
func renderLocalised(l *reading.Localised) *localisedView {
	if l == nil {
		return nil
	}
	return &localisedView{
		Title: l.Title.Text, Content: l.Content.Text,
		Translator: translatorView{l.Title.Translator, l.Content.Translator},
		Source:     l.Source.String(), Language: l.Language.String(),
	}
}
