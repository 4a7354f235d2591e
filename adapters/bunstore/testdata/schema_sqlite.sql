WITH t AS (SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%')
SELECT t.name || '.' || c.name || ' ' || lower(c.type) || CASE WHEN c."notnull" OR c.pk THEN ' NOT NULL' ELSE '' END
	|| CASE WHEN c.pk AND t.sql LIKE '%AUTOINCREMENT%' THEN ' AUTOINCREMENT' ELSE '' END || coalesce(' DEFAULT ' || c.dflt_value, '')
FROM t JOIN pragma_table_info(t.name) c
UNION ALL
SELECT t.name || ' PRIMARY KEY ' || group_concat(c.name, ', ' ORDER BY c.pk) FROM t JOIN pragma_table_info(t.name) c
WHERE c.pk GROUP BY t.name
UNION ALL
SELECT t.name || ' FOREIGN KEY ' || group_concat(f."from", ', ' ORDER BY f.seq) || ' REFERENCES ' || f."table" || ' '
	|| group_concat(f."to", ', ' ORDER BY f.seq) || ' ' || f.on_delete
FROM t JOIN pragma_foreign_key_list(t.name) f GROUP BY t.name, f.id
UNION ALL
SELECT t.name || ' CHECKS ' || ((length(t.sql) - length(replace(t.sql, 'CHECK (', ''))) / 7) FROM t WHERE t.sql LIKE '%CHECK (%'
UNION ALL
SELECT t.name || CASE WHEN l."unique" THEN ' UNIQUE' ELSE '' END || CASE l.origin WHEN 'c' THEN ' INDEX ' || l.name || ' ON' ELSE '' END
	|| ' ' || (SELECT group_concat(coalesce(x.name, 'expression') || CASE WHEN x.desc THEN ' DESC' ELSE '' END, ', ' ORDER BY x.seqno)
		FROM pragma_index_xinfo(l.name) x WHERE x.key)
	|| coalesce(substr(s.sql, nullif(instr(s.sql, ' WHERE '), 0)), '')
FROM t JOIN pragma_index_list(t.name) l LEFT JOIN sqlite_schema s ON s.name = l.name WHERE l.origin <> 'pk'
