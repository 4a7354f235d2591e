// Package reading holds the use cases of reading publications and of opening items of the feed, translated into the
// reader's language as far as translations are available.
//
// Its tests are those of test/usecases/imported whose files begin with its name.
package reading

import (
	"context"
	"net/netip"
	"slices"
	"time"

	"plaza/domain/access"
	"plaza/domain/feed"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/publication"
)

// Translate returns the translations of the texts into a language that are available to the
// reader in time, who has the name for limits. Texts in that language have none.
type Translate func(ctx context.Context, reader string, texts []localisation.Text,
	to locale.Tag) map[localisation.Text]localisation.Translation

// Reading implements the use cases.
type Reading struct {
	publications publication.Repository
	feed         feed.Reader
	translate    Translate
	pictures     media.Store
	now          func() time.Time
}

// New returns the use cases over the ports; now returns the time.
func New(
	publications publication.Repository, reader feed.Reader, translate Translate, pictures media.Store, now func() time.Time,
) *Reading {
	return &Reading{publications: publications, feed: reader, translate: translate, pictures: pictures, now: now}
}

// Item is a publication. Localised is set if the publication is in another language
// than the reader's and its translation was available in time.
type Item struct {
	publication.Publication
	Localised *Localised
}

// Localised is the title and content of a publication or a node in another language (PUB-04).
type Localised struct {
	Title, Content localisation.Translation
	Source         locale.Tag // the original language
	Language       locale.Tag // the language of the translation
}

// Card is an opened item. Localised is set as in Item, for a publication or a node.
type Card struct {
	feed.Card
	Localised *Localised
}

// Feed returns a page of publications, the latest update first (PUB-01), their covers
// with URLs, translated into the language for the actor. If the language is unknown or not
// offered, they come as they were written.
func (r *Reading) Feed(ctx context.Context, actor access.Actor, q publication.Query, language locale.Tag) (page.Page[Item], error) {
	p, err := r.publications.List(ctx, q)
	if err != nil {
		return page.Page[Item]{}, err
	}
	contents := make([]publication.Content, len(p.Items))
	for i, pub := range p.Items {
		contents[i] = pub.Content
	}
	items := make([]Item, len(p.Items))
	localised := r.localise(ctx, actor.QueueKey(), contents, language)
	address := media.Public(r.pictures, r.now())
	for i, pub := range p.Items {
		items[i] = Item{pub, localised[i]}
		items[i].Cover = pub.Cover.At(address)
	}
	return page.With(p, items), nil
}

// Open returns the item, its cover with URLs, its title and content translated into the language for the actor as those
// of Feed, or for an anonymous reader at the address. It returns feed.ErrNoItem if no item of the kind with the ID is listed (FED-11).
func (r *Reading) Open(
	ctx context.Context, actor access.Actor, from netip.Addr, kind feed.Kind, id int64, language locale.Tag,
) (Card, error) {
	if !slices.Contains(feed.ItemKinds(), kind) {
		return Card{}, feed.ErrNoItem
	}
	opened, err := r.feed.Card(ctx, kind, id)
	if err != nil {
		return Card{}, err
	}
	reader := actor.QueueKeyAt(from)
	card := Card{Card: opened}
	switch thing := opened.Listable.(type) {
	case publication.Publication:
		card.Localised = r.localise(ctx, reader, []publication.Content{thing.Content}, language)[0]
	case publication.Node:
		card.Localised = r.localise(ctx, reader, []publication.Content{thing.Content}, language)[0]
	}
	card.ResolveURLs(media.Public(r.pictures, r.now()))
	return card, nil
}

// localise returns the translation of each of the contents, or nil: title and summary (PUB-08).
func (r *Reading) localise(ctx context.Context, reader string, contents []publication.Content, language locale.Tag) []*Localised {
	localised := make([]*Localised, len(contents))
	if language.IsZero() {
		return localised
	}
	texts := make([]localisation.Text, 0, 2*len(contents))
	languages := map[string]locale.Tag{} // a page has few
	for _, c := range contents {
		from, known := languages[c.Language]
		if !known {
			from, _ = locale.Parse(c.Language)
			languages[c.Language] = from
		}
		texts = append(texts, localisation.Text{Content: c.Title, Language: from}, localisation.Text{Content: c.Summary, Language: from})
	}
	translated := r.translate(ctx, reader, texts, language)
	for i := range localised {
		title, hasTitle := translated[texts[2*i]]
		content, hasContent := translated[texts[2*i+1]]
		if hasTitle && hasContent {
			localised[i] = &Localised{Title: title, Content: content, Source: texts[2*i].Language, Language: title.Language}
		}
	}
	return localised
}
