-- Every statement of constant text, as it is sent. TestStatements writes this file with -update.

-- addWrite
INSERT INTO presence AS p (user_id, seen, writes)
SELECT CAST($1 AS bigint), now(), 1
WHERE current_setting('plaza.missed', TRUE) IS DISTINCT FROM 'yes'
ON CONFLICT (user_id) DO UPDATE
SET writes = p.writes + 1;

-- isCurrent
SELECT (SELECT CAST(COALESCE(SUM(version), 0) AS bigint)
	FROM feed_totals
	WHERE kind = ANY($1) OR kind = 'category') >= $2;

-- isNew
SELECT pg_is_in_recovery() AND COALESCE(pg_last_wal_replay_lsn() >= CAST(CAST($1 AS text) AS pg_lsn), FALSE), COALESCE((SELECT writes
		FROM presence
		WHERE user_id = $2), 0) >= $3;

-- position
SELECT CAST(pg_current_wal_lsn() AS text), (SELECT system_identifier
	FROM pg_control_system());

-- session
SELECT t.id, t.user_id, t.scopes, t.narrowed, t.generation, t.ttl, t.created, w.used, u.phone, u.password_hash, u.scopes, u.staff, u.disabled, u.generation, u.timezone, p.seen, COALESCE(p.writes, 0)
FROM tokens t
JOIN token_uses w ON w.token_id = t.id
JOIN users u ON u.id = t.user_id
LEFT JOIN presence p ON p.user_id = u.id
WHERE t.hash = $1;

-- state
SELECT pg_is_in_recovery(), COALESCE(CAST(pg_last_wal_replay_lsn() AS text), '0/0'), (SELECT system_identifier
	FROM pg_control_system());
