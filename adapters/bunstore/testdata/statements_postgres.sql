-- Every statement of constant text, as it is sent. TestStatements writes this file with -update.

-- categories
SELECT id, parent_id, name, slug
FROM categories
WHERE id = ANY($1);

-- checkSteps.compareCounter
WITH said AS (SELECT category_id, kind, SUM(count) AS count, MAX(created) AS created, MAX(updated) AS updated
	FROM feed_counters
	WHERE category_id = $1 AND kind = $2
	GROUP BY category_id, kind), there AS (SELECT category_id, kind, COUNT(*) AS count, MAX(created) AS created, MAX(updated) AS updated
	FROM feed_listings
	WHERE category_id = $1 AND kind = $2
	GROUP BY category_id, kind), every AS (SELECT category_id, kind
	FROM said UNION
	SELECT category_id, kind
	FROM there)
SELECT e.category_id, e.kind, CAST(COALESCE(s.count, 0) AS bigint), s.created, s.updated, COALESCE(t.count, 0), t.created, t.updated
FROM every e
LEFT JOIN said s ON s.category_id = e.category_id AND s.kind = e.kind
LEFT JOIN there t ON t.category_id = e.category_id AND t.kind = e.kind;

-- checkSteps.compareCounters
WITH said AS (SELECT category_id, kind, SUM(count) AS count, MAX(created) AS created, MAX(updated) AS updated
	FROM feed_counters
	GROUP BY category_id, kind), there AS (SELECT category_id, kind, COUNT(*) AS count, MAX(created) AS created, MAX(updated) AS updated
	FROM feed_listings
	GROUP BY category_id, kind), every AS (SELECT category_id, kind
	FROM said UNION
	SELECT category_id, kind
	FROM there)
SELECT e.category_id, e.kind, CAST(COALESCE(s.count, 0) AS bigint), s.created, s.updated, COALESCE(t.count, 0), t.created, t.updated
FROM every e
LEFT JOIN said s ON s.category_id = e.category_id AND s.kind = e.kind
LEFT JOIN there t ON t.category_id = e.category_id AND t.kind = e.kind;

-- checkSteps.compareTotal
SELECT (SELECT CAST(COALESCE(SUM(count), 0) AS bigint)
	FROM feed_totals
	WHERE kind = $1), (SELECT COUNT(*)
	FROM feed_listings
	WHERE kind = $1);

-- checkSteps.listing
SELECT kind, id, category_id, created, updated, lat, lng
FROM feed_listings
WHERE kind = $1 AND id = $2;

-- checkSteps.listings
SELECT kind, id, category_id, created, updated, lat, lng
FROM feed_listings
WHERE kind = $1 AND id > $2 AND id <= $3;

-- checkSteps.lockRecord[demand]
SELECT id, title, description, tags, cover, images, author_id, address, category_id, lat, lng, closed, starts, ends, published, deleted, created, updated
FROM demands p
WHERE p.id = $1 FOR UPDATE;

-- checkSteps.lockRecord[node]
SELECT id, bundle_id, title, summary, cover, author_id, language, category_id, published, deleted, created, updated
FROM nodes p
WHERE p.id = $1 FOR UPDATE;

-- checkSteps.lockRecord[origin]
SELECT p.id, p.bundle_id, p.first_original_id, p.original_id, p.node_id, p.type, p.title, p.summary, p.cover, p.author_id, p.language, p.category_id, p.published, p.deleted, p.created, p.updated, EXISTS (SELECT 1
	FROM publications f
	WHERE f.bundle_id = p.first_original_id AND f.published AND NOT f.deleted)
FROM publications p
WHERE p.id = $1;

-- checkSteps.lockRecord[publication]
SELECT id, bundle_id, first_original_id, original_id, node_id, type, title, summary, cover, author_id, language, category_id, published, deleted, created, updated
FROM publications p
WHERE p.id = $1 FOR UPDATE;

-- checkSteps.orphans[demand]
SELECT kind, id, category_id, created, updated, lat, lng
FROM feed_listings l
WHERE l.kind = 'demand' AND NOT EXISTS (SELECT 1
	FROM demands t
	WHERE t.id = l.id)
ORDER BY id;

-- checkSteps.orphans[node]
SELECT kind, id, category_id, created, updated, lat, lng
FROM feed_listings l
WHERE l.kind = 'node' AND NOT EXISTS (SELECT 1
	FROM nodes t
	WHERE t.id = l.id)
ORDER BY id;

-- checkSteps.orphans[origin]
SELECT kind, id, category_id, created, updated, lat, lng
FROM feed_listings l
WHERE l.kind = 'origin' AND NOT EXISTS (SELECT 1
	FROM publications t
	WHERE t.id = l.id)
ORDER BY id;

-- checkSteps.orphans[publication]
SELECT kind, id, category_id, created, updated, lat, lng
FROM feed_listings l
WHERE l.kind = 'publication' AND NOT EXISTS (SELECT 1
	FROM publications t
	WHERE t.id = l.id)
ORDER BY id;

-- checkSteps.orphans[xfile]
SELECT kind, id, category_id, created, updated, lat, lng
FROM feed_listings l
WHERE l.kind = 'xfile' AND NOT EXISTS (SELECT 1
	FROM events t
	WHERE t.id = l.id)
ORDER BY id;

-- checkSteps.recordsAfter[demand]
SELECT id, title, description, tags, cover, images, author_id, address, category_id, lat, lng, closed, starts, ends, published, deleted, created, updated
FROM demands p
WHERE p.id > $1
ORDER BY p.id
LIMIT CAST($2 AS bigint);

-- checkSteps.recordsAfter[node]
SELECT id, bundle_id, title, summary, cover, author_id, language, category_id, published, deleted, created, updated
FROM nodes p
WHERE p.id > $1
ORDER BY p.id
LIMIT CAST($2 AS bigint);

-- checkSteps.recordsAfter[origin]
SELECT p.id, p.bundle_id, p.first_original_id, p.original_id, p.node_id, p.type, p.title, p.summary, p.cover, p.author_id, p.language, p.category_id, p.published, p.deleted, p.created, p.updated, EXISTS (SELECT 1
	FROM publications f
	WHERE f.bundle_id = p.first_original_id AND f.published AND NOT f.deleted)
FROM publications p
WHERE p.id > $1
ORDER BY p.id
LIMIT CAST($2 AS bigint);

-- checkSteps.recordsAfter[publication]
SELECT id, bundle_id, first_original_id, original_id, node_id, type, title, summary, cover, author_id, language, category_id, published, deleted, created, updated
FROM publications p
WHERE p.id > $1
ORDER BY p.id
LIMIT CAST($2 AS bigint);

-- checkSteps.recordsAfter[xfile]
SELECT e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision, n.comments, n.likes, (SELECT json_agg(json_build_array(p.id, p.photo, (extract(epoch FROM p.created) * 1000000)::bigint)
		ORDER BY p.id)
	FROM plates p
	WHERE p.event_id = e.id)
FROM events e
LEFT JOIN event_counts n ON n.event_id = e.id
WHERE e.id > $1
ORDER BY e.id
LIMIT CAST($2 AS bigint);

-- eventStatements.commented
SELECT e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision, n.comments, n.likes, (SELECT json_agg(json_build_array(p.id, p.photo, (extract(epoch FROM p.created) * 1000000)::bigint)
		ORDER BY p.id)
	FROM plates p
	WHERE p.event_id = e.id)
FROM event_counts n
JOIN events e ON e.id = n.event_id
WHERE n.author_id = $1 AND n.commented IS NOT NULL
ORDER BY n.commented DESC, n.event_id DESC
LIMIT CAST($2 AS bigint);

-- eventStatements.comments
SELECT (SELECT COUNT(*)
	FROM comments
	WHERE event_id = $1), c.id, c.author_id, c.content, c.created, u.id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, p.seen, u.avatar
FROM (SELECT c.id, c.author_id, c.content, c.created
	FROM comments c
	WHERE c.event_id = $1
	ORDER BY c.created DESC, c.id DESC
	LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint)) c
LEFT JOIN users u ON u.id = c.author_id AND u.phone NOT LIKE 'erased-%'
LEFT JOIN presence p ON p.user_id = u.id
ORDER BY c.created DESC, c.id DESC;

-- eventStatements.event
SELECT e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision, n.comments, n.likes, (SELECT json_agg(json_build_array(p.id, p.photo, (extract(epoch FROM p.created) * 1000000)::bigint)
		ORDER BY p.id)
	FROM plates p
	WHERE p.event_id = e.id)
FROM events e
LEFT JOIN event_counts n ON n.event_id = e.id
WHERE e.id = $1;

-- eventStatements.eventFor
SELECT EXISTS (SELECT 1
	FROM subscriptions s
	WHERE s.user_id = $2 AND s.followed_id = e.author_id), EXISTS (SELECT 1
	FROM subscriptions s
	WHERE s.user_id = e.author_id AND s.followed_id = $2), e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision, n.comments, n.likes, (SELECT json_agg(json_build_array(p.id, p.photo, (extract(epoch FROM p.created) * 1000000)::bigint)
		ORDER BY p.id)
	FROM plates p
	WHERE p.event_id = e.id)
FROM events e
LEFT JOIN event_counts n ON n.event_id = e.id
WHERE e.id = $1;

-- eventStatements.eventPage
SELECT (SELECT count(*)
	FROM events e
	WHERE e.author_id = $1 AND e.status * 1000 + e.permission = ANY($2)), e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision, n.comments, n.likes, (SELECT json_agg(json_build_array(p.id, p.photo, (extract(epoch FROM p.created) * 1000000)::bigint)
		ORDER BY p.id)
	FROM plates p
	WHERE p.event_id = e.id)
FROM (SELECT e.id
	FROM events e
	WHERE e.author_id = $1 AND e.status * 1000 + e.permission = ANY($2) /* order */
	LIMIT CAST($3 AS bigint) OFFSET CAST($4 AS bigint)) top
JOIN events e ON e.id = top.id
LEFT JOIN event_counts n ON n.event_id = e.id;

-- eventStatements.liking
SELECT EXISTS (SELECT 1
	FROM subscriptions s
	WHERE s.user_id = $2 AND s.followed_id = e.author_id), EXISTS (SELECT 1
	FROM subscriptions s
	WHERE s.user_id = e.author_id AND s.followed_id = $2), e.author_id, e.status, e.permission, n.likes, EXISTS (SELECT 1
	FROM likes l
	WHERE l.event_id = e.id AND l.user_id = $2)
