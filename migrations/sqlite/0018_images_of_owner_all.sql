-- Images of an owner, deleted ones included, for an export or an erasure of the owner's data.
CREATE INDEX images_of_owner_all ON images (owner_id, id);
