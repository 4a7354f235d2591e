-- Deleted images of an owner, for an export or an erasure of the owner's data. The others have an index, which lists must
-- go on to use.
CREATE INDEX images_deleted ON images (owner_id, id) WHERE deleted IS NOT NULL;