FROM events e
JOIN event_counts n ON n.event_id = e.id
WHERE e.id = $1;

-- eventStatements.newest
SELECT c.event_id, c.id, c.author_id, c.content, c.created, u.id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, p.seen, u.avatar
FROM unnest($1::bigint[]) WITH ORDINALITY w (key1, place)
CROSS JOIN LATERAL (SELECT c.id
	FROM comments c
	WHERE c.event_id = w.key1
	ORDER BY c.created DESC, c.id DESC
	LIMIT CAST($2 AS bigint)) top
JOIN comments c ON c.id = top.id
LEFT JOIN users u ON u.id = c.author_id AND u.phone NOT LIKE 'erased-%'
LEFT JOIN presence p ON p.user_id = u.id
ORDER BY w.place, c.created DESC, c.id DESC;

-- eventStatements.newsOfDays
SELECT w.place, n.id, n.site_name, n.site_logo, n.url, n.title, n.released, n.html, n.category, n.city, n.district, n.province, n.country
FROM unnest($1::date[], $2::text[]) WITH ORDINALITY w (key1, key2, place)
CROSS JOIN LATERAL (SELECT *
	FROM (SELECT n.id, 1 AS own
		FROM news n
		WHERE n.released = w.key1 AND n.city = w.key2 AND w.key2 <> ''
		ORDER BY n.id
		LIMIT CAST($3 AS bigint)) part
	UNION ALL SELECT *
	FROM (SELECT n.id, 0 AS own
		FROM news n
		WHERE n.released = w.key1 AND (n.city <> w.key2 OR w.key2 = '')
		ORDER BY n.id
		LIMIT CAST($3 AS bigint)) part
	ORDER BY own DESC, id
	LIMIT CAST($3 AS bigint)) top
JOIN news n ON n.id = top.id
ORDER BY w.place, top.own DESC, n.id;

-- eventStatements.onDates
SELECT c.name, e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision, 0, 0, (SELECT json_agg(json_build_array(p.id, p.photo, (extract(epoch FROM p.created) * 1000000)::bigint)
		ORDER BY p.id)
	FROM plates p
	WHERE p.event_id = e.id), u.id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, p.seen, u.avatar
FROM unnest($1::date[]) WITH ORDINALITY w (key1, place)
CROSS JOIN LATERAL (SELECT id
	FROM (SELECT id, created
		FROM (SELECT e.id, e.created
			FROM events e
			WHERE e.day = w.key1 AND e.status = 100 AND e.permission = 0
			ORDER BY e.created DESC, e.id DESC
			LIMIT CAST($3 AS bigint)) part
		UNION ALL SELECT id, created
		FROM (SELECT e.id, e.created
			FROM events e
			WHERE e.day = w.key1 AND e.status = 100 AND e.permission = 100 AND e.permission <> 0 AND e.author_id = $2
			ORDER BY e.created DESC, e.id DESC
			LIMIT CAST($3 AS bigint)) part
		UNION ALL SELECT id, created
		FROM (SELECT e.id, e.created
			FROM events e
			WHERE e.day = w.key1 AND e.status = 100 AND e.permission = 200 AND e.permission <> 0 AND e.author_id = $2
			ORDER BY e.created DESC, e.id DESC
			LIMIT CAST($3 AS bigint)) part
		UNION ALL SELECT id, created
		FROM (SELECT id, created
			FROM ( WITH RECURSIVE steps (id, former, turn) AS (
					SELECT CAST(0 AS bigint), CAST(0 AS bigint), 0
					UNION ALL SELECT CASE b.turn WHEN 0 THEN (SELECT s.followed_id
						FROM subscriptions s
						WHERE s.user_id = $2 AND s.followed_id >= b.id
						ORDER BY s.followed_id
						LIMIT 1) ELSE (SELECT CASE MAX(author_id) WHEN b.id THEN b.id + 1 ELSE MAX(author_id) END
						FROM (SELECT e.author_id
							FROM events e
							WHERE e.day = w.key1 AND e.status = 100 AND e.permission = 100 AND e.permission <> 0 AND e.author_id >= b.id
							ORDER BY e.author_id
							LIMIT 800) next) END, b.id, 1 - b.turn
					FROM steps b
					WHERE b.id IS NOT NULL), spans (low, high) AS (SELECT former, id
					FROM steps
					WHERE turn = 0 AND id > former)
				SELECT id, created, author_id
				FROM (
					SELECT e.id, e.created, e.author_id
					FROM spans b
					CROSS JOIN events e
					WHERE b.high > b.low + 1 AND e.day = w.key1 AND e.status = 100 AND e.permission = 100 AND e.permission <> 0 AND e.author_id >= b.low AND e.author_id < b.high AND CASE WHEN (SELECT COUNT(*)
						FROM (SELECT 1
							FROM events e
							WHERE e.day = w.key1 AND e.status = 100 AND e.permission = 100 AND e.permission <> 0
							LIMIT 101) first) <= 100 THEN (SELECT COUNT(*)
						FROM subscriptions s
						WHERE s.user_id = $2 AND s.followed_id = e.author_id) > 0 ELSE e.author_id IN (SELECT s.followed_id
						FROM subscriptions s
						WHERE s.user_id = $2 AND s.followed_id > 0) END
					UNION ALL SELECT e.id, e.created, e.author_id
					FROM spans b
					CROSS JOIN events e
					WHERE b.high = b.low + 1 AND e.day = w.key1 AND e.status = 100 AND e.permission = 100 AND e.permission <> 0 AND e.author_id = b.low AND e.created >= (SELECT MIN(created)
						FROM (SELECT id, created
							FROM (SELECT e.id, e.created
								FROM events e
								WHERE e.day = w.key1 AND e.status = 100 AND e.permission = 100 AND e.permission <> 0 AND e.author_id = b.low
								ORDER BY e.created DESC, e.id DESC
								LIMIT CAST($3 AS bigint)) part) newest) ) followed
				ORDER BY created DESC, id DESC
				LIMIT 1000000) followed
			WHERE (SELECT COUNT(*)
				FROM subscriptions back
				WHERE back.user_id = followed.author_id AND back.followed_id = $2) > 0
			ORDER BY created DESC, id DESC
			LIMIT CAST($3 AS bigint)) part) seen
	ORDER BY created DESC, id DESC
	LIMIT CAST($3 AS bigint)) top
CROSS JOIN events e
LEFT JOIN categories c ON c.id = e.category_id
LEFT JOIN users u ON u.id = e.author_id AND u.phone NOT LIKE 'erased-%'
LEFT JOIN presence p ON p.user_id = u.id
WHERE e.id = top.id
ORDER BY w.place, e.created DESC, e.id DESC;

-- eventSteps.deleteEvent
DELETE
FROM events
WHERE id = $1;

-- eventSteps.deletePlate
DELETE
FROM plates
WHERE id = $1 AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes';

-- eventSteps.discussionSteps.countComment
WITH done AS (UPDATE event_counts
	SET comments = comments + 1, commented = CASE WHEN commented > $2 THEN commented ELSE $2 END
	WHERE event_id = $1 AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
	RETURNING event_id AS c0)
SELECT c0, 1
FROM done
UNION ALL SELECT NULL, 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- eventSteps.discussionSteps.countLike
UPDATE event_counts
SET likes = likes + 1
WHERE event_id = $1 AND NOT EXISTS (SELECT 1
	FROM likes l
	WHERE l.event_id = $1 AND l.user_id = $2) AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes';

-- eventSteps.discussionSteps.countUnlike
UPDATE event_counts
SET likes = likes - 1
WHERE event_id = $1 AND EXISTS (SELECT 1
	FROM likes l
	WHERE l.event_id = $1 AND l.user_id = $2) AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes';

-- eventSteps.discussionSteps.deleteLike
DELETE
FROM likes
WHERE event_id = $1 AND user_id = $2 AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes';

-- eventSteps.discussionSteps.insertComment
INSERT INTO comments (event_id, author_id, content, created)
SELECT $1, $2, $3, $4
WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
RETURNING id;

-- eventSteps.discussionSteps.insertLike
INSERT INTO likes (event_id, user_id)
SELECT $1, $2
WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
ON CONFLICT DO NOTHING;

-- eventSteps.discussionSteps.lockCounts
WITH done AS (SELECT event_id
	FROM event_counts
	WHERE event_id = $1 AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes' FOR NO KEY UPDATE)
SELECT 1
FROM done
UNION ALL SELECT 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- eventSteps.insertCounts
INSERT INTO event_counts (event_id, author_id)
SELECT currval('events_id_seq'), $1
WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes';

-- eventSteps.insertEvent
INSERT INTO events (author_id, created, day, category_id, permission, status, title, content, html, province, city, district, modified)
SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13
WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
RETURNING id;

-- eventSteps.insertPlate
INSERT INTO plates (event_id, photo, created)
SELECT COALESCE($1, currval('events_id_seq')), $2, $3
WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
RETURNING id;

-- eventSteps.located
SELECT id, title, content, province, city, district
FROM events
WHERE id > $1
ORDER BY id
LIMIT CAST($2 AS bigint);

-- eventSteps.lockEvent
SELECT id
FROM events
WHERE id = $1 FOR UPDATE;

-- eventSteps.rewriteEvent
WITH done AS (UPDATE events
	SET day = $3, category_id = $4, permission = $5, status = $6, title = $7, content = $8, html = $9, province = $10, city = $11, district = $12, modified = $13, revision = revision + 1
	WHERE id = $1 AND revision = $2 AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
	RETURNING (SELECT n.comments
		FROM event_counts n
		WHERE n.event_id = $1) AS c0, (SELECT n.likes
		FROM event_counts n
		WHERE n.event_id = $1) AS c1)
SELECT c0, c1, 1
FROM done
UNION ALL SELECT NULL, NULL, 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- eventSteps.rewriteText
WITH done AS (UPDATE events
	SET title = $3, content = $4, html = $5, province = $6, city = $7, district = $8, modified = $9, revision = revision + 1
	WHERE id = $1 AND revision = $2 AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
	RETURNING (SELECT n.comments
		FROM event_counts n
		WHERE n.event_id = $1) AS c0, (SELECT n.likes
		FROM event_counts n
		WHERE n.event_id = $1) AS c1)
SELECT c0, c1, 1
FROM done
UNION ALL SELECT NULL, NULL, 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- feedStatements.feedVersion
SELECT CAST(COALESCE(SUM(version), 0) AS bigint)
FROM feed_totals
WHERE kind = ANY($1) OR kind = 'category';

-- feedStatements.latest
WITH page AS (SELECT id, updated
	FROM feed_listings l
	WHERE l.kind = 'publication' AND l.kind IN ('origin', 'publication')
	ORDER BY l.updated DESC, l.id
	LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint))
