WITH t AS (SELECT oid, relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace)
SELECT t.name || '.' || a.attname || ' ' || CASE format_type(a.atttypid, a.atttypmod)
		WHEN 'bigint' THEN 'integer' WHEN 'smallint' THEN 'integer' WHEN 'boolean' THEN 'integer'
		WHEN 'timestamp with time zone' THEN 'integer' WHEN 'double precision' THEN 'real' WHEN 'bytea' THEN 'blob'
		WHEN 'text[]' THEN 'text' WHEN 'bigint[]' THEN 'text' WHEN 'jsonb' THEN 'text' WHEN 'tsvector' THEN 'text' WHEN 'date' THEN 'text'
		ELSE format_type(a.atttypid, a.atttypmod) END
	|| CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END || CASE WHEN a.attidentity <> '' THEN ' AUTOINCREMENT' ELSE '' END
	|| coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '')
FROM t JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped
LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
UNION ALL
SELECT t.name || CASE o.contype WHEN 'p' THEN ' PRIMARY KEY ' WHEN 'u' THEN ' UNIQUE ' ELSE ' FOREIGN KEY ' END
	|| (SELECT string_agg(a.attname, ', ' ORDER BY k.n) FROM unnest(o.conkey) WITH ORDINALITY k(att, n)
		JOIN pg_attribute a ON a.attrelid = o.conrelid AND a.attnum = k.att)
	|| coalesce(' REFERENCES ' || r.relname || ' ' || (SELECT string_agg(a.attname, ', ' ORDER BY k.n)
			FROM unnest(o.confkey) WITH ORDINALITY k(att, n) JOIN pg_attribute a ON a.attrelid = o.confrelid AND a.attnum = k.att)
		|| CASE o.confdeltype WHEN 'c' THEN ' CASCADE' WHEN 'a' THEN ' NO ACTION' ELSE o.confdeltype::text END, '')
FROM t JOIN pg_constraint o ON o.conrelid = t.oid AND o.contype IN ('p', 'u', 'f') LEFT JOIN pg_class r ON r.oid = o.confrelid
UNION ALL
SELECT t.name || ' CHECKS ' || count(*) FROM t JOIN pg_constraint o ON o.conrelid = t.oid AND o.contype = 'c' GROUP BY t.name
UNION ALL
SELECT t.name || CASE WHEN x.indisunique THEN ' UNIQUE' ELSE '' END || ' INDEX ' || c.relname || ' ON ' || (
		SELECT string_agg(coalesce(a.attname, 'expression')
			|| CASE WHEN k.n <= x.indnkeyatts AND x.indoption[k.n - 1] & 1 = 1 THEN ' DESC' ELSE '' END, ', ' ORDER BY k.n)
		FROM unnest(x.indkey) WITH ORDINALITY k(att, n) LEFT JOIN pg_attribute a ON a.attrelid = x.indrelid AND a.attnum = k.att)
	|| coalesce(' WHERE ' || pg_get_expr(x.indpred, x.indrelid), '')
FROM t JOIN pg_index x ON x.indrelid = t.oid JOIN pg_class c ON c.oid = x.indexrelid
WHERE NOT EXISTS (SELECT FROM pg_constraint o WHERE o.conindid = x.indexrelid AND o.contype <> 'f')
