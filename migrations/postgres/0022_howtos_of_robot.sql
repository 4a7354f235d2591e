-- transaction: none
-- How-tos of an account, for an export or an erasure of its data.
CREATE INDEX CONCURRENTLY howtos_of_robot ON howtos (robot_id, category);