SELECT CAST((SELECT COALESCE(SUM(count), 0)
		FROM feed_totals l
		WHERE l.kind = 'publication' AND l.kind IN ('origin', 'publication')) AS bigint), page.id, publication.bundle_id, publication.first_original_id, publication.original_id, publication.node_id, publication.type, publication.title, publication.summary, publication.cover, publication.author_id, publication.language, publication.category_id, publication.published, publication.deleted, publication.created, publication.updated
FROM page
LEFT JOIN publications publication ON publication.id = page.id
ORDER BY page.updated DESC, page.id;

-- feedStatements.latestOf
WITH page AS (SELECT id, updated
	FROM feed_listings l
	WHERE l.kind = 'publication' AND l.category_id = $3
	ORDER BY l.updated DESC, l.id
	LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint))
SELECT CAST((SELECT COALESCE(SUM(count), 0)
		FROM feed_counters l
		WHERE l.kind = 'publication' AND l.category_id = $3) AS bigint), page.id, publication.bundle_id, publication.first_original_id, publication.original_id, publication.node_id, publication.type, publication.title, publication.summary, publication.cover, publication.author_id, publication.language, publication.category_id, publication.published, publication.deleted, publication.created, publication.updated
FROM page
LEFT JOIN publications publication ON publication.id = page.id
ORDER BY page.updated DESC, page.id;

-- feedStatements.latestOrigins
WITH page AS (SELECT id, updated
	FROM feed_listings l
	WHERE l.kind = 'origin' AND l.kind IN ('origin', 'publication')
	ORDER BY l.updated DESC, l.id
	LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint))
SELECT CAST((SELECT COALESCE(SUM(count), 0)
		FROM feed_totals l
		WHERE l.kind = 'origin' AND l.kind IN ('origin', 'publication')) AS bigint), page.id, publication.bundle_id, publication.first_original_id, publication.original_id, publication.node_id, publication.type, publication.title, publication.summary, publication.cover, publication.author_id, publication.language, publication.category_id, publication.published, publication.deleted, publication.created, publication.updated
FROM page
LEFT JOIN publications publication ON publication.id = page.id
ORDER BY page.updated DESC, page.id;

-- feedStatements.latestOriginsOf
WITH page AS (SELECT id, updated
	FROM feed_listings l
	WHERE l.kind = 'origin' AND l.category_id = $3
	ORDER BY l.updated DESC, l.id
	LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint))
SELECT CAST((SELECT COALESCE(SUM(count), 0)
		FROM feed_counters l
		WHERE l.kind = 'origin' AND l.category_id = $3) AS bigint), page.id, publication.bundle_id, publication.first_original_id, publication.original_id, publication.node_id, publication.type, publication.title, publication.summary, publication.cover, publication.author_id, publication.language, publication.category_id, publication.published, publication.deleted, publication.created, publication.updated
FROM page
LEFT JOIN publications publication ON publication.id = page.id
ORDER BY page.updated DESC, page.id;

-- feedStatements.pageMerged
WITH page AS (SELECT id, created, kind
	FROM feed_listings l
	WHERE l.category_id = $3 AND l.kind IN ('demand', 'node', 'publication') AND l.kind = ANY($4)
	ORDER BY l.created DESC, l.kind, l.id
	LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint))
SELECT CAST((SELECT SUM(count)
		FROM feed_counters
		WHERE category_id = $3 AND kind = ANY($4)) AS bigint), page.kind, page.id, COALESCE(node.bundle_id, publication.bundle_id), COALESCE(node.title, publication.title, demand.title), COALESCE(node.summary, publication.summary), COALESCE(node.cover, publication.cover, demand.cover), COALESCE(node.author_id, publication.author_id, demand.author_id), COALESCE(node.language, publication.language), COALESCE(node.category_id, publication.category_id, demand.category_id), COALESCE(node.published, publication.published, demand.published), COALESCE(node.deleted, publication.deleted, demand.deleted), COALESCE(node.created, publication.created, demand.created), COALESCE(node.updated, publication.updated, demand.updated), publication.first_original_id, publication.original_id, publication.node_id, publication.type, demand.description, demand.tags, demand.images, demand.address, demand.lat, demand.lng, demand.closed, demand.starts, demand.ends, u.id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, p.seen, u.avatar
FROM page
LEFT JOIN nodes node ON node.id = CASE WHEN page.kind = 'node' THEN page.id END
LEFT JOIN publications publication ON publication.id = CASE WHEN page.kind = 'publication' THEN page.id END
LEFT JOIN demands demand ON demand.id = CASE WHEN page.kind = 'demand' THEN page.id END
LEFT JOIN users u ON u.id = demand.author_id AND u.phone NOT LIKE 'erased-%'
LEFT JOIN presence p ON p.user_id = u.id
ORDER BY page.created DESC, page.kind, page.id;

-- feedStatements.pageNear
WITH there AS MATERIALIZED (SELECT id, created
	FROM feed_listings l
	WHERE l.category_id = $3 AND l.kind = 'demand' AND l.lat BETWEEN $8 AND $9 AND CASE WHEN l.lng BETWEEN $10 AND $11 OR l.lng BETWEEN $12 AND $13 THEN power(sin(radians(l.lat - $4) / 2), 2) + cos(radians(l.lat)) * $5 * power(sin(radians(l.lng - $6) / 2), 2) <= $7 ELSE FALSE END), page AS (SELECT id, created
	FROM there
	ORDER BY created DESC, id
	LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint))
SELECT CAST((SELECT COUNT(*)
		FROM there) AS bigint), page.id, demand.title, demand.description, demand.tags, demand.cover, demand.images, demand.author_id, demand.address, demand.category_id, demand.lat, demand.lng, demand.closed, demand.starts, demand.ends, demand.published, demand.deleted, demand.created, demand.updated, u.id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, p.seen, u.avatar
FROM page
LEFT JOIN demands demand ON demand.id = page.id
LEFT JOIN users u ON u.id = demand.author_id AND u.phone NOT LIKE 'erased-%'
LEFT JOIN presence p ON p.user_id = u.id
ORDER BY page.created DESC, page.id;

-- feedStatements.pageOf[demand]
WITH page AS (SELECT id, created
	FROM feed_listings l
	WHERE l.category_id = $3 AND l.kind = 'demand'
	ORDER BY l.created DESC, l.id
	LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint))
SELECT CAST((SELECT SUM(count)
		FROM feed_counters
		WHERE category_id = $3 AND kind = 'demand') AS bigint), page.id, demand.title, demand.description, demand.tags, demand.cover, demand.images, demand.author_id, demand.address, demand.category_id, demand.lat, demand.lng, demand.closed, demand.starts, demand.ends, demand.published, demand.deleted, demand.created, demand.updated, u.id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, p.seen, u.avatar
FROM page
LEFT JOIN demands demand ON demand.id = page.id
LEFT JOIN users u ON u.id = demand.author_id AND u.phone NOT LIKE 'erased-%'
LEFT JOIN presence p ON p.user_id = u.id
ORDER BY page.created DESC, page.id;

-- feedStatements.pageOf[node]
WITH page AS (SELECT id, created
	FROM feed_listings l
	WHERE l.category_id = $3 AND l.kind = 'node'
	ORDER BY l.created DESC, l.id
	LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint))
SELECT CAST((SELECT SUM(count)
		FROM feed_counters
		WHERE category_id = $3 AND kind = 'node') AS bigint), page.id, node.bundle_id, node.title, node.summary, node.cover, node.author_id, node.language, node.category_id, node.published, node.deleted, node.created, node.updated
FROM page
LEFT JOIN nodes node ON node.id = page.id
ORDER BY page.created DESC, page.id;

-- feedStatements.pageOf[publication]
WITH page AS (SELECT id, created
	FROM feed_listings l
	WHERE l.category_id = $3 AND l.kind = 'publication'
	ORDER BY l.created DESC, l.id
	LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint))
SELECT CAST((SELECT SUM(count)
		FROM feed_counters
		WHERE category_id = $3 AND kind = 'publication') AS bigint), page.id, publication.bundle_id, publication.first_original_id, publication.original_id, publication.node_id, publication.type, publication.title, publication.summary, publication.cover, publication.author_id, publication.language, publication.category_id, publication.published, publication.deleted, publication.created, publication.updated
FROM page
LEFT JOIN publications publication ON publication.id = page.id
ORDER BY page.created DESC, page.id;

-- feedStatements.tree
WITH counted AS (SELECT category_id, SUM(CAST(count AS integer)) AS count, MAX(created) AS created, MAX(updated) AS updated
	FROM feed_counters
	WHERE kind = ANY($1)
	GROUP BY category_id HAVING SUM(count) > 0)
SELECT c.id, c.parent_id, c.name, c.slug, k.count, k.created, k.updated
FROM categories c
LEFT JOIN counted k ON k.category_id = c.id
UNION ALL SELECT 0, NULL, '', '', k.count, k.created, k.updated
FROM counted k
WHERE k.category_id = 0;

-- feedStatements.treeNear
WITH counted AS (WITH held AS MATERIALIZED (SELECT EXISTS (SELECT 1
			FROM feed_tiles_state
			WHERE version = (SELECT CAST(COALESCE(SUM(version), 0) AS bigint)
				FROM feed_totals
				WHERE kind = 'demand')) AS hold), cells AS MATERIALIZED (
		SELECT CAST(value ->> 'Strip' AS double precision) AS strip, CAST(value ->> 'West' AS double precision) AS west, CAST(value ->> 'East' AS double precision) AS east, CAST(value ->> 'Interior' AS boolean) AS interior
		FROM unnest(ARRAY(SELECT jsonb_array_elements(CAST($1 AS jsonb)))) n (value)
		WHERE NOT (CAST(value ->> 'Tiled' AS boolean) AND (SELECT hold
				FROM held))), tiles AS MATERIALIZED (
		SELECT CAST(value ->> 'Row' AS integer) AS row, CAST(value ->> 'West' AS integer) AS west, CAST(value ->> 'East' AS integer) AS east
		FROM unnest(ARRAY(SELECT jsonb_array_elements(CAST($6 AS jsonb)))) n (value)
		WHERE (SELECT hold
			FROM held)), parts AS (
		SELECT category_id, COUNT(*) AS count, MAX(created) AS created, MAX(updated) AS updated
		FROM cells c
		CROSS JOIN feed_listings l
		WHERE l.kind = 'demand' AND l.lat IS NOT NULL AND floor((l.lat + 90) * 100) = +c.strip AND l.lng >= c.west AND l.lng < c.east AND CASE WHEN c.interior THEN TRUE ELSE power(sin(radians(l.lat - $2) / 2), 2) + cos(radians(l.lat)) * $3 * power(sin(radians(l.lng - $4) / 2), 2) <= $5 END
		GROUP BY category_id
		UNION ALL SELECT category_id, SUM(count), MAX(created) AS created, MAX(updated) AS updated
		FROM tiles t
		CROSS JOIN LATERAL (SELECT *
			FROM feed_tiles f
			WHERE f.tile_row = t.row AND f.tile_column >= t.west AND f.tile_column < t.east OFFSET 0) f
		GROUP BY category_id)
	SELECT category_id, CAST(SUM(count) AS bigint) AS count, MAX(created) AS created, MAX(updated) AS updated
	FROM parts
	GROUP BY category_id)
