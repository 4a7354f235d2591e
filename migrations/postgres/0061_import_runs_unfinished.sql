-- Runs of imports that have not ended: they read still, or were killed. An older program takes them for interrupted ones.
ALTER TABLE import_runs ADD COLUMN unfinished boolean NOT NULL DEFAULT false;
