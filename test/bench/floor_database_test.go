package bench

import (
	"time"
)

// scanner reads the row that a query is at.
type scanner = func(into ...any) error

// read is a query whose rows are wanted, or with row nil a statement without rows.
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

	note
}

func (c change) shard() int64 { return c.event % 8 }

// note is the caller's presence to note, if that is due.
type note struct {
	isStale     bool
	token, user int64
	now         time.Time
}

func noteOf(c *credentials, user int64, seen, now time.Time) note {
	return note{isStale: now.Sub(c.used) >= noteEvery || now.Sub(seen) >= noteEvery, token: c.token, user: user, now: now}
}

// due is the latest use that must be noted again.
func (n note) due() time.Time { return n.now.Add(-noteEvery) }

func (n note) steps(db *floor) []read {
	if !n.isStale {
		return nil
	}
	return []read{
		{useStatement, []any{n.token, db.at(n.now), db.at(n.due())}, nil},
		{seenStatement, []any{n.user, db.at(n.now), db.at(n.due())}, nil},
	}
}

const noteEvery = time.Minute

// statement is one that the floor runs.
type statement int

const (
	secretStatement       statement = iota
	pageStatement                   // $1 size, $2 offset, $3 category
	nearStatement                   // $1 size, $2 category, $3 to $8 the box, $9 and $10 its centre, $11 the haversine
	treeStatement                   // $1 kinds
	imagesStatement                 // $1 owner, $2 all of these tags
	anyImageStatement               // $1 owner, $2 any of these tags
	peopleStatement                 // $1 ids
	callStatement                   // $1 hash of a key, $2 event
	momentStatement                 // $1 day, $2 event, $3 viewer, $4 how many
	newsStatement                   // $1 day, $2 city, $3 how many
	anyNewsStatement                // $1 day, $2 how many
	talkStatement                   // $1 event, $2 viewer
	visitStatement                  // $1 hash of a key, $2 event
	reachStatement                  // $1 hash of a key, $2 event
	authorStatement                 // $1 hash of a key, $2 author
	listStatement                   // $1 author, $2 whether to a contact, $3 size, $4 offset
	timelineStatement               // $1 viewer, $2 how many
	noticesStatement                // $1 owner, $2 how many
	readerStatement                 // $1 hash of a key
	latestStatement                 // $1 size, $2 offset
	translationsStatement           // $1 keys, $2 now
	useStatement                    // $1 token, $2 now, $3 due
	seenStatement                   // $1 user, $2 now, $3 due
	changeStatement                 // $1 to $7 event, revision, title, province, city, district, modified
	talkCountStatement              // $1 event, $2 now
	commentStatement                // $1 event, $2 author, $3 content, $4 now, $5 whom it notifies, $6 until when
	likeStatement                   // $1 event, $2 user, $3 now, $4 whom it notifies, $5 until when
	statements                      // how many there are
)

// readTexts are all statements but those of poolTexts.
func readTexts() (texts [statements]string) {
	texts[secretStatement] = `SELECT content FROM secrets WHERE name = $1`
	texts[pageStatement] = `WITH page AS (
			SELECT id, created FROM feed_listings WHERE category_id = $3 AND kind = 'publication'
			ORDER BY created DESC, id LIMIT $1 OFFSET $2
		)
		SELECT CAST((SELECT SUM(count) FROM feed_counters WHERE category_id = $3 AND kind = 'publication') AS bigint),
			` + publicationColumns + `
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
			FROM feed_counters WHERE kind = ANY($1) GROUP BY category_id HAVING SUM(count) > 0
		)
		SELECT c.id, c.parent_id, c.name, c.slug, COALESCE(k.count, 0), k.created, k.updated
		FROM categories c LEFT JOIN counted k ON k.category_id = c.id
		UNION ALL
		SELECT 0, NULL, '', '', k.count, k.created, k.updated FROM counted k WHERE k.category_id = 0`
	images := `SELECT id, key, width, height, tags, created FROM images WHERE owner_id = $1 AND deleted IS NULL AND `
	texts[imagesStatement] = images + `tags @> $2 ORDER BY created DESC, id DESC`
	texts[anyImageStatement] = images + `tags && $2 ORDER BY created DESC, id DESC`
	texts[peopleStatement] = `SELECT ` + memberColumns + ` FROM users u LEFT JOIN presence w ON w.user_id = u.id WHERE u.id = ANY($1)`
	texts[readerStatement] = `SELECT ` + callerColumns + callerTables + ` WHERE t.hash = $1`
	texts[latestStatement] = `WITH page AS (
			SELECT id, updated FROM feed_listings WHERE kind = 'publication' AND kind IN ('origin', 'publication')
			ORDER BY updated DESC, id LIMIT $1 OFFSET $2
		)
		SELECT CAST((SELECT SUM(count) FROM feed_totals WHERE kind = 'publication') AS bigint), ` + publicationColumns + `
		FROM page JOIN publications p ON p.id = page.id ORDER BY page.updated DESC, page.id`
	texts[translationsStatement] = `SELECT key, content FROM translations WHERE key = ANY($1) AND expires > $2`
	eventTexts(&texts)
	diaryTexts(&texts)
	return texts
}

