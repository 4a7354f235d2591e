package reading

import (
	"context"
	"maps"
	"slices"

	"plaza/domain/locale"
	"plaza/domain/publication"
	"plaza/domain/text"
)

// wanted is a text that has to be translated from a language.
type wanted struct {
	key  publication.CacheKey
	from locale.Tag
	text string
}

// translations are texts by the keys of their translations.
type translations map[publication.CacheKey]string

// localise gives the items that are in another language than the reader's their
// translations, as far as those can be had in time.
func (r *Reading) localise(ctx context.Context, items []Item, reader locale.Tag) {
	foreign := map[int]locale.Tag{}
	var all []wanted
	for i, item := range items {
		from, known := locale.Parse(item.Language)
		if !known || locale.Same(from, reader) {
			continue
		}
		foreign[i] = from
		for _, t := range textsOf(item) {
			all = append(all, wanted{publication.CacheKeyOf(t, from, reader, r.translator.Name()), from, t})
		}
	}
	if len(foreign) == 0 {
		return
	}
	have, err := r.cached(ctx, all)
	if err != nil {
		r.fail(ctx, "reading the cache of translations", err)
		return
	}
	missing := without(all, have)
	maps.Copy(have, r.fetch(ctx, missing, reader))
	for i, from := range foreign {
		items[i].Localised = r.localised(items[i], from, reader, have)
	}
}

// textsOf is what of the item is translated (PUB-08): nothing that is blank.
func textsOf(item Item) []string {
	return slices.DeleteFunc([]string{item.Title, item.Summary}, text.IsBlank)
}

// cached is what of the texts the cache has: one query for a page.
func (r *Reading) cached(ctx context.Context, all []wanted) (translations, error) {
	kept, err := r.cache.Get(ctx, keysOf(all), r.now())
	if err != nil {
		return nil, err
	}
	have := translations{} // of our own: what is fetched is added
	maps.Copy(have, kept)
	r.counts.hits.Add(int64(len(have)))
	return have, nil
}

// without returns those of the texts that are not there yet.
func without(all []wanted, have translations) []wanted {
	return slices.DeleteFunc(slices.Clone(all), func(w wanted) bool {
		_, there := have[w.key]
		return there
	})
}

// localised is the item in the reader's language; nil unless all of it is there.
func (r *Reading) localised(item Item, from, reader locale.Tag, have translations) *publication.Localised {
	of := func(s string) (string, bool) {
		if text.IsBlank(s) {
			return s, true
		}
		t, there := have[publication.CacheKeyOf(s, from, reader, r.translator.Name())]
		return t, there
	}
	title, hasTitle := of(item.Title)
	content, hasContent := of(item.Summary)
	if !hasTitle || !hasContent {
		return nil
	}
	return &publication.Localised{
		Title: title, Content: content,
		TitleTranslator: r.translator.Name(), ContentTranslator: r.translator.Name(),
		Source: from, Language: reader,
	}
}
