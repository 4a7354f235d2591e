-- transaction: none
-- Images of an owner, deleted ones included, for an export or an erasure of the owner's data.
CREATE INDEX CONCURRENTLY images_of_owner_all ON images (owner_id, id);