SELECT c.id, c.parent_id, c.name, c.slug, k.count, k.created, k.updated
FROM categories c
LEFT JOIN counted k ON k.category_id = c.id
UNION ALL SELECT 0, NULL, '', '', k.count, k.created, k.updated
FROM counted k
WHERE k.category_id = 0;

-- howToSteps.allHowTos
SELECT (SELECT COUNT(*)
	FROM howtos), category, robot_id, bundles, created, updated
FROM howtos
ORDER BY created DESC, category, robot_id
LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint);

-- howToSteps.howTosInSome
SELECT (SELECT COUNT(*)
	FROM howtos
	WHERE category = ANY($3)), category, robot_id, bundles, created, updated
FROM howtos
WHERE category = ANY($3)
ORDER BY created DESC, category, robot_id
LIMIT CAST($1 AS bigint) OFFSET CAST($2 AS bigint);

-- imageStatements.images[{false false false}]
SELECT id, key, width, height, tags, created
FROM images
WHERE owner_id = $1 AND deleted IS NULL
ORDER BY created DESC, id DESC;

-- imageStatements.images[{false false true}]
SELECT COUNT(*) OVER (), id, key, width, height, tags, created
FROM images
WHERE owner_id = $1 AND deleted IS NULL
ORDER BY created DESC, id DESC
LIMIT CAST($2 AS bigint) OFFSET CAST($3 AS bigint);

-- imageStatements.images[{false true false}]
SELECT id, key, width, height, tags, created
FROM images
WHERE owner_id = $1 AND deleted IS NULL AND tags && $2
ORDER BY created DESC, id DESC;

-- imageStatements.images[{false true true}]
SELECT COUNT(*) OVER (), id, key, width, height, tags, created
FROM images
WHERE owner_id = $1 AND deleted IS NULL AND tags && $2
ORDER BY created DESC, id DESC
LIMIT CAST($3 AS bigint) OFFSET CAST($4 AS bigint);

-- imageStatements.images[{true false false}]
SELECT id, key, width, height, tags, created
FROM images
WHERE owner_id = $1 AND deleted IS NULL AND tags @> $2
ORDER BY created DESC, id DESC;

-- imageStatements.images[{true false true}]
SELECT COUNT(*) OVER (), id, key, width, height, tags, created
FROM images
WHERE owner_id = $1 AND deleted IS NULL AND tags @> $2
ORDER BY created DESC, id DESC
LIMIT CAST($3 AS bigint) OFFSET CAST($4 AS bigint);

-- imageStatements.images[{true true false}]
SELECT id, key, width, height, tags, created
FROM images
WHERE owner_id = $1 AND deleted IS NULL AND tags @> $2 AND tags && $3
ORDER BY created DESC, id DESC;

-- imageStatements.images[{true true true}]
SELECT COUNT(*) OVER (), id, key, width, height, tags, created
FROM images
WHERE owner_id = $1 AND deleted IS NULL AND tags @> $2 AND tags && $3
ORDER BY created DESC, id DESC
LIMIT CAST($4 AS bigint) OFFSET CAST($5 AS bigint);

-- imageSteps.countImage
WITH done AS (INSERT INTO image_counts AS c (owner_id, kept)
	SELECT $1, 1
	WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
	ON CONFLICT (owner_id) DO UPDATE
	SET kept = c.kept + 1
	WHERE c.kept < $2
	RETURNING kept AS c0)
SELECT c0, 1
FROM done
UNION ALL SELECT NULL, 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- imageSteps.image
SELECT id, key, width, height, tags, created, owner_id, deleted, revision
FROM images
WHERE id = $1;

-- imageSteps.imagesAfter
SELECT id, key, width, height, tags, created, owner_id, deleted, revision
FROM images
WHERE id > $1
ORDER BY id
LIMIT CAST($2 AS bigint);

-- imageSteps.insertImage
INSERT INTO images (key, width, height, tags, created, owner_id, deleted, revision)
SELECT $1, $2, $3, $4, $5, $6, $7, $8
WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
RETURNING id;

-- imageSteps.lockImage
SELECT id, key, width, height, tags, created, owner_id, deleted, revision
FROM images
WHERE id = $1 FOR UPDATE;

-- imageSteps.saveImage
WITH done AS (UPDATE images
	SET key = $3, width = $4, height = $5, tags = $6, created = $7, owner_id = $8, deleted = $9, revision = $10
	WHERE id = $1 AND revision = $2
	RETURNING id AS c0)
SELECT c0, 1
FROM done
UNION ALL SELECT NULL, 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- importSteps.accounts
SELECT id, source, phone, adopted, firstname, lastname, expertise, location, timezone, joined
FROM users
WHERE source = ANY($1);

-- importSteps.adopt
UPDATE users
SET source = $2, adopted = true, firstname = $3, lastname = $4
WHERE id = $1;

-- importSteps.bundles
SELECT id, first_original_id, original_id
FROM bundles
WHERE id = ANY($1);

-- importSteps.categories
SELECT id, parent_id, name, slug
FROM categories
WHERE id = ANY($1);

-- importSteps.complete
INSERT INTO import_completion AS c (id, began, ended)
VALUES (1, $1, $2)
ON CONFLICT (id) DO UPDATE
SET began = EXCLUDED.began, ended = EXCLUDED.ended
WHERE c.ended < EXCLUDED.ended;

-- importSteps.cover
SELECT picture
FROM import_covers
WHERE digest = $1;

-- importSteps.deleteAbandoned
DELETE
FROM import_lines
WHERE file = $1 AND number = ANY($2);

-- importSteps.deleteLines
DELETE
FROM import_lines
WHERE id = ANY($1);

-- importSteps.finish[0]
DELETE
FROM imports
WHERE file = $1;

-- importSteps.finish[1]
DELETE
FROM import_lines
WHERE file = $1;

-- importSteps.holders
SELECT id, source, phone, adopted, firstname, lastname, expertise, location, timezone, joined
FROM users
WHERE phone = ANY($1);

-- importSteps.howTos
SELECT u.source, h.category, h.robot_id, h.bundles, h.created, h.updated
FROM howtos h
JOIN users u ON u.id = h.robot_id
WHERE h.category = ANY($1) AND u.source = ANY($2);

-- importSteps.inFile
SELECT id, file, number, kind, source
FROM import_lines
WHERE file = $1 AND number BETWEEN $2 AND $3;

-- importSteps.insertCover
INSERT INTO import_covers (digest, picture)
VALUES ($1, $2)
ON CONFLICT (digest) DO NOTHING;

-- importSteps.known[bundle]
SELECT CAST(id AS text)
FROM bundles
WHERE id = ANY($1);

-- importSteps.known[category]
SELECT CAST(id AS text)
FROM categories
WHERE id = ANY($1);

-- importSteps.known[demand]
SELECT CAST(id AS text)
FROM demands
WHERE id = ANY($1);

-- importSteps.known[news]
SELECT source
FROM news
WHERE source = ANY($1);

-- importSteps.known[node]
SELECT CAST(id AS text)
FROM nodes
WHERE id = ANY($1);

-- importSteps.known[publication]
SELECT CAST(id AS text)
FROM publications
WHERE id = ANY($1);

-- importSteps.known[user]
SELECT source
FROM users
WHERE source = ANY($1) AND phone NOT LIKE 'erased-%';

-- importSteps.loadProgress
SELECT progress
FROM imports
WHERE file = $1;

-- importSteps.news
SELECT source, site_name, site_logo, url, title, released, html, category, city, district, province, country
FROM news
WHERE source = ANY($1);

-- importSteps.ofRecords
SELECT id, file, number, kind, source
FROM import_lines
WHERE source = ANY($1);

-- importSteps.publicationsOf
SELECT id, bundle_id, first_original_id, original_id, node_id, type, title, summary, cover, author_id, language, category_id, published, deleted, created, updated
FROM publications
WHERE bundle_id = ANY($1);

-- importSteps.records[demand]
SELECT id, title, description, tags, cover, images, author_id, address, category_id, lat, lng, closed, starts, ends, published, deleted, created, updated
FROM demands
WHERE id = ANY($1);

-- importSteps.records[node]
SELECT id, bundle_id, title, summary, cover, author_id, language, category_id, published, deleted, created, updated
FROM nodes
WHERE id = ANY($1);

-- importSteps.records[publication]
SELECT id, bundle_id, first_original_id, original_id, node_id, type, title, summary, cover, author_id, language, category_id, published, deleted, created, updated
FROM publications
WHERE id = ANY($1);

-- importSteps.saveProgress
INSERT INTO imports (file, progress)
VALUES ($1, $2)
ON CONFLICT (file) DO UPDATE
SET progress = EXCLUDED.progress;

-- importSteps.translations
SELECT id, bundle_id, first_original_id, original_id, node_id, type, title, summary, cover, author_id, language, category_id, published, deleted, created, updated
FROM publications
WHERE first_original_id = ANY($1) AND published AND NOT deleted;

-- importSteps.tree
SELECT id, parent_id, name, slug
FROM categories;

-- importSteps.updateBundle
UPDATE bundles
SET first_original_id = $2, original_id = $3
WHERE id = $1;

-- importSteps.updateCategory
UPDATE categories
SET parent_id = $2, name = $3, slug = $4, version = version + 1
WHERE id = $1;

-- importSteps.updateHowTo
UPDATE howtos
SET bundles = $3, created = $4, updated = $5
WHERE category = $1 AND robot_id = $2;

