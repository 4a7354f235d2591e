package reading

import (
	"context"
	"maps"
	"slices"

	"plaza/domain/locale"
	"plaza/domain/publication"
	"plaza/domain/text"
)

// wanted is a text to translate from a language.
type wanted struct {
	key  publication.CacheKey
	from locale.Tag
	text string
}

// translations are translated texts by cache key.
type translations map[publication.CacheKey]string

// foreign is an item in another language than the reader's.
type foreign struct {
	*Item
	title, content wanted
}

// localise sets the translations of the items in other languages than the reader's, as
// far as they are available in time.
func (r *Reading) localise(ctx context.Context, items []Item, reader locale.Tag) {
	all := r.foreignItems(reader, items)
	if len(all) == 0 {
		return
	}
	var texts []wanted
	for _, f := range all {
		for _, w := range []wanted{f.title, f.content} {
			if !text.IsBlank(w.text) {
				texts = append(texts, w)
			}
		}
	}
	have, err := r.cached(ctx, texts)
	if err != nil {
		r.fail(ctx, "reading translation cache", err)
		return
	}
	maps.Copy(have, r.fetch(ctx, without(texts, have), reader))
	for _, f := range all {
		f.Localised = r.localised(f, reader, have)
	}
}

// foreignItems returns the items to translate: title and content (PUB-08).
func (r *Reading) foreignItems(reader locale.Tag, items []Item) []foreign {
	all := make([]foreign, 0, len(items))
	languages := map[string]locale.Tag{} // a page has few
	for i := range items {
		item := &items[i]
		from, known := languages[item.Language]
		if !known {
			from, _ = locale.Parse(item.Language)
			languages[item.Language] = from
		}
		if from.IsZero() || locale.Same(from, reader) {
			continue
		}
		want := func(text string) wanted {
			return wanted{publication.CacheKeyOf(text, from, reader, r.translator.Name()), from, text}
		}
		all = append(all, foreign{item, want(item.Title), want(item.Summary)})
	}
	return all
}

// cached returns the translations in the cache: one query per page.
func (r *Reading) cached(ctx context.Context, all []wanted) (translations, error) {
	kept, err := r.cache.Get(ctx, keysOf(all), r.now())
	if err != nil {
		return nil, err
	}
	have := translations{} // a copy: the caller adds to it
	maps.Copy(have, kept)
	r.counts.hits.Add(int64(len(have)))
	return have, nil
}

// without returns the texts that have no translation yet.
func without(all []wanted, have translations) []wanted {
	return slices.DeleteFunc(slices.Clone(all), func(w wanted) bool {
		_, there := have[w.key]
		return there
	})
}

// localised returns the item in the reader's language, or nil if a translation is missing.
func (r *Reading) localised(f foreign, reader locale.Tag, have translations) *publication.Localised {
	title, hasTitle := have.text(f.title)
	content, hasContent := have.text(f.content)
	if !hasTitle || !hasContent {
		return nil
	}
	return &publication.Localised{
		Title: title, Content: content,
		TitleTranslator: r.translator.Name(), ContentTranslator: r.translator.Name(),
		Source: f.title.from, Language: reader,
	}
}

// text returns the translation of the text. A blank text is its own translation.
func (t translations) text(w wanted) (string, bool) {
	if text.IsBlank(w.text) {
		return w.text, true
	}
	translated, there := t[w.key]
	return translated, there
}
