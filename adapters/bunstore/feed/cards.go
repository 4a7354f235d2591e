package feed

import (
	"cmp"
	"context"
	"slices"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/feed"
)

var (
	// openedPublications finds the listed ones of the publications $1, with their texts if $2.
	openedPublications = engine.Both(`
	SELECT 'publication' AS kind, l.id, p.bundle_id, p.first_original_id, p.original_id, p.node_id, p.type, p.title, p.summary,
		p.cover, p.author_id, p.language, p.category_id, p.published, p.deleted, p.created, p.updated, COALESCE(t.html, '') AS html
	FROM feed_listings l LEFT JOIN publications p ON p.id = l.id
	LEFT JOIN publication_texts t ON t.id = l.id AND $2
	WHERE l.kind = 'publication' AND l.id = ANY($1)`)

	// openedNodes finds the listed ones of the nodes $1, with their texts if $2.
	openedNodes = engine.Both(`
	SELECT 'node' AS kind, l.id, n.bundle_id, n.title, n.summary,
		n.cover, n.author_id, n.language, n.category_id, n.published, n.deleted, n.created, n.updated, COALESCE(t.html, '') AS html
	FROM feed_listings l LEFT JOIN nodes n ON n.id = l.id
	LEFT JOIN node_texts t ON t.id = l.id AND $2
	WHERE l.kind = 'node' AND l.id = ANY($1)`)

	// openedDemands finds the listed ones of the demands $1 with their authors.
	openedDemands = engine.Both(`
	SELECT 'demand' AS kind, l.id, d.title, d.description, d.tags, d.cover, d.images, d.author_id, d.address, d.category_id,
		d.lat, d.lng, d.closed, d.starts, d.ends, d.published, d.deleted, d.created, d.updated,
		u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, s.seen
	FROM feed_listings l LEFT JOIN demands d ON d.id = l.id
	LEFT JOIN users u ON u.id = d.author_id AND u.phone NOT LIKE 'erased-%'
	LEFT JOIN presence s ON s.user_id = u.id
	WHERE l.kind = 'demand' AND l.id = ANY($1)`)
)

// translationsOfItem finds the first $3 of the visible publications whose bundle or whose bundle's first original is the
// original of the item $1 of the kind $2, a publication (but for itself) or a node.
const translationsOfItem = `
	WITH original AS MATERIALIZED (
		SELECT COALESCE(first_original_id, bundle_id) AS id FROM publications WHERE id = $1 AND $2 = 'publication'
		UNION ALL
		SELECT COALESCE(b.first_original_id, b.id) FROM nodes n JOIN bundles b ON b.id = n.bundle_id WHERE n.id = $1 AND $2 = 'node')
	SELECT id, language, title FROM publications
	WHERE bundle_id = (SELECT id FROM original) AND published AND NOT deleted AND NOT hidden AND (id <> $1 OR $2 = 'node')
	UNION
	SELECT id, language, title FROM publications
	WHERE first_original_id = (SELECT id FROM original) AND published AND NOT deleted AND NOT hidden AND (id <> $1 OR $2 = 'node')
	ORDER BY id
	LIMIT CAST($3 AS bigint)`

// opened returns the read that passes the rows of the items that are listed to fn, in any order.
func opened(db *engine.DB, kind feed.Kind, ids []int64, withTexts bool, fn func(*itemRow) error) engine.Step {
	if kind == feed.Demand {
		return engine.Each(db, fn, db.Pick(openedDemands), ids)
	}
	statement := map[feed.Kind]engine.Text{feed.Publication: openedPublications, feed.Node: openedNodes}[kind]
	return engine.Each(db, fn, db.Pick(statement), ids, withTexts)
}

// ListedItems returns the read that passes those of the items that are listed to fn, in any order.
func ListedItems(db *engine.DB, kind feed.Kind, ids []int64, fn func(feed.Item)) engine.Step {
	return opened(db, kind, ids, false, func(row *itemRow) error {
		fn(row.item())
		return nil
	})
}

// Card reads the item and its translations in one round trip.
func (v Feed) Card(ctx context.Context, kind feed.Kind, id int64) (feed.Card, error) {
	var card *feed.Card
	var translations []feed.Translation
	if !slices.Contains(feed.ItemKinds(), kind) {
		return feed.Card{}, cmp.Or[error](ctx.Err(), feed.ErrNoItem)
	}
	reads := []engine.Step{opened(v.DB, kind, []int64{id}, true, func(row *itemRow) error {
		card = &feed.Card{Item: row.item(), HTML: row.HTML}
		return nil
	})}
	if kind != feed.Demand {
		reads = append(reads, engine.Rows(v.DB, &translations, translationsOfItem, id, kind, feed.MaxTranslations))
	}
	err := v.DB.ReadRows(ctx, func() { card, translations = nil, nil }, reads...)
	switch {
	case err != nil:
		return feed.Card{}, err
	case card == nil:
		return feed.Card{}, feed.ErrNoItem
	}
	card.Translations = translations
	return *card, nil
}