const publicationColumns = `p.id, p.bundle_id, p.node_id, p.title, p.summary, p.type, p.cover, p.author_id, p.updated,
	p.first_original_id, p.original_id, p.language`

// callerColumns are what is read of a caller who is not shown.
const (
	callerColumns = credentialColumns + ", u.id, w.seen"
	callerTables  = ` FROM tokens t JOIN token_uses x ON x.token_id = t.id JOIN users u ON u.id = t.user_id
		LEFT JOIN presence w ON w.user_id = u.id`
)

// categoryName is looked up for the rows that are left; a join would read all
// categories.
const categoryName = "(SELECT c.name FROM categories c WHERE c.id = e.category_id)"

// unblocked is that no block stands between the viewer and the author.
func unblocked(viewer, author string) string {
	return " AND NOT EXISTS (SELECT 1 FROM blocks b WHERE b.user_id = " + viewer + " AND b.other_id = " + author + ")"
}

// eventTexts are those of an edit.
func eventTexts(texts *[statements]string) {
	texts[callStatement] = `SELECT ` + credentialColumns + `, ` + memberColumns + `,
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
					WHERE s.user_id = $3 AND s.followed_id = e.author_id))` + unblocked("$3", "e.author_id") + `
			ORDER BY e.created DESC, e.id DESC LIMIT $4) e
		JOIN users u ON u.id = e.author_id LEFT JOIN presence w ON w.user_id = u.id
		LEFT JOIN plates q ON q.event_id = e.id
		ORDER BY e.created DESC, e.id DESC, q.id`
	const news = "id, site_name, site_logo, url, title, released, html, category, city, district, province, country FROM news WHERE released = $1"
	texts[newsStatement] = `SELECT * FROM (SELECT 0 AS far, ` + news + ` AND city = $2 ORDER BY id LIMIT $3) own
		UNION ALL SELECT * FROM (SELECT 1 AS far, ` + news + ` AND city <> $2 ORDER BY id LIMIT $3) others
		ORDER BY 1, 2 LIMIT $3`
	texts[anyNewsStatement] = `SELECT 0, ` + news + ` ORDER BY id LIMIT $2`
	texts[talkStatement] = `SELECT c.id, c.content, c.created, ` + memberColumns + `
		FROM (SELECT * FROM comments c WHERE event_id = $1` + unblocked("$2", "c.author_id") + ` ORDER BY created DESC, id DESC LIMIT 10) c
		JOIN users u ON u.id = c.author_id LEFT JOIN presence w ON w.user_id = u.id ORDER BY c.created DESC, c.id DESC`
	texts[useStatement] = `UPDATE token_uses SET used = $2 WHERE token_id = $1 AND used <= $3`
	texts[seenStatement] = `INSERT INTO presence AS p (user_id, seen) VALUES ($1, $2)
		ON CONFLICT (user_id) DO UPDATE SET seen = EXCLUDED.seen WHERE p.seen <= $3`
}

