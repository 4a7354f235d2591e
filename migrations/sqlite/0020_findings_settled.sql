-- Staff have settled the difference: it is resolved, and stays so when a comparison finds the same again.
ALTER TABLE findings ADD COLUMN settled integer NOT NULL DEFAULT false;
