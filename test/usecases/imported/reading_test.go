package imported_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/reading"
	"plaza/domain/access"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/publication"
	"plaza/test/content"
	"plaza/test/memory"
	"plaza/test/usecases"
)

func TestPUB07_a_page_is_one_call_and_what_is_translated_in_part_comes_as_it_was_written(t *testing.T) {
	store := memory.New()
	author := usecases.OpenAccount(t, store, "+86-13900000001")
	stores := content.Stores{Accounts: store.Accounts, Directory: store.Directory, Imports: store.Imports}
	for i, p := range []publication.Content{
		{Title: "Bells", Summary: " ", Language: "en"},
		{Title: "Pain", Summary: "La mie et la croûte", Language: "fr"},
	} {
		p.Author, p.Published, p.Created, p.Updated = author, true, usecases.Noon, usecases.Noon.Add(time.Duration(i))
		require.NoError(t, content.Import(t.Context(), stores, publication.Publication{ID: publication.ID(i + 1), Content: p}))
	}
	for _, known := range [][]string{{"Pain"}, {"La mie et la croûte"}, {"Pain", "La mie et la croûte"}} {
		var given []string
		translate := func(
			_ context.Context, reader string, texts []localisation.Text, to locale.Tag,
		) map[localisation.Text]localisation.Translation {
			assert.Equal(t, "user 7", reader)
			all := map[localisation.Text]localisation.Translation{}
			for _, s := range texts {
				given = append(given, s.Language.String()+": "+s.Content)
				if slices.Contains(known, s.Content) {
					all[s] = localisation.Translation{Text: "translated", Language: to}
				}
			}
			return all
		}
		r := reading.New(store.Publications, store.Feed, translate, memory.NewMedia("https://plaza.example", []byte("key")), time.Now)
		english, _ := locale.Parse("en-US")
		p, err := r.Feed(t.Context(), access.Actor{ID: 7}, publication.Query{}, english)
		require.NoError(t, err)
		assert.ElementsMatch(t, []string{"en: Bells", "en:  ", "fr: Pain", "fr: La mie et la croûte"}, given, "each once")
		for _, item := range p.Items {
			assert.Equal(t, item.Language == "fr" && len(known) == 2, item.Localised != nil, known)
		}
	}
}
