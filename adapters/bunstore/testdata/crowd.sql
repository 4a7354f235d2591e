-- People, and what they do. Words in braces differ between the databases.
INSERT INTO users (phone, password_hash, scopes, disabled, generation, firstname, lastname, expertise, location, timezone, joined)
	SELECT '+86-' || n, '', {list}, n <= 39900, 0,
		CASE WHEN n <= 40000 THEN 'Maximilian' ELSE 'Borislava' END, '', '', '', 'UTC', {ago n} FROM {series 60000};
UPDATE users SET roles = {cashier} WHERE id % 500 = 0;
INSERT INTO presence (user_id, seen) SELECT id, joined FROM users;
INSERT INTO name_prefixes (prefix, user_id) SELECT CASE WHEN id <= 40000 THEN 'ma' ELSE 'bo' END, id FROM users
	UNION ALL SELECT CASE WHEN id <= 40000 THEN 'maximili' ELSE 'borislav' END, id FROM users;
INSERT INTO tokens (hash, user_id, scopes, narrowed, generation, ttl, created)
	SELECT {hash n}, n, {list}, FALSE, 0, 1, {ago n} FROM {series 20000};
INSERT INTO token_uses (token_id, used) SELECT id, created FROM tokens;
INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 10000 + n, 1, {ago n}, {ago n} FROM {series 50000};
INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 1, 10000 + 10 * n, {ago n}, {ago n} FROM {series 5000};
INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 2, 10000 + n, {ago n}, {ago n} FROM {series 5000};
INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 2, 40000 + 2 * n, {ago n}, {ago n} FROM {series 2500};
INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 2, 1, {ago n}, {ago n} FROM {series 1};
INSERT INTO subscriptions (user_id, followed_id, created, updated) SELECT 10000 + 2 * n, 2, {ago n}, {ago n} FROM {series 2500};
INSERT INTO contacts (user_id, contact_id) SELECT s.user_id, s.followed_id FROM subscriptions s
	JOIN subscriptions back ON back.user_id = s.followed_id AND back.followed_id = s.user_id WHERE TRUE ON CONFLICT DO NOTHING;
INSERT INTO blocks (user_id, other_id, is_by_user, created) SELECT 3, 20000 + 2 * n, TRUE, {ago n} FROM {series 5000}
	UNION ALL SELECT 20000 + 2 * n, 3, FALSE, {ago n} FROM {series 5000};
INSERT INTO blocks (user_id, other_id, is_by_user, created) SELECT 20000 + n, 4, TRUE, {ago n} FROM {series 40000}
	UNION ALL SELECT 4, 20000 + n, FALSE, {ago n} FROM {series 40000};
INSERT INTO event_counts (event_id, author_id, comments, likes, commented) SELECT id, author_id, 1, 1, created FROM events;
INSERT INTO plates (event_id, photo, created) SELECT id, 'private/a', created FROM events WHERE id <= 40000;
INSERT INTO likes (event_id, user_id) SELECT id, 1 FROM events WHERE id <= 40000;
INSERT INTO comments (event_id, author_id, content, created) SELECT 1, 20000 + n, 'Hm', {ago n} FROM {series 3000};
INSERT INTO comments (event_id, author_id, content, created) SELECT 2 + n % 1999, 10000 + n, 'Hm', {ago n} FROM {series 20000};
INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires, withdrawn)
	SELECT 6, 'like', 20000 + n, 13, {ago n}, {ago -n}, TRUE FROM {series 15000};
UPDATE notification_counts SET total = 0, unread = 0;
INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires)
	SELECT 6, 'comment', 20000 + n, n, {ago n}, {ago -n} FROM {series 900};
INSERT INTO notifications (owner_id, kind, actor_id, object_id, created, expires)
	SELECT 20000 + n, 'comment', 1, 10000 + n, {ago n}, {ago -n} FROM {series 20000};
INSERT INTO notification_counts (owner_id, total, unread) SELECT 6, 900, 900 FROM {series 1} WHERE TRUE ON CONFLICT DO NOTHING;
INSERT INTO code_uses (use, number, prefix, source, at)
	SELECT 'tried', '8613800000001', '861380000', '2001:db8:1::/48', {ago n} FROM {series 50000};
INSERT INTO code_uses (use, number, prefix, source, at)
	SELECT 'tried', '86139' || (10000000 + n), '86139' || (1000 + n % 9000), '192.0.2.' || n % 250, {ago n} FROM {series 50000};
INSERT INTO report_cases (kind, object_id, owner_id, first_reported, last_reported, spam, decided, outcome)
	SELECT 'event', n, 2, {ago n}, {ago n}, 1, {ago n}, 'dismissed' FROM {series 20000};
INSERT INTO report_cases (kind, object_id, owner_id, first_reported, last_reported, illegal)
	SELECT CASE WHEN n % 1000 = 0 THEN 'image' ELSE 'comment' END, n, 2, {ago n}, {ago n}, CASE WHEN n % 1000 = 1 THEN 1 ELSE 0 END
	FROM {series 20000};
INSERT INTO reports (author_id, kind, object_id, case_id, reason, content, created)
	SELECT 10000 + n, 'event', 1, 1, 'spam', 'An ad', {ago n} FROM {series 20000};
INSERT INTO reports (author_id, kind, object_id, case_id, reason, content, created)
	SELECT 2, 'comment', n, 20000 + n, 'spam', 'An ad', {ago n} FROM {series 20000};