-- importSteps.updateLine
UPDATE import_lines
SET kind = $2, source = $3, raw = $4
WHERE id = $1 AND (kind <> $2 OR source <> $3 OR raw <> $4);

-- importSteps.updateNews
UPDATE news
SET site_name = $2, site_logo = $3, url = $4, title = $5, released = $6, html = $7, category = $8, city = $9, district = $10, province = $11, country = $12
WHERE source = $1;

-- importSteps.updateRecord[demand]
UPDATE demands
SET title = $2, description = $3, tags = $4, cover = $5, images = $6, author_id = $7, address = $8, category_id = $9, lat = $10, lng = $11, closed = $12, starts = $13, ends = $14, published = $15, deleted = $16, created = $17, updated = $18
WHERE id = $1;

-- importSteps.updateRecord[node]
UPDATE nodes
SET bundle_id = $2, title = $3, summary = $4, cover = $5, author_id = $6, language = $7, category_id = $8, published = $9, deleted = $10, created = $11, updated = $12
WHERE id = $1;

-- importSteps.updateRecord[publication]
UPDATE publications
SET bundle_id = $2, first_original_id = $3, original_id = $4, node_id = $5, type = $6, title = $7, summary = $8, cover = $9, author_id = $10, language = $11, category_id = $12, published = $13, deleted = $14, created = $15, updated = $16
WHERE id = $1;

-- importSteps.updateUser
UPDATE users
SET firstname = $2, lastname = $3, expertise = $4, location = $5, timezone = $6, joined = $7
WHERE source = $1;

-- importSteps.userIDs
SELECT source, id
FROM users
WHERE source = ANY($1) AND phone NOT LIKE 'erased-%';

-- importSteps.visibleBundles
SELECT DISTINCT bundle_id
FROM publications
WHERE bundle_id = ANY($1) AND published AND NOT deleted AND NOT (id = ANY($2));

-- importSteps.waiting
SELECT number, raw
FROM (
	SELECT number, raw, SUM(length(raw)) OVER (ORDER BY number) - length(raw) AS before
	FROM import_lines
	WHERE file = $1 AND number > $2
	ORDER BY number
	LIMIT CAST($3 AS bigint)) l
WHERE before < CAST($4 AS bigint)
ORDER BY number;

-- keySteps.completeComment
WITH done AS (UPDATE idempotency_keys
	SET busy = NULL, kind = 'comment', made_id = currval('comments_id_seq')
	WHERE user_id = $1 AND name = $2 AND holder = $3 AND busy IS NOT NULL AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
	RETURNING user_id AS c0)
SELECT c0, 1
FROM done
UNION ALL SELECT NULL, 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- keySteps.completeEvent
WITH done AS (UPDATE idempotency_keys
	SET busy = NULL, kind = 'event', made_id = currval('events_id_seq')
	WHERE user_id = $1 AND name = $2 AND holder = $3 AND busy IS NOT NULL AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
	RETURNING user_id AS c0)
SELECT c0, 1
FROM done
UNION ALL SELECT NULL, 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- keySteps.completeImage
WITH done AS (UPDATE idempotency_keys
	SET busy = NULL, kind = 'image', made_id = currval('images_id_seq')
	WHERE user_id = $1 AND name = $2 AND holder = $3 AND busy IS NOT NULL AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
	RETURNING user_id AS c0)
SELECT c0, 1
FROM done
UNION ALL SELECT NULL, 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- keySteps.completePlate
WITH done AS (UPDATE idempotency_keys
	SET busy = NULL, kind = 'plate', made_id = currval('plates_id_seq')
	WHERE user_id = $1 AND name = $2 AND holder = $3 AND busy IS NOT NULL AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
	RETURNING user_id AS c0)
SELECT c0, 1
FROM done
UNION ALL SELECT NULL, 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- keySteps.completeSubscription
WITH done AS (UPDATE idempotency_keys
	SET busy = NULL, kind = $4, made_id = $5
	WHERE user_id = $1 AND name = $2 AND holder = $3 AND busy IS NOT NULL AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
	RETURNING user_id AS c0)
SELECT c0, 1
FROM done
UNION ALL SELECT NULL, 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- listingSteps.count
INSERT INTO feed_counters AS k (category_id, kind, shard, count, created, updated, version)
SELECT $1, $2, pg_backend_pid() % 16, $3, $4, $5, 1
WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
ON CONFLICT (category_id, kind, shard) DO UPDATE
SET count = k.count + EXCLUDED.count, version = k.version + 1, created = CASE WHEN EXCLUDED.created IS NULL OR k.created >= EXCLUDED.created THEN k.created ELSE EXCLUDED.created END, updated = CASE WHEN EXCLUDED.updated IS NULL OR k.updated >= EXCLUDED.updated THEN k.updated ELSE EXCLUDED.updated END;

-- listingSteps.counts
INSERT INTO feed_counters AS k (category_id, kind, shard, count, created, updated, version)
SELECT n.c1, n.c2, pg_backend_pid() % 16, n.c3, n.c4, n.c5, 1
FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::timestamptz[], $5::timestamptz[]) n (c1, c2, c3, c4, c5)
WHERE TRUE AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
ON CONFLICT (category_id, kind, shard) DO UPDATE
SET count = k.count + EXCLUDED.count, version = k.version + 1, created = CASE WHEN EXCLUDED.created IS NULL OR k.created >= EXCLUDED.created THEN k.created ELSE EXCLUDED.created END, updated = CASE WHEN EXCLUDED.updated IS NULL OR k.updated >= EXCLUDED.updated THEN k.updated ELSE EXCLUDED.updated END;

-- listingSteps.first
WITH counted AS (INSERT INTO feed_counters AS k (category_id, kind, shard, count, created, updated, version)
	SELECT $3, $1, pg_backend_pid() % 16, 1, $4, $5, 1
	WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
	ON CONFLICT (category_id, kind, shard) DO UPDATE
	SET count = k.count + EXCLUDED.count, version = k.version + 1, created = CASE WHEN EXCLUDED.created IS NULL OR k.created >= EXCLUDED.created THEN k.created ELSE EXCLUDED.created END, updated = CASE WHEN EXCLUDED.updated IS NULL OR k.updated >= EXCLUDED.updated THEN k.updated ELSE EXCLUDED.updated END) INSERT INTO feed_listings (kind, id, category_id, created, updated, lat, lng)
SELECT $1, COALESCE($2, currval('events_id_seq')), $3, $4, $5, $6, $7
WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes';

-- listingSteps.lock
SELECT shard
FROM feed_counters
WHERE category_id = $1 AND kind = $2 AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
ORDER BY shard FOR UPDATE;

-- listingSteps.recount
WITH m AS (SELECT (SELECT l.created
		FROM feed_listings l
		WHERE l.category_id = $1 AND l.kind = CAST($2 AS text)
		ORDER BY l.created DESC
		LIMIT 1) AS created, (SELECT l.updated
		FROM feed_listings l
		WHERE l.category_id = $1 AND l.kind = CAST($2 AS text)
		ORDER BY l.updated DESC
		LIMIT 1) AS updated) UPDATE feed_counters AS k
SET created = CASE WHEN k.created <= m.created THEN k.created ELSE m.created END, updated = CASE WHEN k.updated <= m.updated THEN k.updated ELSE m.updated END
FROM m
WHERE k.category_id = $1 AND k.kind = $2 AND (m.created IS NULL OR k.created > m.created OR k.updated > m.updated) AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes';

-- listingSteps.remove
DELETE
FROM feed_listings
WHERE kind = CAST($1 AS text) AND id = $2 AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes';

-- listingSteps.total
INSERT INTO feed_totals AS t (kind, shard, count, version)
SELECT $1, pg_backend_pid() % 16, $2, $3
WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
ON CONFLICT (kind, shard) DO UPDATE
SET count = t.count + EXCLUDED.count, version = CASE WHEN t.version < EXCLUDED.version THEN EXCLUDED.version ELSE t.version + 1 END;

-- listingSteps.update
UPDATE feed_listings
SET updated = $3
WHERE kind = CAST($1 AS text) AND id = $2 AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes';

-- listingSteps.upsert
INSERT INTO feed_listings (kind, id, category_id, created, updated, lat, lng)
SELECT $1, COALESCE($2, currval('events_id_seq')), $3, $4, $5, $6, $7
WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
ON CONFLICT (kind, id) DO UPDATE
SET category_id = EXCLUDED.category_id, created = EXCLUDED.created, updated = EXCLUDED.updated, lat = EXCLUDED.lat, lng = EXCLUDED.lng;

-- members
SELECT u.id, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined, p.seen, u.avatar
FROM users u
LEFT JOIN presence p ON p.user_id = u.id
WHERE u.id = ANY($1) AND u.phone NOT LIKE 'erased-%';

-- personalSteps.eraseSteps.afterAccount[0]
DELETE
FROM presence
WHERE user_id = $1;

-- personalSteps.eraseSteps.afterAccount[1]
DELETE
FROM image_counts
WHERE owner_id = $1 AND kept = 0;

-- personalSteps.eraseSteps.afterAccount[2]
DELETE
FROM picture_totals
WHERE owner_id = $1 AND NOT EXISTS (SELECT 1
	FROM pictures p
	WHERE p.owner_id = $1);

-- personalSteps.eraseSteps.afterAccount[3]
DELETE
FROM import_lines
WHERE kind = 'user' AND source = (SELECT u.source
	FROM users u
	WHERE u.id = $1);

-- personalSteps.eraseSteps.blankAccount
UPDATE users
SET phone = $2, password_hash = '', scopes = $3, staff = FALSE, disabled = TRUE, generation = generation + 1, firstname = '', lastname = '', expertise = '', location = '', timezone = 'UTC', avatar = NULL, revision = revision + 1
WHERE id = $1 AND phone NOT LIKE 'erased-%'
RETURNING id;

-- personalSteps.eraseSteps.deleteComment
DELETE
FROM comments
WHERE id = ANY($1)
RETURNING event_id;

-- personalSteps.eraseSteps.deleteImages
DELETE
FROM images
WHERE id = ANY($1)
RETURNING id;

-- personalSteps.eraseSteps.deleteLikes
DELETE
FROM likes
WHERE user_id = $1 AND event_id = ANY($2)
RETURNING event_id;

-- personalSteps.eraseSteps.deleteRecords[demand]
DELETE
FROM demands
WHERE id = ANY($1);

-- personalSteps.eraseSteps.deleteRecords[node]
DELETE
FROM nodes
WHERE id = ANY($1);

