package feed

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/feed"
	"plaza/domain/markup"
	"plaza/domain/page"
	"plaza/domain/publication"
)

// Each page below is selected from an index of listings alone; only its items are looked up.
//
// SQLite prepares a statement again for each value of a parameter that is a bare LIMIT, or that may be compared with the
// condition of a partial index. CAST prevents this.
const (
	// publicationsOfCategory finds the publications in the category $1, the newest first, $2 of them after $3 behind
	// the one $5 that was created at $4.
	publicationsOfCategory = `
	WITH page AS (
		SELECT id, created FROM feed_listings
		WHERE category_id = $1 AND kind = 'publication' AND (created < $4 OR created = $4 AND id > $5)
		ORDER BY created DESC, id
		LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint))
	SELECT 'publication' AS kind, page.id, p.bundle_id, p.first_original_id, p.original_id, p.node_id, p.type, p.title, p.summary,
		p.cover, p.author_id, p.language, p.category_id, p.published, p.deleted, p.created, p.updated,
		(SELECT CAST(SUM(count) AS bigint) FROM feed_counters WHERE category_id = $1 AND kind = 'publication') AS total
	FROM page LEFT JOIN publications p ON p.id = page.id
	ORDER BY page.created DESC, page.id`

	// nodesOfCategory is publicationsOfCategory for nodes.
	nodesOfCategory = `
	WITH page AS (
		SELECT id, created FROM feed_listings
		WHERE category_id = $1 AND kind = 'node' AND (created < $4 OR created = $4 AND id > $5)
		ORDER BY created DESC, id
		LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint))
	SELECT 'node' AS kind, page.id, n.bundle_id, n.title, n.summary,
		n.cover, n.author_id, n.language, n.category_id, n.published, n.deleted, n.created, n.updated,
		(SELECT CAST(SUM(count) AS bigint) FROM feed_counters WHERE category_id = $1 AND kind = 'node') AS total
	FROM page LEFT JOIN nodes n ON n.id = page.id
	ORDER BY page.created DESC, page.id`

	// demandsOfCategory is publicationsOfCategory for demands, with their authors.
	demandsOfCategory = `
	WITH page AS (
		SELECT id, created FROM feed_listings
		WHERE category_id = $1 AND kind = 'demand' AND (created < $4 OR created = $4 AND id > $5)
		ORDER BY created DESC, id
		LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint))
	SELECT 'demand' AS kind, page.id, d.title, d.description, d.tags, d.cover, d.images, d.author_id, d.address, d.category_id,
		d.lat, d.lng, d.closed, d.starts, d.ends, d.published, d.deleted, d.created, d.updated,
		u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, s.seen,
		(SELECT CAST(SUM(count) AS bigint) FROM feed_counters WHERE category_id = $1 AND kind = 'demand') AS total
	FROM page LEFT JOIN demands d ON d.id = page.id
	LEFT JOIN users u ON u.id = d.author_id AND u.phone NOT LIKE 'erased-%'
	LEFT JOIN presence s ON s.user_id = u.id
	ORDER BY page.created DESC, page.id`

	// itemsOfCategory is publicationsOfCategory for the items of the kinds $7 to $10, behind the one of the kind $6.
	itemsOfCategory = `
	WITH page AS (
		SELECT kind, id, created FROM feed_listings
		WHERE category_id = $1 AND kind IN ('demand', 'node', 'publication')
			AND kind IN (CAST($7 AS text), CAST($8 AS text), CAST($9 AS text), CAST($10 AS text))
			AND (created < $4 OR created = $4 AND (kind, id) > (CAST($6 AS text), $5))
		ORDER BY created DESC, kind, id
		LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint))
	SELECT page.kind, page.id, COALESCE(p.bundle_id, n.bundle_id) AS bundle_id, p.first_original_id, p.original_id, p.node_id,
		COALESCE(p.type, 0) AS type, COALESCE(p.title, n.title, d.title) AS title, COALESCE(p.summary, n.summary, '') AS summary,
		COALESCE(d.description, '') AS description, d.tags,
		COALESCE(p.cover, n.cover, d.cover) AS cover, d.images, COALESCE(p.author_id, n.author_id, d.author_id) AS author_id,
		COALESCE(p.language, n.language, '') AS language, COALESCE(d.address, '') AS address,
		COALESCE(p.category_id, n.category_id, d.category_id) AS category_id,
		d.lat, d.lng, d.closed, d.starts, d.ends,
		COALESCE(p.published, n.published, d.published) AS published, COALESCE(p.deleted, n.deleted, d.deleted) AS deleted,
		COALESCE(p.created, n.created, d.created) AS created, COALESCE(p.updated, n.updated, d.updated) AS updated,
		u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, s.seen,
		(SELECT CAST(SUM(count) AS bigint) FROM feed_counters WHERE category_id = $1 AND kind IN ($7, $8, $9, $10)) AS total
	FROM page
	LEFT JOIN publications p ON p.id = CASE page.kind WHEN 'publication' THEN page.id END
	LEFT JOIN nodes n ON n.id = CASE page.kind WHEN 'node' THEN page.id END
	LEFT JOIN demands d ON d.id = CASE page.kind WHEN 'demand' THEN page.id END
	LEFT JOIN users u ON u.id = d.author_id AND u.phone NOT LIKE 'erased-%'
	LEFT JOIN presence s ON s.user_id = u.id
	ORDER BY page.created DESC, page.kind, page.id`

	// demandsNear finds the demands in the category $11 that are within the circle of treeNear, the newest first, $12 of them after
	// $13 behind the one $15 that was created at $14.
	demandsNear = `
	WITH there AS MATERIALIZED (
		SELECT id, created FROM feed_listings
		WHERE category_id = $11 AND lat BETWEEN $1 AND $2
			AND CASE WHEN lng BETWEEN $3 AND $4 OR lng BETWEEN $5 AND $6
				THEN power(sin(radians(lat - $7) / 2), 2) + cos(radians(lat)) * $8 * power(sin(radians(lng - $9) / 2), 2) <= $10
				ELSE FALSE END),
	page AS (
		SELECT id, created FROM there
		WHERE created < $14 OR created = $14 AND id > $15
		ORDER BY created DESC, id
		LIMIT CAST($12 AS bigint) OFFSET CAST($13 AS bigint))
	SELECT 'demand' AS kind, page.id, d.title, d.description, d.tags, d.cover, d.images, d.author_id, d.address, d.category_id,
		d.lat, d.lng, d.closed, d.starts, d.ends, d.published, d.deleted, d.created, d.updated,
		u.id AS member_id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, u.avatar, s.seen,
		(SELECT COUNT(*) FROM there) AS total
	FROM page LEFT JOIN demands d ON d.id = page.id
	LEFT JOIN users u ON u.id = d.author_id AND u.phone NOT LIKE 'erased-%'
	LEFT JOIN presence s ON s.user_id = u.id
	ORDER BY page.created DESC, page.id`

	// latestPublications finds the publications (the kind $1 is publication) or the origins among them (origin), the
	// latest update first, $2 of them after $3 behind the one $5 that was updated at $4.
	latestPublications = `
	WITH page AS (
		SELECT id, updated FROM feed_listings
		WHERE kind = CAST($1 AS text) AND kind IN ('origin', 'publication') AND (updated < $4 OR updated = $4 AND id > $5)
		ORDER BY updated DESC, id
		LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint))
	SELECT 'publication' AS kind, page.id, p.bundle_id, p.first_original_id, p.original_id, p.node_id, p.type, p.title, p.summary,
		p.cover, p.author_id, p.language, p.category_id, p.published, p.deleted, p.created, p.updated,
		(SELECT CAST(COALESCE(SUM(count), 0) AS bigint) FROM feed_totals WHERE kind = $1) AS total
	FROM page LEFT JOIN publications p ON p.id = page.id
	ORDER BY page.updated DESC, page.id`

	// latestOfCategory is latestPublications for the category $6.
	latestOfCategory = `
	WITH page AS (
		SELECT id, updated FROM feed_listings
		WHERE category_id = $6 AND kind = CAST($1 AS text) AND (updated < $4 OR updated = $4 AND id > $5)
		ORDER BY updated DESC, id
		LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint))
	SELECT 'publication' AS kind, page.id, p.bundle_id, p.first_original_id, p.original_id, p.node_id, p.type, p.title, p.summary,
		p.cover, p.author_id, p.language, p.category_id, p.published, p.deleted, p.created, p.updated,
		(SELECT CAST(COALESCE(SUM(count), 0) AS bigint) FROM feed_counters WHERE category_id = $6 AND kind = $1) AS total
	FROM page LEFT JOIN publications p ON p.id = page.id
	ORDER BY page.updated DESC, page.id`
)

