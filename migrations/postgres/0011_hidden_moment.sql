-- transaction: none
-- Events of a day that only their author, or also the author's contacts, may see: by their
-- authors. Programs before 0007 read events_of_day, which stays for them.
CREATE INDEX CONCURRENTLY events_of_day_hidden ON events (day, permission, author_id, created DESC, id DESC)
    WHERE status = 100 AND permission <> 0;
