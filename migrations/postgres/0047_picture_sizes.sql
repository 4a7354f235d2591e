-- Whether the bytes of a picture include those of its sizes. Sizes of pictures that were stored before this step, or by an
-- older program, are made and counted later.
ALTER TABLE pictures ADD COLUMN has_sizes boolean NOT NULL DEFAULT false;