INSERT INTO kept_versions (case_id, digest, content, created)
	SELECT 20000 + n, {hash n}, '{}', {ago n} FROM {series 20000};
INSERT INTO hidden_things (kind, object_id, owner_id, reason, hidden_at)
	SELECT 'image', n, 1 + n % 500, 'Rude', {ago n} FROM {series 20000};
INSERT INTO orders (user_id, subject, amount, currency, state, created, expires)
	SELECT 10000 + n % 20000, 'Tea', 1 + n * 7919 % 100000, 'CNY', CASE WHEN n % 500 = 0 THEN 'open' ELSE 'paid' END, {ago n}, {ago n}
	FROM {series 60000};
INSERT INTO payments (order_id, transaction_id, out_trade_no, state, amount, currency, received, user_id)
	SELECT id, 't' || id, 'o' || id, CASE state WHEN 'paid' THEN 'applied' ELSE 'refund_due' END, amount, currency, created, user_id
	FROM orders;
INSERT INTO refunds (payment_id, out_refund_no, amount, currency, reason, origin, state, wallet_refund_id, created, updated, user_id)
	SELECT id, 'r' || id, amount, currency, 'Cold', 'automatic', 'succeeded', '', received, received, user_id FROM payments WHERE id % 3 = 0;
INSERT INTO images (owner_id, key, width, height, tags, created)
	SELECT 1 + n % 500, 'public/a', 1, 1, {list}, {ago n} FROM {series 20000};

-- Most items are in the first of 200 categories. Each 25th demand is within 5 km of the lake, as many are in its latitudes but elsewhere,
-- and the others within a thousand kilometres.
INSERT INTO categories (id, name, slug) SELECT n, 'Nº ' || n, '' FROM {series 200};
CREATE TEMPORARY TABLE things AS SELECT n AS id, CASE n % 3 WHEN 0 THEN 1 ELSE 1 + n * 31 / 8 % 200 END AS category_id,
	{ago n * 60} AS created, {ago n * 7919 % 100000 * 60} AS updated,
	CASE n % 25 WHEN 0 THEN 30.5 + 0.0440 * sqrt(n / 20000.0) * sin(n) WHEN 1 THEN 30.5 + 0.04 * sin(n)
		ELSE 25 + n * 4001 % 99991 / 9999.1 END AS lat,
	CASE n % 25 WHEN 0 THEN 120.5 + 0.0511 * sqrt(n / 20000.0) * cos(n) ELSE 115 + n * 3989 % 99989 / 9998.9 END AS lng
	FROM {series 20000};
INSERT INTO bundles (id, first_original_id) SELECT id, CASE WHEN id % 2 = 0 THEN id - 1 END FROM things;
INSERT INTO publications (id, bundle_id, first_original_id, type, title, summary, author_id, language, category_id,
		published, deleted, created, updated)
	SELECT id, id, CASE WHEN id % 2 = 0 THEN id - 1 END, 0, 'A title', 'A summary', id, 'en', category_id, TRUE, FALSE, created, updated
	FROM things;
INSERT INTO publication_texts SELECT id, 'A text' FROM things;
INSERT INTO nodes (id, bundle_id, title, summary, author_id, language, category_id, published, deleted, created, updated)
	SELECT id, id, 'A title', 'A summary', id, 'en', category_id, TRUE, FALSE, created, updated FROM things;
INSERT INTO node_texts SELECT id, 'A text' FROM things;
INSERT INTO demands (id, title, description, tags, images, author_id, address, category_id, lat, lng, closed, starts, ends,
		published, deleted, created, updated)
	SELECT id, 'A title', '', {list}, {list}, id, '', category_id, lat, lng, created, created, created, TRUE, FALSE, created, updated
	FROM things;
INSERT INTO feed_listings (kind, id, category_id, created, updated) SELECT kind, id, category_id, created, updated
	FROM things, (SELECT 'publication' AS kind UNION ALL SELECT 'node' UNION ALL SELECT 'xfile') kinds;
INSERT INTO feed_listings (kind, id, category_id, created, updated)
	SELECT 'origin', id, category_id, created, updated FROM things WHERE id % 2 = 1;
INSERT INTO feed_listings (kind, id, category_id, created, updated, lat, lng)
	SELECT 'demand', id, category_id, created, updated, lat, lng FROM things;
INSERT INTO feed_counters SELECT category_id, kind, id % 16, count(*), max(created), max(updated) FROM feed_listings GROUP BY 1, 2, 3;
INSERT INTO feed_totals SELECT kind, id % 16, count(*), 1 FROM feed_listings WHERE kind <> 'xfile' GROUP BY 1, 2;
INSERT INTO feed_totals VALUES ('category', 0, 0, 200);
INSERT INTO search_entries ({columns}kind, id, created, author_id, private, words)
	SELECT {place n}'xfile', n, {ago n}, 10000 + n, false, {words 'a 大 b' || (n % 2) || ' c' || (n % 3) || ' d' || (n % 5) || ' e' || (n % 7) ||
		CASE WHEN n = 30000 THEN ' rare' WHEN n > 59900 THEN ' old' ELSE '' END} FROM {series 60000};
INSERT INTO translations SELECT {hash n}, 'A text', {ago -n} FROM {series 20000};
INSERT INTO news (site_name, site_logo, url, title, released, html, category, city, district, province, country)
	SELECT '', '', '', '', {day n % 2000}, '', '', CASE n % 10 WHEN 0 THEN '杭州市' ELSE '' END, '', '', '' FROM {series 20000};
