package bench

import (
	"net/http"
	"strconv"
	"time"

	"plaza/adapters/translator/pseudo"
	"plaza/domain/access"
	"plaza/domain/locale"
	"plaza/domain/localisation"
)

type (
	translatedView struct {
		publicationView
		Localised *localisedView `json:"localized,omitempty"`
	}
	localisedView struct {
		Title      string         `json:"title"`
		Content    string         `json:"content"`
		Translator translatorView `json:"__translator"`
		Source     string         `json:"__source_language"`
		Language   string         `json:"language"`
	}
	translatorView struct {
		Title   string `json:"title"`
		Content string `json:"content"`
	}
)

// translated shows a page of publications in the reader's language, as far as translations
// are in the cache. It translates nothing.
func (f *floor) translated(r *http.Request) (any, error) {
	hash, err := hashOf(r)
	if err != nil {
		return nil, err
	}
	number, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil {
		return nil, err
	}
	var caller callerRow
	total, items := 0, make([]translatedView, 0, pageSize)
	err = f.all(r.Context(), []read{
		{readerStatement, []any{hash[:]}, func(scan scanner) error { return scan(caller.targets(f)...) }},
		{latestStatement, []any{int64(pageSize), int64((number - 1) * pageSize)}, func(scan scanner) error {
			v, err := f.publication(scan, &total)
			items = append(items, translatedView{publicationView: v})
			return err
		}},
	})
	if err != nil {
		return nil, err
	}
	now := time.Now()
	if err := caller.check(access.WritingBundle, now); err != nil {
		return nil, err
	}
	to, _ := locale.Parse(r.Header.Get("x-language-locale"))
	return paged(items, number, total), f.localise(r, items, to, caller.note(now))
}

// localise reads all translations at once, and notes the caller's presence.
func (f *floor) localise(r *http.Request, items []translatedView, to locale.Tag, presence note) error {
	name := pseudo.New().Name()
	keys := make([][]byte, 0, 2*len(items))
	texts := make(map[localisation.Key]string, 2*len(items))
	keyOf := func(text string, from locale.Tag) localisation.Key {
		return localisation.KeyOf(localisation.Text{Content: text, Language: from}, to, name)
	}
	var found []localisation.Key // by item, its title and its content
	for i := range items {
		from, _ := locale.Parse(items[i].Language)
		title, content := keyOf(items[i].Title, from), keyOf(items[i].Content, from)
		keys, found = append(keys, title[:], content[:]), append(found, title, content)
	}
	steps := append(presence.steps(f), read{translationsStatement, []any{f.keys(keys), f.at(presence.now)}, func(scan scanner) error {
		var key []byte
		var content string
		err := scan(&key, &content)
		if len(key) == len(localisation.Key{}) {
			texts[localisation.Key(key)] = content
		}
		return err
	}})
	if err := f.all(r.Context(), steps); err != nil {
		return err
	}
	for i := range items {
		title, hasTitle := texts[found[2*i]]
		content, hasContent := texts[found[2*i+1]]
		if hasTitle && hasContent {
			from, _ := locale.Parse(items[i].Language)
			items[i].Localised = &localisedView{title, content, translatorView{name, name}, from.String(), to.String()}
		}
	}
	return nil
}
