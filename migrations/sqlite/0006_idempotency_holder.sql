-- Which call reserved an Idempotency-Key: no other call may release it. Keys that an older
-- program reserves have no holder.
ALTER TABLE idempotency_keys ADD COLUMN holder blob CHECK (length(holder) = 16);