// diaryTexts are those of other people's events.
func diaryTexts(texts *[statements]string) {
	follows := func(viewer, author string) string {
		return "EXISTS (SELECT 1 FROM subscriptions s WHERE s.user_id = " + viewer + " AND s.followed_id = " + author + ")"
	}
	contact := func(author string) string { return follows("u.id", author) + " AND " + follows(author, "u.id") }
	const author = "a.id, a.firstname, a.lastname, a.expertise, a.location, a.timezone, aw.seen"
	const entry = `e.id, e.day, e.title, e.content, e.html, e.category_id, ` + categoryName + `, e.permission, e.status,
		e.province, e.city, e.district, e.created, e.modified, n.comments, n.likes, q.id, q.photo, q.created`
	texts[visitStatement] = `SELECT ` + callerColumns + `, ` + contact("e.author_id") + `, ` + author + `, ` + entry + callerTables + `
		JOIN events e ON e.id = $2 JOIN event_counts n ON n.event_id = e.id
		JOIN users a ON a.id = e.author_id LEFT JOIN presence aw ON aw.user_id = a.id
		LEFT JOIN plates q ON q.event_id = e.id
		WHERE t.hash = $1` + unblocked("u.id", "e.author_id") + ` ORDER BY q.id`
	texts[reachStatement] = `SELECT ` + credentialColumns + `, ` + memberColumns + `, ` + contact("e.author_id") + `,
		e.author_id, e.permission, e.status` + callerTables + ` JOIN events e ON e.id = $2 WHERE t.hash = $1` + unblocked("u.id", "e.author_id")
	texts[authorStatement] = `SELECT ` + callerColumns + `, ` + contact("a.id") + `, ` + author + callerTables + `
		JOIN users a ON a.id = $2 LEFT JOIN presence aw ON aw.user_id = a.id WHERE t.hash = $1` + unblocked("u.id", "a.id")
	const visible = " FROM events e WHERE e.author_id = $1 AND e.status = 100 AND (e.permission = 0 OR e.permission = 100 AND $2)"
	texts[listStatement] = `SELECT (SELECT COUNT(*)` + visible + `), ` + entry + ` FROM (
			SELECT *` + visible + ` ORDER BY e.day DESC, e.created DESC, e.id LIMIT $3 OFFSET $4
		) e JOIN event_counts n ON n.event_id = e.id LEFT JOIN plates q ON q.event_id = e.id
		ORDER BY e.day DESC, e.created DESC, e.id, q.id`
	const newestOf = ` CROSS JOIN LATERAL (SELECT e.id, e.published_at FROM events e
		WHERE e.author_id = s.followed_id AND e.status = 100 AND e.permission = `
	const first = ` ORDER BY e.published_at DESC, e.id DESC LIMIT $2) newest WHERE s.user_id = $1`
	texts[timelineStatement] = `SELECT ` + author + `, ` + entry + ` FROM (
			SELECT newest.* FROM subscriptions s` + newestOf + `0` + first + `
			UNION ALL
			SELECT newest.* FROM subscriptions s` + newestOf + `100` + first + `
				AND EXISTS (SELECT 1 FROM subscriptions back WHERE back.user_id = s.followed_id AND back.followed_id = $1)
			ORDER BY published_at DESC, id DESC LIMIT $2
		) page JOIN events e ON e.id = page.id JOIN event_counts n ON n.event_id = e.id LEFT JOIN plates q ON q.event_id = e.id
		JOIN users a ON a.id = e.author_id LEFT JOIN presence aw ON aw.user_id = a.id
		ORDER BY e.published_at DESC, e.id DESC, q.id`
	texts[noticesStatement] = `SELECT k.unread, k.read_up_to, n.id, n.kind, n.created, e.id, e.title, c.id, c.content, ` + memberColumns + `
		FROM notification_counts k JOIN notifications n ON n.owner_id = k.owner_id AND n.withdrawn = FALSE
		LEFT JOIN comments c ON n.kind = 'comment' AND c.id = n.object_id
		LEFT JOIN events e ON e.id = CASE n.kind WHEN 'comment' THEN c.event_id WHEN 'like' THEN n.object_id END
		JOIN users u ON u.id = n.actor_id LEFT JOIN presence w ON w.user_id = u.id
		WHERE k.owner_id = $1 ORDER BY n.id DESC LIMIT $2`
	texts[talkCountStatement] = `UPDATE event_counts SET comments = comments + 1,
		commented = CASE WHEN commented > $2 THEN commented ELSE $2 END WHERE event_id = $1`
	texts[commentStatement] = `WITH said AS (INSERT INTO comments (event_id, author_id, content, created) VALUES ($1, $2, $3, $4) RETURNING id),
			told AS (` + notice + ` SELECT CAST($5 AS bigint), 'comment', $2, id, $4, CAST($6 AS timestamptz) FROM said WHERE CAST($5 AS bigint) <> $2)
		SELECT id FROM said`
}

// notice begins what tells an author. A trigger counts it.
const notice = `INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires)`

// targets are where memberColumns are scanned into.
func (m *memberRow) targets(db *floor) []any {
	return []any{&m.id, &m.firstname, &m.lastname, &m.expertise, &m.location, &m.timezone, db.moment(&m.seen)}
}
