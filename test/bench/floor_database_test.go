package bench

import (
	"context"
	"time"
)

// scanner reads the row that a query is at.
type scanner = func(into ...any) error

// database is what the floor needs of one.
type database interface {
	// query runs the statement, which is prepared but once on every connection.
	query(ctx context.Context, s statement, args []any, row func(scanner) error) error
	// edit notes who has been seen, makes the reads and the change in as few round
	// trips as the database allows, and says whether the event had the revision still.
	edit(ctx context.Context, c change, reads []read) (bool, error)

	// moment, day and list are where such a column is scanned into.
	moment(into *time.Time) any
	day(into *string) any
	list(into *[]string) any
	// names and ids are lists as parameters.
	names(values []string) any
	ids(values []int64) any
}

// read is a query whose rows are wanted.
type read struct {
	statement statement
	args      []any
	row       func(scanner) error
}

// change is what is written when an author edits the title of an event.
type change struct {
	event, revision          int64
	title                    string
	province, city, district string
	modified                 time.Time
	isListed                 bool
	category                 int64 // whose counter counts the event; zero: uncategorised

	// The caller's presence to note, if that is due.
	isStale     bool
	token, user int64
	now         time.Time
}

func (c change) shard() int64 { return c.event % 8 }

// due is the latest use that must be noted again.
func (c change) due() time.Time { return c.now.Add(-noteEvery) }

const noteEvery = time.Minute

// statement is one that every database has a text for.
type statement int

const (
	secretStatement   statement = iota
	pageStatement               // $1 size, $2 offset, $3 category
	nearStatement               // $1 size, $2 category, $3 to $8 the box, $9 and $10 its centre, $11 the haversine
	treeStatement               // $1 kinds
	imagesStatement             // $1 owner, $2 all of these tags
	anyImageStatement           // $1 owner, $2 any of these tags
	peopleStatement             // $1 ids
	callStatement               // $1 hash of a key, $2 event
	momentStatement             // $1 day, $2 event, $3 viewer
	newsStatement               // $1 day, $2 city
	anyNewsStatement            // $1 day
	talkStatement               // $1 event
	useStatement                // $1 token, $2 now, $3 due
	seenStatement               // $1 user, $2 now, $3 due
	changeStatement             // $1 to $7 event, revision, title, province, city, district, modified
	listingStatement            // $1 event, $2 modified
	counterStatement            // $1 category, $2 shard, $3 modified
	statements                  // how many there are
)

// phrases are what differs between the databases.
type phrases struct {
	among func(column, parameter string) string
	allOf func(column, parameter string) string
	anyOf func(column, parameter string) string
}

// readTexts are the statements that both databases have in common.
func readTexts(p phrases) (texts [statements]string) {
	texts[secretStatement] = `SELECT content FROM secrets WHERE name = $1`
	texts[pageStatement] = `WITH page AS (
			SELECT id, created FROM feed_listings WHERE category_id = $3 AND kind = 'publication'
			ORDER BY created DESC, id LIMIT $1 OFFSET $2
		)
		SELECT CAST((SELECT SUM(count) FROM feed_counters WHERE category_id = $3 AND kind = 'publication') AS bigint),
			p.id, p.bundle_id, p.node_id, p.title, p.summary, p.type, p.cover, p.author_id, p.updated,
			p.first_original_id, p.original_id, p.language
		FROM page JOIN publications p ON p.id = page.id ORDER BY page.created DESC, page.id`
	texts[nearStatement] = `WITH near AS MATERIALIZED (
			SELECT l.id, l.created FROM feed_listings l
			WHERE l.category_id = $2 AND l.kind = 'demand' AND l.lat BETWEEN $3 AND $4
				AND (l.lng BETWEEN $5 AND $6 OR l.lng BETWEEN $7 AND $8)
				AND power(sin(radians(l.lat - $9) / 2), 2)
					+ cos(radians(l.lat)) * cos(radians($9)) * power(sin(radians(l.lng - $10) / 2), 2) <= $11
		), page AS (SELECT id, created FROM near ORDER BY created DESC, id LIMIT $1)
		SELECT (SELECT COUNT(*) FROM near), d.id, d.title, d.description, d.tags, d.cover, d.images, d.address, d.lat, d.lng,
			d.closed, d.starts, d.ends, d.created, d.updated, ` + memberColumns + `
		FROM page JOIN demands d ON d.id = page.id JOIN users u ON u.id = d.author_id LEFT JOIN presence w ON w.user_id = u.id
		ORDER BY page.created DESC, page.id`
	texts[treeStatement] = `WITH counted AS (
			SELECT category_id, CAST(SUM(count) AS bigint) AS count, MAX(created) AS created, MAX(updated) AS updated
			FROM feed_counters WHERE ` + p.among("kind", "$1") + ` GROUP BY category_id HAVING SUM(count) > 0
		)
		SELECT c.id, c.parent_id, c.name, c.slug, COALESCE(k.count, 0), k.created, k.updated
		FROM categories c LEFT JOIN counted k ON k.category_id = c.id
		UNION ALL
		SELECT 0, NULL, '', '', k.count, k.created, k.updated FROM counted k WHERE k.category_id = 0`
	images := `SELECT id, key, width, height, tags, created FROM images WHERE owner_id = $1 AND deleted IS NULL AND `
	texts[imagesStatement] = images + p.allOf("tags", "$2") + ` ORDER BY created DESC, id DESC`
	texts[anyImageStatement] = images + p.anyOf("tags", "$2") + ` ORDER BY created DESC, id DESC`
	texts[peopleStatement] = `SELECT ` + memberColumns + ` FROM users u LEFT JOIN presence w ON w.user_id = u.id WHERE ` + p.among("u.id", "$1")
	eventTexts(&texts)
	return texts
}

