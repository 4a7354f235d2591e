package imported_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/memory"
	"plaza/application/reading"
	"plaza/domain/access"
	"plaza/domain/feed"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/media"
	"plaza/domain/publication"
	"plaza/domain/user"
	"plaza/test/content"
	"plaza/test/usecases"
)

// foreignCover is a cover with a foreign URL.
var foreignCover = media.Picture{Path: "https://covers.example/1.jpg", Sizes: []media.Size{
	{Name: "cover_sm", Width: 30, Height: 20, Path: "https://covers.example/1.jpg"},
}}

// newReading has three publications: two in English, one in French. The first has a stored
// cover, the second a foreign one.
func newReading(t *testing.T, translate reading.Translate) *reading.Reading {
	t.Helper()
	store := memory.New()
	author := usecases.OpenAccount(t, store, "+86-13900000001")
	stores := content.Stores{Accounts: store.Accounts(), Directory: store.Accounts(), Imports: store.Imports()}
	for i, p := range []publication.Content{
		{Title: "Tea", Summary: "How to make it", Language: "en-GB", Cover: media.CoverOf("public/a.jpg", "cover_sm", 30, 20)},
		{Title: "Pain", Summary: "La mie et la croûte", Language: "fr", Cover: foreignCover},
		{Title: "Bells", Summary: " ", Language: "en"},
	} {
		p.Author, p.Published = author, true
		p.Created, p.Updated = time.Now().UTC(), time.Now().UTC().Add(time.Duration(i)*time.Second)
		require.NoError(t, content.Import(t.Context(), stores, publication.Publication{ID: publication.ID(i + 1), Content: p}))
	}
	return reading.New(store.Publications(), store.Feed(), translate, memory.NewMedia("https://plaza.example", []byte("key")), time.Now)
}

// readPublications returns the page for a reader of the languages in the header.
func readPublications(t *testing.T, r *reading.Reading, header string) []reading.Item {
	t.Helper()
	tag, _ := locale.Parse(header)
	p, err := r.Feed(t.Context(), access.Actor{ID: 7}, publication.Query{}, tag)
	require.NoError(t, err)
	require.Len(t, p.Items, 3)
	return p.Items
}

// knownTranslations has these translations from French into English and records the texts that it is given.
type knownTranslations struct {
	known  map[string]string
	given  [][]localisation.Text
	reader user.ID // of the last page
}

func (tr *knownTranslations) translate(
	_ context.Context, reader user.ID, texts []localisation.Text, to locale.Tag,
) map[localisation.Text]localisation.Translation {
	tr.given, tr.reader = append(tr.given, texts), reader
	all := map[localisation.Text]localisation.Translation{}
	for _, s := range texts {
		if known := tr.known[s.Content]; known != "" && s.Language.String() == "fr" && to.String() == "en-US" {
			all[s] = localisation.Translation{Text: known, Translator: "by " + known, Language: to}
		}
	}
	return all
}

func TestPUB04_publications_come_with_the_translations_of_title_and_content(t *testing.T) {
	tr := &knownTranslations{known: map[string]string{"Pain": "Bread", "La mie et la croûte": "Crumb and crust"}}
	r := newReading(t, tr.translate)
	items := readPublications(t, r, "en-US")
	assert.Nil(t, items[0].Localised)
	assert.Nil(t, items[2].Localised)
	source, _ := locale.Parse("fr")
	target, _ := locale.Parse("en-US")
	assert.Equal(t, &reading.Localised{
		Title:   localisation.Translation{Text: "Bread", Translator: "by Bread", Language: target},
		Content: localisation.Translation{Text: "Crumb and crust", Translator: "by Crumb and crust", Language: target},
		Source:  source, Language: target,
	}, items[1].Localised)
	var given []string
	for _, s := range tr.given[0] {
		given = append(given, s.Language.String()+": "+s.Content)
	}
	assert.Equal(t, []string{"en: Bells", "en:  ", "fr: Pain", "fr: La mie et la croûte", "en-GB: Tea", "en-GB: How to make it"}, given,
		"a page is one call")
	assert.EqualValues(t, 7, tr.reader)
	for _, none := range []string{"", "auto", "*"} {
		assert.Nil(t, readPublications(t, r, none)[1].Localised, "%q", none)
	}
	assert.Len(t, tr.given, 1)
}

func TestPUB07_a_publication_with_a_part_that_is_not_translated_comes_as_it_was_written(t *testing.T) {
	for _, only := range []string{"Pain", "La mie et la croûte"} {
		tr := &knownTranslations{known: map[string]string{only: "translated"}}
		for _, item := range readPublications(t, newReading(t, tr.translate), "en-US") {
			assert.Nil(t, item.Localised, only)
		}
	}
}

func TestADM04_covers_of_publications_that_are_kept_come_with_their_addresses(t *testing.T) {
	r := newReading(t, (&knownTranslations{}).translate)
	for _, reader := range []string{"", "es"} {
		byTitle := map[string]media.Picture{}
		for _, item := range readPublications(t, r, reader) {
			byTitle[item.Title] = item.Cover
		}
		const address = "https://plaza.example/media/public/a.jpg"
		assert.Equal(t, map[string]media.Picture{
			"Tea": {Key: "public/a.jpg", Path: address, Sizes: []media.Size{
				{Name: "cover_sm", Width: 30, Height: 20, Key: "public/a.jpg", Path: address},
			}},
			"Pain": foreignCover, "Bells": {},
		}, byTitle)
	}
}

func TestFED11_an_opened_item_has_the_address_of_its_cover_and_its_translation(t *testing.T) {
	tr := &knownTranslations{known: map[string]string{"Pain": "Bread", "La mie et la croûte": "Crumb and crust"}}
	r := newReading(t, tr.translate)
	language, _ := locale.Parse("en-US")
	open := func(id int64) (reading.Card, publication.Publication) {
		card, err := r.Open(t.Context(), access.Actor{ID: 7}, feed.Publication, id, language)
		require.NoError(t, err)
		return card, card.Listable.(publication.Publication)
	}
	card, tea := open(1)
	assert.Equal(t, "https://plaza.example/media/public/a.jpg", tea.Cover.Path)
	assert.Nil(t, card.Localised)
	card, bread := open(2)
	assert.Equal(t, foreignCover, bread.Cover)
	require.NotNil(t, card.Localised)
	assert.Equal(t, "Bread", card.Localised.Title.Text)
	assert.Equal(t, "Pain", bread.Title)
	assert.EqualValues(t, 7, tr.reader)
	for _, kind := range []feed.Kind{feed.Event, "origin", ""} {
		_, err := r.Open(t.Context(), access.Actor{}, kind, 1, language)
		assert.ErrorIs(t, err, feed.ErrNoItem, "%q", kind)
	}
}
