// Package reading holds the use case of reading publications, translated into the reader's
// language as far as translations are available.
//
// Its tests are those of test/usecases/imported whose files begin with its name.
package reading

import (
	"context"
	"time"

	"plaza/domain/access"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/media"
	"plaza/domain/page"
	"plaza/domain/publication"
	"plaza/domain/user"
)

// Translate returns the translations of the texts into a language that are available to the
// reader in time. Texts in that language have none.
type Translate func(ctx context.Context, reader user.ID, texts []localisation.Text, to locale.Tag) map[localisation.Text]localisation.Translation

// Reading implements the use case.
type Reading struct {
	publications publication.Repository
	translate    Translate
	pictures     media.Store
	now          func() time.Time
}

// New returns the use case over the ports; now returns the time.
func New(publications publication.Repository, translate Translate, pictures media.Store, now func() time.Time) *Reading {
	return &Reading{publications: publications, translate: translate, pictures: pictures, now: now}
}

// Item is a publication. Localised is set if the publication is in another language
// than the reader's and its translation was available in time.
type Item struct {
	publication.Publication
	Localised *Localised
}

// Localised is a publication's title and content in another language (PUB-04).
type Localised struct {
	Title, Content localisation.Translation
	Source         locale.Tag // the original language
	Language       locale.Tag // the language of the translation
}

// Feed returns a page of publications, the latest update first (PUB-01), their covers
// with URLs, translated into the language for the actor. If the language is unknown or not
// offered, they come as they were written.
func (r *Reading) Feed(ctx context.Context, actor access.Actor, q publication.Query, language locale.Tag) (page.Page[Item], error) {
	p, err := r.publications.List(ctx, q)
	if err != nil {
		return page.Page[Item]{}, err
	}
	items := make([]Item, len(p.Items))
	address := media.Public(r.pictures, r.now())
	for i, pub := range p.Items {
		items[i] = Item{Publication: pub}
		items[i].Cover = pub.Cover.At(address)
	}
	r.localise(ctx, actor.ID, items, language)
	return page.With(p, items), nil
}

// localise sets the translations of the items: title and content (PUB-08).
func (r *Reading) localise(ctx context.Context, reader user.ID, items []Item, language locale.Tag) {
	if language.IsZero() {
		return
	}
	texts := make([]localisation.Text, 0, 2*len(items))
	languages := map[string]locale.Tag{} // a page has few
	for _, item := range items {
		from, known := languages[item.Language]
		if !known {
			from, _ = locale.Parse(item.Language)
			languages[item.Language] = from
		}
		texts = append(texts, localisation.Text{Content: item.Title, Language: from}, localisation.Text{Content: item.Summary, Language: from})
	}
	translated := r.translate(ctx, reader, texts, language)
	for i := range items {
		title, hasTitle := translated[texts[2*i]]
		content, hasContent := translated[texts[2*i+1]]
		if hasTitle && hasContent {
			items[i].Localised = &Localised{Title: title, Content: content, Source: texts[2*i].Language, Language: title.Language}
		}
	}
}