// categoryName is looked up for the rows that are left; a join would read all
// categories.
const categoryName = "(SELECT c.name FROM categories c WHERE c.id = e.category_id)"

// eventTexts are those of an edit.
func eventTexts(texts *[statements]string) {
	texts[callStatement] = `SELECT t.id, t.scopes, t.generation, t.ttl, x.used, u.scopes, u.disabled, u.generation, ` + memberColumns + `,
			e.author_id, e.day, e.title, e.content, e.html, e.category_id, ` + categoryName + `, e.permission, e.status,
			e.province, e.city, e.district, e.created, e.modified, e.revision, n.comments, n.likes, q.id, q.photo, q.created
		FROM tokens t JOIN token_uses x ON x.token_id = t.id JOIN users u ON u.id = t.user_id
		LEFT JOIN presence w ON w.user_id = u.id
		JOIN events e ON e.id = $2 JOIN event_counts n ON n.event_id = e.id
		LEFT JOIN plates q ON q.event_id = e.id
		WHERE t.hash = $1 ORDER BY q.id`
	texts[momentStatement] = `SELECT e.id, e.day, e.title, e.content, e.html, e.category_id, ` + categoryName + `, e.permission, e.status,
			e.province, e.city, e.district, e.created, e.modified, q.id, q.photo, q.created, ` + memberColumns + `
		FROM (SELECT * FROM events e
			WHERE e.day = $1 AND e.status = 100 AND e.id <> $2 AND (e.permission = 0 OR e.author_id = $3
				OR e.permission = 100 AND EXISTS (SELECT 1 FROM subscriptions s
					JOIN subscriptions back ON back.user_id = s.followed_id AND back.followed_id = s.user_id
					WHERE s.user_id = $3 AND s.followed_id = e.author_id))
			ORDER BY e.created DESC, e.id DESC LIMIT 10) e
		JOIN users u ON u.id = e.author_id LEFT JOIN presence w ON w.user_id = u.id
		LEFT JOIN plates q ON q.event_id = e.id
		ORDER BY e.created DESC, e.id DESC, q.id`
	const news = "id, site_name, site_logo, url, title, released, html, category, city, district, province, country FROM news WHERE released = $1"
	texts[newsStatement] = `SELECT * FROM (SELECT 0 AS far, ` + news + ` AND city = $2 ORDER BY id LIMIT 10) own
		UNION ALL SELECT * FROM (SELECT 1 AS far, ` + news + ` AND city <> $2 ORDER BY id LIMIT 10) others
		ORDER BY 1, 2 LIMIT 10`
	texts[anyNewsStatement] = `SELECT 0, ` + news + ` ORDER BY id LIMIT 10`
	texts[talkStatement] = `SELECT c.id, c.content, c.created, ` + memberColumns + `
		FROM (SELECT * FROM comments WHERE event_id = $1 ORDER BY created DESC, id DESC LIMIT 10) c
		JOIN users u ON u.id = c.author_id LEFT JOIN presence w ON w.user_id = u.id ORDER BY c.created DESC, c.id DESC`
	texts[useStatement] = `UPDATE token_uses SET used = $2 WHERE token_id = $1 AND used <= $3`
	texts[seenStatement] = `INSERT INTO presence AS p (user_id, seen) VALUES ($1, $2)
		ON CONFLICT (user_id) DO UPDATE SET seen = EXCLUDED.seen WHERE p.seen <= $3`
}

// targets are where memberColumns are scanned into.
func (m *memberRow) targets(db database) []any {
	return []any{&m.id, &m.firstname, &m.lastname, &m.expertise, &m.location, &m.timezone, db.moment(&m.seen)}
}
