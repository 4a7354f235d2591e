-- The triggers of updates refuse what ON CONFLICT DO UPDATE would change. SQLite's REPLACE needs triggers of its own.
COMMENT ON TABLE audit_records IS 'Rows are only ever added.';
COMMENT ON TABLE journal IS 'Rows are only ever added.';
