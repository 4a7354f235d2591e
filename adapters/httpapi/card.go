package httpapi

import (
	"fmt"

	"plaza/adapters/httpapi/transport"
	"plaza/application/reading"
	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/markup"
	"plaza/domain/publication"
)

// openFeedItem returns one item of the feed with its text (FED-11).
func (a *api) openFeedItem(c *transport.Call) (transport.Reply, error) {
	id, err := transport.PathID[int64](c)
	if err != nil {
		return transport.Reply{}, err
	}
	card, err := a.Reading.Open(c.Context(), c.Actor, feed.Kind(c.Gin.Param("entity_type")), id, languageOf(c))
	if err != nil {
		return transport.Reply{}, err
	}
	authors, members := demandersIn([]feed.Item{card.Item})
	people, err := a.describe(members, authors)
	return transport.WithETag(transport.Data(people.renderCard(card))), err
}

// textView is what an opened publication or node has beyond the list's item.
type textView struct {
	HTML         markup.HTML       `json:"html_content"`
	Translations []translationView `json:"translations"`
}

type translationView struct {
	ID       int64  `json:"id"`
	Language string `json:"language"`
	Title    string `json:"title"`
}

type publicationCard struct {
	publicationItem
	textView
}

type nodeCard struct {
	nodeItem
	textView
	Localised *localisedView `json:"localized,omitempty"`
}

func (people users) renderCard(c reading.Card) any {
	text := textView{c.HTML, mapSlice(c.Translations, func(t feed.Translation) translationView { return translationView(t) })}
	switch thing := c.Listable.(type) {
	case publication.Publication:
		return publicationCard{renderReading(reading.Item{Publication: thing, Localised: c.Localised}), text}
	case publication.Node:
		return nodeCard{renderNode(thing), text, renderLocalised(c.Localised)}
	case demand.Demand:
		return people.renderDemand(thing, nil)
	}
	panic(fmt.Sprintf("httpapi: unknown feed item %T", c.Listable))
}
