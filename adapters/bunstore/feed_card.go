package bunstore

import (
	"context"
	"fmt"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
)

// textTables are the tables of the texts of publications and nodes. Only an opened item and an export read them.
var textTables = map[feed.Kind]string{feed.Publication: "publication_texts", feed.Node: "node_texts"}

// textOf returns the expression of the text of a row of the kind's table; empty without one.
func textOf(kind feed.Kind) string {
	return "COALESCE((SELECT t.html FROM " + textTables[kind] + " t WHERE t.id = " + recordTables[kind].tableName() + ".id), '')"
}

// Card reads the item and its translations in one round trip.
func (v Feed) Card(ctx context.Context, kind feed.Kind, id int64) (feed.Card, error) {
	if _, known := v.s.hotReads.card[kind]; !known {
		kind, id = feed.Publication, 0 // no item has the number 0, and none of another kind can be opened
	}
	var cards []feed.Card
	var translations []feed.Translation
	err := v.s.Read(ctx, func(ctx context.Context) error {
		cards, translations = nil, nil
		steps := []engine.Step{{Statement: v.s.hotReads.card[kind], Args: []any{id}, Row: engine.Collect(&cards, cardReader(kind, v.s.Dialect))}}
		if others, has := v.s.hotReads.cardTranslations[kind]; has {
			steps = append(steps, engine.Step{Statement: others, Args: []any{id}, Row: engine.Collect(&translations, scanTranslation)})
		}
		return v.s.Dialect.Query(ctx, steps...)
	})
	switch {
	case err != nil:
		return feed.Card{}, err
	case len(cards) == 0:
		return feed.Card{}, feed.ErrNoItem
	}
	cards[0].Translations = translations
	return cards[0], nil
}

// cardReader returns a function that scans a row of cardStatement.
func cardReader(kind feed.Kind, d engine.Dialect) func(engine.Scanner) (feed.Card, error) {
	var total int
	item := pageShapes[kind].reader(d, &total)
	return func(scan engine.Scanner) (c feed.Card, err error) {
		c.Item, err = item(func(targets ...any) error {
			return scan(append(targets[:len(targets):len(targets)], (*string)(&c.HTML))...)
		})
		return c, err
	}
}

func scanTranslation(scan engine.Scanner) (t feed.Translation, err error) {
	err = scan(&t.ID, &t.Language, &t.Title)
	return t, err
}

// cardStatement returns the query for the listed item of the kind with the ID $1, as on a page of one item, and its
// text.
func cardStatement(kind feed.Kind) string {
	shape, text, joins := pageShapes[kind], "''", ""
	if table, has := textTables[kind]; has {
		text, joins = "COALESCE(t.html, '')", " LEFT JOIN "+table+" t ON t.id = page.id"
	}
	return "WITH page AS (SELECT id FROM feed_listings WHERE kind = '" + string(kind) + "' AND id = $1) SELECT CAST(1 AS bigint), " +
		shape.columns + ", " + text + " FROM page" + shape.joins + joins
}

// The original of the bundle of the publication, or the node, with the ID $1.
const (
	originalOfPublication = "SELECT COALESCE(first_original_id, bundle_id) AS id FROM publications WHERE id = $1"
	originalOfNode        = "SELECT COALESCE(b.first_original_id, b.id) AS id FROM nodes n JOIN bundles b ON b.id = n.bundle_id WHERE n.id = $1"
)

// cardTranslations returns the query for the visible publications of the original. The condition leaves out others.
func cardTranslations(d engine.Dialect, original, condition string) string {
	by := func(column string) string {
		return "SELECT p.id, p.language, p.title FROM original o " +
			d.LookUp("publications p", "p."+column+" = o.id AND p.published AND NOT p.deleted"+condition)
	}
	return "WITH original AS MATERIALIZED (" + original + ") SELECT id, language, title FROM (" + by("bundle_id") + " UNION " + by("first_original_id") +
		fmt.Sprintf(") t ORDER BY id LIMIT %d", feed.MaxTranslations)
}

// addCards builds the reads of opened items.
func (s *feedStatements) addCards(d engine.Dialect) {
	s.card = map[feed.Kind]string{}
	for _, kind := range feed.ItemKinds() {
		s.card[kind] = cardStatement(kind)
	}
	s.cardTranslations = map[feed.Kind]string{
		feed.Publication: cardTranslations(d, originalOfPublication, " AND p.id <> $1"),
		feed.Node:        cardTranslations(d, originalOfNode, ""),
	}
}