-- personalSteps.eraseSteps.deleteRecords[publication]
DELETE
FROM publications
WHERE id = ANY($1);

-- personalSteps.eraseSteps.discardCover
INSERT INTO discards (key, due)
SELECT CAST($1 AS text), CAST($2 AS timestamptz)
WHERE NOT EXISTS (SELECT 1
	FROM publications
	WHERE cover ->> 'key' = $1
	UNION ALL SELECT 1
	FROM nodes
	WHERE cover ->> 'key' = $1
	UNION ALL SELECT 1
	FROM demands
	WHERE cover ->> 'key' = $1)
ON CONFLICT (key) DO NOTHING;

-- personalSteps.eraseSteps.forgetCover
DELETE
FROM import_covers
WHERE picture ->> 'key' = $1 AND EXISTS (SELECT 1
	FROM discards q
	WHERE q.key = $1);

-- personalSteps.eraseSteps.hideImages
UPDATE images
SET deleted = created
WHERE id = ANY($1) AND deleted IS NULL
RETURNING id;

-- personalSteps.eraseSteps.lockAllCounts
SELECT event_id
FROM event_counts
WHERE event_id = ANY($1)
ORDER BY event_id FOR UPDATE;

-- personalSteps.eraseSteps.recountEvent
UPDATE event_counts
SET comments = comments - $2, commented = (SELECT max(c.created)
	FROM comments c
	WHERE c.event_id = $1)
WHERE event_id = $1;

-- personalSteps.eraseSteps.someComments
SELECT id, event_id
FROM comments
WHERE author_id = $1
ORDER BY event_id, id
LIMIT CAST($2 AS bigint);

-- personalSteps.eraseSteps.someEvents
SELECT id
FROM events
WHERE author_id = $1
LIMIT CAST($2 AS bigint);

-- personalSteps.eraseSteps.someImages
SELECT i.id
FROM (SELECT id
	FROM images
	WHERE owner_id = $1 AND deleted IS NULL
	UNION ALL SELECT id
	FROM images
	WHERE owner_id = $1 AND deleted IS NOT NULL) i
ORDER BY i.id + 0
LIMIT CAST($2 AS bigint);

-- personalSteps.eraseSteps.someLikes
SELECT event_id
FROM likes
WHERE user_id = $1
ORDER BY event_id
LIMIT CAST($2 AS bigint);

-- personalSteps.eraseSteps.someRecords[demand]
SELECT id, title, description, tags, cover, images, author_id, address, category_id, lat, lng, closed, starts, ends, published, deleted, created, updated
FROM demands
WHERE author_id = $1
ORDER BY id
LIMIT CAST($2 AS bigint);

-- personalSteps.eraseSteps.someRecords[node]
SELECT id, bundle_id, title, summary, cover, author_id, language, category_id, published, deleted, created, updated
FROM nodes
WHERE author_id = $1
ORDER BY id
LIMIT CAST($2 AS bigint);

-- personalSteps.eraseSteps.someRecords[publication]
SELECT id, bundle_id, first_original_id, original_id, node_id, type, title, summary, cover, author_id, language, category_id, published, deleted, created, updated
FROM publications
WHERE author_id = $1
ORDER BY id
LIMIT CAST($2 AS bigint);

-- personalSteps.eraseSteps.uncountImages
UPDATE image_counts
SET kept = kept - $2
WHERE owner_id = $1;

-- personalSteps.eraseSteps.unlike
UPDATE event_counts
SET likes = likes - 1
WHERE event_id = ANY($1);

-- personalSteps.personErase[failed_logins]
DELETE
FROM login_failures
WHERE phone = (SELECT u.phone
	FROM users u
	WHERE u.id = $1) AND (id) IN (SELECT id
	FROM login_failures
	WHERE phone = (SELECT u.phone
		FROM users u
		WHERE u.id = $1)
	LIMIT CAST($2 AS bigint))
RETURNING 1;

-- personalSteps.personErase[follows]
DELETE
FROM subscriptions
WHERE (user_id = $1 OR followed_id = $1) AND (id) IN (SELECT id
	FROM subscriptions
	WHERE (user_id = $1 OR followed_id = $1)
	LIMIT CAST($2 AS bigint))
RETURNING 1;

-- personalSteps.personErase[howtos]
DELETE
FROM howtos
WHERE robot_id = $1 AND (category, robot_id) IN (SELECT category, robot_id
	FROM howtos
	WHERE robot_id = $1
	LIMIT CAST($2 AS bigint))
RETURNING 1;

-- personalSteps.personErase[idempotency_keys]
DELETE
FROM idempotency_keys
WHERE user_id = $1 AND (user_id, name) IN (SELECT user_id, name
	FROM idempotency_keys
	WHERE user_id = $1
	LIMIT CAST($2 AS bigint))
RETURNING 1;

-- personalSteps.personErase[login_networks]
DELETE
FROM usual_sources
WHERE phone = (SELECT u.phone
	FROM users u
	WHERE u.id = $1) AND (phone, source) IN (SELECT phone, source
	FROM usual_sources
	WHERE phone = (SELECT u.phone
		FROM users u
		WHERE u.id = $1)
	LIMIT CAST($2 AS bigint))
RETURNING 1;

-- personalSteps.personErase[orders]
UPDATE orders
SET subject = ''
WHERE user_id = $1 AND state <> 'open' AND subject <> '' AND (id) IN (SELECT id
	FROM orders
	WHERE user_id = $1 AND state <> 'open' AND subject <> ''
	LIMIT CAST($2 AS bigint))
RETURNING 1;

-- personalSteps.personErase[prepayments]
UPDATE prepayments
SET open_id = '', code_url = '', mweb_url = '', request = substr(request, 1, 0)
WHERE order_id IN (SELECT o.id
	FROM orders o
	WHERE o.user_id = $1) AND state IN ('closed', 'paid') AND (open_id <> '' OR code_url <> '' OR mweb_url <> '' OR length(request) > 0) AND (id) IN (SELECT id
	FROM prepayments
	WHERE order_id IN (SELECT o.id
		FROM orders o
		WHERE o.user_id = $1) AND state IN ('closed', 'paid') AND (open_id <> '' OR code_url <> '' OR mweb_url <> '' OR length(request) > 0)
	LIMIT CAST($2 AS bigint))
RETURNING 1;

-- personalSteps.personErase[rate_limits]
DELETE
FROM rate_limits
WHERE user_id = $1 AND (user_id, action) IN (SELECT user_id, action
	FROM rate_limits
	WHERE user_id = $1
	LIMIT CAST($2 AS bigint))
RETURNING 1;

-- personalSteps.personErase[refunds]
UPDATE refunds
SET reason = ''
WHERE payment_id IN (SELECT p.id
	FROM orders o
	JOIN payments p ON p.order_id = o.id
	WHERE o.user_id = $1) AND state NOT IN ('processing', 'abnormal') AND reason <> '' AND (id) IN (SELECT id
	FROM refunds
	WHERE payment_id IN (SELECT p.id
		FROM orders o
		JOIN payments p ON p.order_id = o.id
		WHERE o.user_id = $1) AND state NOT IN ('processing', 'abnormal') AND reason <> ''
	LIMIT CAST($2 AS bigint))
RETURNING 1;

-- personalSteps.personErase[sessions]
DELETE
FROM tokens
WHERE user_id = $1 AND (id) IN (SELECT id
	FROM tokens
	WHERE user_id = $1
	LIMIT CAST($2 AS bigint))
RETURNING 1;

-- personalSteps.personRecords[account]
SELECT u.id, u.id, u.phone, u.scopes, u.staff, u.disabled, u.source, u.avatar, p.seen, u.firstname, u.lastname, u.expertise, u.location, u.timezone, u.joined
FROM users u
LEFT JOIN presence p ON p.user_id = u.id
WHERE u.id = $1 AND u.id > $2
ORDER BY u.id
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[comments]
SELECT c.event_id, c.id, c.id, c.event_id, c.content, c.created
FROM comments c
WHERE c.author_id = $1 AND (c.event_id, c.id) > ($2, $3)
ORDER BY c.event_id, c.id
LIMIT CAST($4 AS bigint);

-- personalSteps.personRecords[demands]
SELECT r.id, r.id, r.title, r.description, r.tags, r.cover, r.images, r.author_id, r.address, r.category_id, r.lat, r.lng, r.closed, r.starts, r.ends, r.published, r.deleted, r.created, r.updated
FROM demands r
WHERE r.author_id = $1 AND r.id > $2
ORDER BY r.id
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[events]
SELECT e.id + 0, e.id, e.author_id, e.created, e.day, e.category_id, e.permission, e.status, e.title, e.content, e.html, e.province, e.city, e.district, e.modified, e.revision, 0, 0, (SELECT json_agg(json_build_array(p.id, p.photo, (extract(epoch FROM p.created) * 1000000)::bigint)
		ORDER BY p.id)
	FROM plates p
	WHERE p.event_id = e.id)
FROM events e
WHERE e.author_id = $1 AND e.id + 0 > $2
ORDER BY e.id + 0
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[failed_logins]
SELECT f.id + 0, f.source, f.failed
FROM login_failures f
WHERE f.phone = (SELECT u.phone
	FROM users u
	WHERE u.id = $1) AND f.id + 0 > $2
ORDER BY f.id + 0
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[follows]
SELECT s.id + 0, s.id, s.followed_id, s.category_id, s.created
FROM subscriptions s
WHERE s.user_id = $1 AND s.id + 0 > $2
ORDER BY s.id + 0
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[howtos]
SELECT h.category, h.category, h.robot_id, h.bundles, h.created, h.updated
FROM howtos h
WHERE h.robot_id = $1 AND h.category > $2
ORDER BY h.category
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[idempotency_keys]
SELECT k.name, k.name, k.since, CASE WHEN k.order_id IS NOT NULL THEN 'order' WHEN k.kind IS NULL AND k.refund_id IS NOT NULL THEN 'refund' ELSE COALESCE(k.kind, '') END, COALESCE(k.order_id, k.made_id, k.refund_id)
FROM idempotency_keys k
WHERE k.user_id = $1 AND k.name > $2
ORDER BY k.name
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[images]
SELECT i.id + 0, i.id, i.key, i.width, i.height, i.tags, i.created, i.owner_id, i.deleted, i.revision
FROM (SELECT id, key, width, height, tags, created, owner_id, deleted, revision
	FROM images
	WHERE owner_id = $1 AND deleted IS NULL
	UNION ALL SELECT id, key, width, height, tags, created, owner_id, deleted, revision
	FROM images
	WHERE owner_id = $1 AND deleted IS NOT NULL) i
