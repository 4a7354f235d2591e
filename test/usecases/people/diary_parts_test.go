package people_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/diary"
	"plaza/domain/event"
)

// askedRelated keeps what related data was asked for.
type askedRelated struct {
	event.RelatedReader
	asked *event.RelatedQuery
}

func (a askedRelated) Load(ctx context.Context, q event.RelatedQuery) (event.Related, error) {
	*a.asked = q
	return a.RelatedReader.Load(ctx, q)
}

func TestGEN17_related_data_that_is_not_asked_for_is_not_read(t *testing.T) {
	var asked event.RelatedQuery
	w := newDiaryFixture(t, func(p *diary.Ports) { p.Related = askedRelated{p.Related, &asked} })
	id := w.published(t, w.ann, "mine", event.Public)
	_, err := w.Comment(t.Context(), w.bob, id, "hello", 0, nil, nil)
	require.NoError(t, err)
	for _, parts := range []diary.Parts{{}, {Moment: true}, {News: true}, {Comments: true}, diary.AllParts} {
		_, err := w.Read(t.Context(), w.bob, id, parts)
		require.NoError(t, err)
		assert.Equal(t, parts, diary.Parts{
			Moment: len(asked.Dates) > 0, News: len(asked.DaysInCities) > 0, Comments: len(asked.CommentsFor) > 0,
		})
		assert.NotEmpty(t, asked.People, "the author")
	}
}
