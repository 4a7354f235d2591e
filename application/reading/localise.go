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

// foreign is an item of a page that is in another language than the reader's.
type foreign struct {
	*Item
	title, content wanted
}

// localise gives the items that are in another language than the reader's their
// translations, as far as those can be had in time.
func (r *Reading) localise(ctx context.Context, items []Item, reader locale.Tag) {
	all := r.foreignTo(reader, items)
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
		r.fail(ctx, "reading the cache of translations", err)
		return
	}
	maps.Copy(have, r.fetch(ctx, without(texts, have), reader))
	for _, f := range all {
		f.Localised = r.localised(f, reader, have)
	}
}

// foreignTo are those of the items that are to be translated: title and content (PUB-08).
func (r *Reading) foreignTo(reader locale.Tag, items []Item) []foreign {
	all := make([]foreign, 0, len(items))
	languages := map[string]locale.Tag{} // of a page there are few
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
func (r *Reading) localised(f foreign, reader locale.Tag, have translations) *publication.Localised {
	title, hasTitle := have.of(f.title)
	content, hasContent := have.of(f.content)
	if !hasTitle || !hasContent {
		return nil
	}
	return &publication.Localised{
		Title: title, Content: content,
		TitleTranslator: r.translator.Name(), ContentTranslator: r.translator.Name(),
		Source: f.title.from, Language: reader,
	}
}

// of is the text's translation; what is blank is its own.
func (t translations) of(w wanted) (string, bool) {
	if text.IsBlank(w.text) {
		return w.text, true
	}
	translated, there := t[w.key]
	return translated, there
}