WHERE TRUE AND i.id + 0 > $2
ORDER BY i.id + 0
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[likes]
SELECT l.event_id, l.event_id
FROM likes l
WHERE l.user_id = $1 AND l.event_id > $2
ORDER BY l.event_id
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[login_networks]
SELECT o.source, o.source, o.last_login
FROM usual_sources o
WHERE o.phone = (SELECT u.phone
	FROM users u
	WHERE u.id = $1) AND o.source > $2
ORDER BY o.source
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[nodes]
SELECT r.id, r.id, r.bundle_id, r.title, r.summary, r.cover, r.author_id, r.language, r.category_id, r.published, r.deleted, r.created, r.updated
FROM nodes r
WHERE r.author_id = $1 AND r.id > $2
ORDER BY r.id
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[orders]
SELECT o.id + 0, o.id, o.subject, o.amount, o.currency, o.state, o.created, o.expires, o.paid, o.transaction_id
FROM orders o
WHERE o.user_id = $1 AND o.id + 0 > $2
ORDER BY o.id + 0
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[payments]
SELECT p.id + 0, p.id, p.order_id, p.transaction_id, p.state, p.amount, p.currency, p.received
FROM orders o
JOIN payments p ON p.order_id = o.id
WHERE o.user_id = $1 AND p.id + 0 > $2
ORDER BY p.id + 0
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[prepayments]
SELECT p.id + 0, p.order_id, p.out_trade_no, p.end_type, p.app, p.open_id, p.state, p.created
FROM orders o
JOIN prepayments p ON p.order_id = o.id
WHERE o.user_id = $1 AND p.id + 0 > $2
ORDER BY p.id + 0
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[publications]
SELECT r.id, r.id, r.bundle_id, r.first_original_id, r.original_id, r.node_id, r.type, r.title, r.summary, r.cover, r.author_id, r.language, r.category_id, r.published, r.deleted, r.created, r.updated
FROM publications r
WHERE r.author_id = $1 AND r.id > $2
ORDER BY r.id
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[rate_limits]
SELECT r.action, r.action, r.until
FROM rate_limits r
WHERE r.user_id = $1 AND r.action > $2
ORDER BY r.action
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[refunds]
SELECT r.id + 0, r.id, r.payment_id, r.amount, r.currency, r.reason, r.state, r.wallet_refund_id, r.created, r.updated
FROM orders o
JOIN payments p ON p.order_id = o.id
JOIN refunds r ON r.payment_id = p.id
WHERE o.user_id = $1 AND r.id + 0 > $2
ORDER BY r.id + 0
LIMIT CAST($3 AS bigint);

-- personalSteps.personRecords[sessions]
SELECT t.id + 0, t.id, t.scopes, t.ttl, t.created, w.used
FROM tokens t
JOIN token_uses w ON w.token_id = t.id
WHERE t.user_id = $1 AND t.id + 0 > $2
ORDER BY t.id + 0
LIMIT CAST($3 AS bigint);

-- personalSteps.personRemaining[account]
SELECT COUNT(*)
FROM users
WHERE id = $1 AND phone NOT LIKE 'erased-%';

-- personalSteps.personRemaining[comments]
SELECT COUNT(*)
FROM comments
WHERE author_id = $1;

-- personalSteps.personRemaining[demands]
SELECT COUNT(*)
FROM demands
WHERE author_id = $1;

-- personalSteps.personRemaining[events]
SELECT COUNT(*)
FROM events
WHERE author_id = $1;

-- personalSteps.personRemaining[failed_logins]
SELECT COUNT(*)
FROM login_failures
WHERE phone = (SELECT u.phone
	FROM users u
	WHERE u.id = $1);

-- personalSteps.personRemaining[follows]
SELECT COUNT(*)
FROM subscriptions
WHERE (user_id = $1 OR followed_id = $1);

-- personalSteps.personRemaining[howtos]
SELECT COUNT(*)
FROM howtos
WHERE robot_id = $1;

-- personalSteps.personRemaining[idempotency_keys]
SELECT COUNT(*)
FROM idempotency_keys
WHERE user_id = $1;

-- personalSteps.personRemaining[images]
SELECT COUNT(*)
FROM (SELECT id
	FROM images
	WHERE owner_id = $1 AND deleted IS NULL
	UNION ALL SELECT id
	FROM images
	WHERE owner_id = $1 AND deleted IS NOT NULL) i;

-- personalSteps.personRemaining[likes]
SELECT COUNT(*)
FROM likes
WHERE user_id = $1;

-- personalSteps.personRemaining[login_networks]
SELECT COUNT(*)
FROM usual_sources
WHERE phone = (SELECT u.phone
	FROM users u
	WHERE u.id = $1);

-- personalSteps.personRemaining[nodes]
SELECT COUNT(*)
FROM nodes
WHERE author_id = $1;

-- personalSteps.personRemaining[orders]
SELECT COUNT(*)
FROM orders
WHERE user_id = $1 AND state <> 'open' AND subject <> '';

-- personalSteps.personRemaining[prepayments]
SELECT COUNT(*)
FROM prepayments
WHERE order_id IN (SELECT o.id
	FROM orders o
	WHERE o.user_id = $1) AND state IN ('closed', 'paid') AND (open_id <> '' OR code_url <> '' OR mweb_url <> '' OR length(request) > 0);

-- personalSteps.personRemaining[publications]
SELECT COUNT(*)
FROM publications
WHERE author_id = $1;

-- personalSteps.personRemaining[rate_limits]
SELECT COUNT(*)
FROM rate_limits
WHERE user_id = $1;

-- personalSteps.personRemaining[refunds]
SELECT COUNT(*)
FROM refunds
WHERE payment_id IN (SELECT p.id
	FROM orders o
	JOIN payments p ON p.order_id = o.id
	WHERE o.user_id = $1) AND state NOT IN ('processing', 'abnormal') AND reason <> '';

-- personalSteps.personRemaining[sessions]
SELECT COUNT(*)
FROM tokens
WHERE user_id = $1;

-- quotaSteps.addPicture
INSERT INTO pictures (key, owner_id, bytes)
SELECT $1, $2, $3
WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes';

-- quotaSteps.bytesTaken
SELECT bytes
FROM picture_totals
WHERE owner_id = $1;

