package httpapi

import (
	"plaza/domain/feed"
	"plaza/domain/locale"
	"plaza/domain/page"
	"plaza/domain/publication"
)

// listPublications returns publications, translated if the request names a language (PUB-01
// to PUB-04).
func (a *api) listPublications(c *call) (reply, error) {
	q := c.query()
	wanted := publication.Query{
		Category: q.category(), OriginOnly: q.text("origin_only") != "", Page: q.page(),
	}
	if err := q.err(); err != nil {
		return reply{}, err
	}
	language, _ := locale.Parse(c.gin.GetHeader("x-language-locale")) // an invalid locale counts as absent (PUB-05)
	items, err := a.Reading.Feed(c.ctx(), c.actor, wanted, language)
	if err != nil {
		return reply{}, err
	}
	return paged(page.Map(items, renderReading)), nil
}

// category reads the requested category; nil means any.
func (q *query) category() *feed.CategoryID {
	n, isNamed := q.integer("category_id")
	switch {
	case !isNamed:
		return nil
	case n == 0:
		return new(feed.CategoryID(-1)) // no category has this ID; zero would select the uncategorised items
	}
	return new(feed.CategoryID(n))
}