// itemRow is a publication, node or demand of a page, with the author of a demand. What its kind lacks is zero.
type itemRow struct {
	Kind feed.Kind
	ContentFields
	publicationFields
	demandFields
	HTML markup.HTML `bun:"html"`
	people.MemberRow
	engine.PageRow
}

func (r itemRow) item() feed.Item {
	switch r.Kind {
	case feed.Publication:
		return feed.Item{Listable: r.publication()}
	case feed.Node:
		return feed.Item{Listable: NodeRow{ContentFields: r.ContentFields}.Record()}
	}
	i := feed.Item{Listable: DemandRow{recordFields: r.recordFields, demandFields: r.demandFields}.Record()}
	if r.MemberID != 0 {
		i.Author = new(r.Member())
	}
	return i
}

// publication returns the row as a publication.
func (r itemRow) publication() publication.Publication {
	return PublicationRow{ContentFields: r.ContentFields, publicationFields: r.publicationFields}.Publication()
}

// atCreation returns the key of the row in a list of its category.
func (r itemRow) atCreation() page.Cursor {
	l, _ := r.item().Listing()
	return l.AtCursor()
}

func (v Feed) Page(
	ctx context.Context, in feed.CategoryID, sel feed.Selection, r page.Request,
) (page.Page[feed.Item], error) {
	created, _, id := engine.Behind(r)
	statement, args := itemsOfCategory, []any{in, r.Limit(), r.Offset(), created, -id}
	switch {
	case slices.Contains(sel.Kinds, feed.Event):
		return page.Page[feed.Item]{}, errors.New("feed pages do not list events")
	case sel.Near != nil && slices.Contains(sel.Kinds, feed.Demand):
		statement, args = demandsNear, append(nearArgs(*sel.Near), args...)
	case sel.Near != nil: // no other kind has a place
		args = append(append(args, r.After().Word), kindArgs(nil)...)
	case len(sel.Kinds) == 1:
		statement = map[feed.Kind]string{
			feed.Publication: publicationsOfCategory, feed.Node: nodesOfCategory, feed.Demand: demandsOfCategory,
		}[sel.Kinds[0]]
	default:
		args = append(append(args, r.After().Word), kindArgs(sel.Kinds)...)
	}
	rows, err := engine.PageOf(ctx, v.DB, r, itemRow.atCreation, statement, args...)
	if len(rows.Items) == 0 && in != 0 {
		found, unknown := Categories(v).ByIDs(ctx, []feed.CategoryID{in})
		if unknown == nil && len(found) == 0 {
			unknown = feed.ErrNoCategory
		}
		err = cmp.Or(unknown, err)
	}
	if err != nil {
		return page.Page[feed.Item]{}, err
	}
	return page.Map(rows, func(row itemRow) feed.Item {
		i := row.item()
		if l, listed := i.Listing(); listed && l.Point != nil && sel.Near != nil {
			i.Distance = new(sel.Near.Centre.To(*l.Point).Rounded())
		}
		return i
	}), nil
}

// Publications implements publication.Repository.
type Publications struct{ DB *engine.DB }

func (v Publications) List(ctx context.Context, q publication.Query) (page.Page[publication.Publication], error) {
	kind, statement := feed.Publication, latestPublications
	if q.OriginOnly {
		kind = Origins
	}
	updated, _, id := engine.Behind(q.Page)
	args := []any{kind, q.Page.Limit(), q.Page.Offset(), updated, -id}
	if q.Category != nil {
		statement, args = latestOfCategory, append(args, *q.Category)
	}
	key := func(row itemRow) page.Cursor { return row.publication().AtUpdate() }
	rows, err := engine.PageOf(ctx, v.DB, q.Page, key, statement, args...)
	return page.Map(rows, itemRow.publication), err
}