-- quotaSteps.commentsBelow
WITH done AS (SELECT 1
	WHERE (SELECT COUNT(*)
		FROM (SELECT 1
			FROM comments c
			WHERE c.event_id = $1 AND c.author_id = $2
			LIMIT CAST($3 AS bigint)) counted) < CAST($3 AS bigint) AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes')
SELECT 1
FROM done
UNION ALL SELECT 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- quotaSteps.draftsBelow
WITH done AS (SELECT 1
	WHERE (SELECT COUNT(*)
		FROM (SELECT 1
			FROM events e
			WHERE e.author_id = $1 AND e.status = 0
			LIMIT CAST($2 AS bigint)) counted) < CAST($2 AS bigint) AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes')
SELECT 1
FROM done
UNION ALL SELECT 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- quotaSteps.lockRoom
SELECT pg_advisory_xact_lock(hashtextextended($1, 0));

-- quotaSteps.setAvatar
WITH done AS (UPDATE users
	SET avatar = $1
	WHERE id = $2 AND phone NOT LIKE 'erased-%' AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
	RETURNING id AS c0)
SELECT c0, 1
FROM done
UNION ALL SELECT NULL, 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- quotaSteps.takeBytes
WITH done AS (INSERT INTO picture_totals AS t (owner_id, bytes)
	SELECT CAST($1 AS bigint), CAST($2 AS bigint)
	WHERE CAST($2 AS bigint) <= CAST($3 AS bigint) AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
	ON CONFLICT (owner_id) DO UPDATE
	SET bytes = t.bytes + EXCLUDED.bytes
	WHERE t.bytes + EXCLUDED.bytes <= CAST($3 AS bigint)
	RETURNING bytes AS c0)
SELECT c0, 1
FROM done
UNION ALL SELECT NULL, 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- rateLimitSteps.charge
WITH done AS (INSERT INTO rate_limits AS r (user_id, action, until)
	SELECT CAST($1 AS bigint), CAST($2 AS text), CAST($3 AS bigint) + CAST($4 AS bigint)
	WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
	ON CONFLICT (user_id, action) DO UPDATE
	SET until = CASE WHEN r.until > $3 THEN r.until ELSE $3 END + $4
	WHERE CASE WHEN r.until > $3 THEN r.until ELSE $3 END + $4 <= $3 + $5
	RETURNING until AS c0)
SELECT c0, 1
FROM done
UNION ALL SELECT NULL, 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- rateLimitSteps.chargeEdit
WITH done AS (INSERT INTO rate_limits AS r (user_id, action, until)
	SELECT CAST($1 AS bigint), CAST($2 AS text), CAST($3 AS bigint) + CAST($4 AS bigint)
	FROM (SELECT 1
		FROM events
		WHERE id = $6 AND revision = $7 FOR NO KEY UPDATE) AS e
	WHERE TRUE AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
	ON CONFLICT (user_id, action) DO UPDATE
	SET until = CASE WHEN r.until > $3 THEN r.until ELSE $3 END + $4
	WHERE CASE WHEN r.until > $3 THEN r.until ELSE $3 END + $4 <= $3 + $5
	RETURNING until AS c0)
SELECT c0, 1
FROM done
UNION ALL SELECT NULL, 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- rateLimitSteps.chargeOn
WITH done AS (INSERT INTO rate_limits AS r (user_id, action, until)
	SELECT CAST($1 AS bigint), CAST($2 AS text), CAST($3 AS bigint) + CAST($4 AS bigint)
	FROM (SELECT 1
		FROM event_counts
		WHERE event_id = $6 FOR KEY SHARE) AS e
	WHERE TRUE AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
	ON CONFLICT (user_id, action) DO UPDATE
	SET until = CASE WHEN r.until > $3 THEN r.until ELSE $3 END + $4
	WHERE CASE WHEN r.until > $3 THEN r.until ELSE $3 END + $4 <= $3 + $5
	RETURNING until AS c0)
SELECT c0, 1
FROM done
UNION ALL SELECT NULL, 0
WHERE CASE WHEN EXISTS (SELECT
	FROM done) THEN FALSE ELSE set_config('plaza.missed', 'yes', TRUE) IS NULL END;

-- rateLimitSteps.paid
SELECT until
FROM rate_limits
WHERE user_id = $1 AND action = $2;

-- session
SELECT t.id, t.user_id, t.scopes, t.narrowed, t.generation, t.ttl, t.created, w.used, u.phone, u.password_hash, u.scopes, u.staff, u.disabled, u.generation, u.timezone, p.seen
FROM tokens t
JOIN token_uses w ON w.token_id = t.id
JOIN users u ON u.id = t.user_id
LEFT JOIN presence p ON p.user_id = u.id
WHERE t.hash = $1;

-- telemetrySteps.sample
SELECT (SELECT COUNT(*)
	FROM (SELECT 1
		FROM payments
		WHERE state = 'refund_due' AND refunded < amount
		LIMIT 10000) counted), (SELECT COUNT(*)
	FROM (SELECT 1
		FROM payments
		WHERE state = 'disputed'
		LIMIT 10000) counted), (SELECT created
	FROM prepayments
	WHERE state IN ('preparing', 'unknown', 'live', 'closing')
	ORDER BY created
	LIMIT 1), (SELECT COUNT(*)
	FROM (SELECT 1
		FROM discards
		LIMIT 10000) counted), (SELECT COUNT(*)
	FROM (SELECT 1
		FROM refunds
		WHERE state = 'abnormal'
		LIMIT 10000) counted), COALESCE((SELECT characters
		FROM translation_days
		WHERE translator = $1 AND day = $2), 0), (SELECT began
	FROM import_completion), (SELECT ended
	FROM import_completion), (SELECT completed
	FROM reconciliations
	WHERE completed IS NOT NULL
	ORDER BY day DESC
	LIMIT 1), (SELECT COUNT(*)
	FROM (SELECT 1
		FROM findings
		WHERE kind = 'unknown_here' AND resolved IS NULL
		LIMIT 10000) counted), (SELECT COUNT(*)
	FROM (SELECT 1
		FROM findings
		WHERE kind = 'unknown_there' AND resolved IS NULL
		LIMIT 10000) counted), (SELECT COUNT(*)
	FROM (SELECT 1
		FROM findings
		WHERE kind = 'amount' AND resolved IS NULL
		LIMIT 10000) counted), (SELECT COUNT(*)
	FROM (SELECT 1
		FROM findings
		WHERE kind = 'refund' AND resolved IS NULL
		LIMIT 10000) counted);

-- throttleSteps.addFailure
INSERT INTO login_failures (phone, source, failed, in_pair, in_unusual)
VALUES ($1, $2, $3, TRUE, $4);

-- throttleSteps.addUsual
INSERT INTO usual_sources AS o (phone, source, last_login)
VALUES ($1, $2, $3)
ON CONFLICT (phone, source) DO UPDATE
SET last_login = EXCLUDED.last_login
WHERE EXCLUDED.last_login > o.last_login;

-- throttleSteps.countFailures
SELECT EXISTS (SELECT 1
	FROM usual_sources
	WHERE phone = $1 AND source = $2 AND last_login > $3), (SELECT failed
	FROM login_failures
	WHERE failed > $4 AND phone = $1 AND source = $2 AND in_pair
	ORDER BY failed DESC
	LIMIT 1 OFFSET 4), (SELECT failed
	FROM login_failures
	WHERE failed > $5 AND phone = $1 AND in_unusual
	ORDER BY failed DESC
	LIMIT 1 OFFSET 99), (SELECT failed
	FROM login_failures
	WHERE failed > $6 AND source = $2
	ORDER BY failed DESC
	LIMIT 1 OFFSET 299);

-- throttleSteps.lockAttempts
SELECT pg_advisory_xact_lock(hashtextextended($1, 0));

-- throttleSteps.removeFailure
DELETE
FROM login_failures
WHERE id = (SELECT id
	FROM login_failures
	WHERE phone = $1 AND source = $2
	ORDER BY failed DESC, id DESC
	LIMIT 1);

-- throttleSteps.resetPair
UPDATE login_failures
SET in_pair = FALSE
WHERE phone = $1 AND source = $2 AND in_pair;

-- tileSteps.addTiles
WITH counted AS MATERIALIZED (
	SELECT CAST(floor(floor((l.lat + 90) * 100) / 2) AS integer) AS tile_row, CAST(floor(l.lng * 64) AS integer) AS tile_column, l.category_id, CAST(COUNT(*) AS integer) AS count, MAX(l.created) AS created, MAX(l.updated) AS updated
	FROM feed_listings l
	WHERE l.kind = 'demand' AND l.lat IS NOT NULL AND floor((l.lat + 90) * 100) >= 2 * CAST($1 AS integer) AND floor((l.lat + 90) * 100) < 2 * CAST($2 AS integer)
	GROUP BY 1, 2, 3), kept AS MATERIALIZED (SELECT tile_row, tile_column, category_id, count, created, updated
	FROM feed_tiles
	WHERE tile_row >= CAST($1 AS integer) AND tile_row < CAST($2 AS integer)) INSERT INTO feed_tiles (tile_row, tile_column, category_id, count, created, updated)
SELECT *
FROM (SELECT *
	FROM counted EXCEPT
	SELECT *
	FROM kept) missing
WHERE TRUE
ORDER BY 1, 2, 3
ON CONFLICT (tile_row, tile_column, category_id) DO UPDATE
SET count = EXCLUDED.count, created = EXCLUDED.created, updated = EXCLUDED.updated;

-- tileSteps.compareTiles
WITH counted AS MATERIALIZED (
	SELECT CAST(floor(floor((l.lat + 90) * 100) / 2) AS integer) AS tile_row, CAST(floor(l.lng * 64) AS integer) AS tile_column, l.category_id, CAST(COUNT(*) AS integer) AS count, MAX(l.created) AS created, MAX(l.updated) AS updated
	FROM feed_listings l
	WHERE l.kind = 'demand' AND l.lat IS NOT NULL AND floor((l.lat + 90) * 100) >= 2 * CAST($1 AS integer) AND floor((l.lat + 90) * 100) < 2 * CAST($2 AS integer)
	GROUP BY 1, 2, 3), kept AS MATERIALIZED (SELECT tile_row, tile_column, category_id, count, created, updated
	FROM feed_tiles
	WHERE tile_row >= CAST($1 AS integer) AND tile_row < CAST($2 AS integer))
SELECT CASE WHEN EXISTS (SELECT 1
	FROM feed_tiles_state
	WHERE version = (SELECT CAST(COALESCE(SUM(version), 0) AS bigint)
		FROM feed_totals
		WHERE kind = 'demand')) THEN (SELECT COUNT(*)
	FROM (SELECT *
		FROM (SELECT *
			FROM kept EXCEPT
			SELECT *
			FROM counted) wrong
		UNION ALL SELECT *
		FROM (SELECT *
			FROM counted EXCEPT
			SELECT *
			FROM kept) missing) differing) ELSE 0 END;

-- tileSteps.dropTiles
WITH counted AS MATERIALIZED (
	SELECT CAST(floor(floor((l.lat + 90) * 100) / 2) AS integer) AS tile_row, CAST(floor(l.lng * 64) AS integer) AS tile_column, l.category_id, CAST(COUNT(*) AS integer) AS count, MAX(l.created) AS created, MAX(l.updated) AS updated
	FROM feed_listings l
	WHERE l.kind = 'demand' AND l.lat IS NOT NULL AND floor((l.lat + 90) * 100) >= 2 * CAST($1 AS integer) AND floor((l.lat + 90) * 100) < 2 * CAST($2 AS integer)
	GROUP BY 1, 2, 3), kept AS MATERIALIZED (SELECT tile_row, tile_column, category_id, count, created, updated
	FROM feed_tiles
	WHERE tile_row >= CAST($1 AS integer) AND tile_row < CAST($2 AS integer)) DELETE
FROM feed_tiles
WHERE tile_row >= CAST($1 AS integer) AND tile_row < CAST($2 AS integer) AND (tile_row, tile_column, category_id) IN (SELECT tile_row, tile_column, category_id
	FROM (SELECT *
		FROM kept EXCEPT
		SELECT *
		FROM counted) wrong);

-- tileSteps.nextTileRow
SELECT CAST(floor(floor((l.lat + 90) * 100) / 2) AS integer)
FROM feed_listings l
WHERE l.kind = 'demand' AND l.lat IS NOT NULL AND floor((l.lat + 90) * 100) >= 2 * CAST($1 AS integer)
ORDER BY floor((l.lat + 90) * 100)
LIMIT 1 OFFSET 5000;

-- tileSteps.saveTilesVersion
INSERT INTO feed_tiles_state (id, version)
VALUES (1, $1)
ON CONFLICT (id) DO UPDATE
SET version = EXCLUDED.version;

-- tileSteps.tilesVersion
SELECT (SELECT CAST(COALESCE(SUM(version), 0) AS bigint)
	FROM feed_totals
	WHERE kind = 'demand'), EXISTS (SELECT 1
	FROM feed_tiles_state
	WHERE version = (SELECT CAST(COALESCE(SUM(version), 0) AS bigint)
		FROM feed_totals
		WHERE kind = 'demand'));

-- tokenSteps.firstUse
INSERT INTO token_uses (token_id, used)
SELECT id, $2
FROM tokens
WHERE hash = $1 AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes';

-- tokenSteps.issue
INSERT INTO tokens (hash, user_id, scopes, narrowed, generation, ttl, created)
SELECT $1, $2, $3, $4, $5, $6, $7
WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
RETURNING id;

-- tokenSteps.removeExcess
DELETE
FROM tokens
WHERE id IN (SELECT t.id
	FROM tokens t
	JOIN token_uses w ON w.token_id = t.id
	WHERE t.user_id = $2 AND t.hash <> $1
	ORDER BY w.used DESC, t.id DESC
	LIMIT 2147483647 OFFSET 99) AND current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes';

-- tokenSteps.see
INSERT INTO presence AS p (user_id, seen)
SELECT t.user_id, CAST($2 AS timestamptz)
FROM tokens t
WHERE t.id = $1 AND NOT EXISTS (SELECT 1
	FROM presence q
	WHERE q.user_id = t.user_id AND q.seen > $3)
ON CONFLICT (user_id) DO UPDATE
SET seen = EXCLUDED.seen
WHERE p.seen <= $3;

-- tokenSteps.use
UPDATE token_uses
SET used = $2
WHERE token_id = $1 AND used <= $3;

-- translations
SELECT t.key, t.content
FROM translations t
WHERE t.key = ANY($1) AND t.expires > $2;
