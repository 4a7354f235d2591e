package reading

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"plaza/domain/locale"
	"plaza/domain/publication"
	"plaza/domain/text"
)

// batch is what one page has to be translated from one language.
type batch struct {
	from  locale.Tag
	texts []string // each once
	keys  []publication.CacheKey
}

// translations are texts by the keys of their translations.
type translations map[publication.CacheKey]string

// localise gives the items that are in another language than the reader's their
// translations, as far as those can be had in time.
func (r *Reading) localise(ctx context.Context, items []Item, reader locale.Tag) {
	foreign := map[int]locale.Tag{}
	var keys []publication.CacheKey
	for i, item := range items {
		from, known := locale.Parse(item.Language)
		if !known || locale.Same(from, reader) {
			continue
		}
		foreign[i] = from
		for _, t := range textsOf(item) {
			keys = append(keys, publication.CacheKeyOf(t, from, reader, r.translator.Name()))
		}
	}
	if len(foreign) == 0 {
		return
	}
	cached, err := r.cache.Get(ctx, keys, r.now())
	if err != nil {
		r.fail(ctx, "reading the cache of translations", err)
		return
	}
	have := translations(cached)
	if have == nil {
		have = translations{}
	}
	r.translate(ctx, r.missing(items, foreign, reader, have), reader, have)
	for i, from := range foreign {
		items[i].Localised = r.localised(items[i], from, reader, have)
	}
}

// textsOf is what of the item is translated: nothing that is blank.
func textsOf(item Item) []string {
	return slices.DeleteFunc([]string{item.Title, item.Summary}, text.IsBlank)
}

// missing gathers what is not there yet, one batch for each source language.
func (r *Reading) missing(items []Item, foreign map[int]locale.Tag, reader locale.Tag, have translations) []*batch {
	var batches []*batch
	byLanguage := map[string]*batch{}
	for i := range items {
		from, isForeign := foreign[i]
		if !isForeign {
			continue
		}
		for _, t := range textsOf(items[i]) {
			key := publication.CacheKeyOf(t, from, reader, r.translator.Name())
			if _, there := have[key]; there {
				continue
			}
			b := byLanguage[from.Language()]
			if b == nil {
				b = &batch{from: from}
				byLanguage[from.Language()] = b
				batches = append(batches, b)
			}
			if !slices.Contains(b.keys, key) {
				b.keys = append(b.keys, key)
				b.texts = append(b.texts, t)
			}
		}
	}
	return batches
}

// translate adds the batches' translations that come in time. A batch that is too
// slow goes on by itself, and fills the cache.
func (r *Reading) translate(ctx context.Context, batches []*batch, reader locale.Tag, have translations) {
	done := make(chan translations, len(batches))
	for _, b := range batches {
		r.batches.Go(func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchLimit)
			defer cancel()
			done <- r.run(ctx, b, reader)
		})
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	for range batches {
		select {
		case some := <-done:
			for key, t := range some {
				have[key] = t
			}
		case <-late.C:
			r.fail(ctx, "translating a page", errors.New("not in time"))
			return
		case <-ctx.Done():
			return
		}
	}
}

// run translates the batch and keeps what came; nil when it failed.
func (r *Reading) run(ctx context.Context, b *batch, reader locale.Tag) translations {
	translated, err := r.translator.Translate(ctx, b.from, reader, b.texts)
	if err == nil && len(translated) != len(b.texts) {
		err = fmt.Errorf("%d texts came back for %d", len(translated), len(b.texts))
	}
	if err != nil {
		r.fail(ctx, "translating from "+b.from.String(), err)
		return nil
	}
	all := translations{}
	for i, key := range b.keys {
		all[key] = translated[i]
	}
	if err := r.cache.Put(ctx, all, r.now().Add(publication.CacheFor)); err != nil {
		r.fail(ctx, "keeping translations", err)
	}
	return all
}

func (r *Reading) fail(ctx context.Context, what string, err error) {
	r.failures.Add(1)
	r.log(ctx).WarnContext(ctx, what+" failed", "translator", r.translator.Name(), "error", err)
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
