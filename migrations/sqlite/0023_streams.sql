-- What streams are told of (NTF-04). Each change of the counts of a person has a greater number.

ALTER TABLE notification_counts ADD COLUMN changes integer NOT NULL DEFAULT 1;

CREATE TRIGGER notification_counts_numbered AFTER UPDATE OF total, unread, read_up_to ON notification_counts
BEGIN
    UPDATE notification_counts SET changes = changes + 1 WHERE owner_id = NEW.owner_id;
END;

-- The number with which an order was made, or its state last changed.
ALTER TABLE orders ADD COLUMN change integer NOT NULL DEFAULT 0;

CREATE TRIGGER orders_numbered AFTER INSERT ON orders
BEGIN
    INSERT INTO notification_counts (owner_id) VALUES (NEW.user_id) ON CONFLICT (owner_id) DO UPDATE SET total = total;
    UPDATE orders SET change = (SELECT changes FROM notification_counts WHERE owner_id = NEW.user_id) WHERE id = NEW.id;
END;

CREATE TRIGGER orders_renumbered AFTER UPDATE OF state ON orders WHEN OLD.state <> NEW.state
BEGIN
    INSERT INTO notification_counts (owner_id) VALUES (NEW.user_id) ON CONFLICT (owner_id) DO UPDATE SET total = total;
    UPDATE orders SET change = (SELECT changes FROM notification_counts WHERE owner_id = NEW.user_id) WHERE id = NEW.id;
END;

-- The places of open streams. The server that has one renews it; that of a server that was killed ends.
CREATE TABLE streams (
    id       integer PRIMARY KEY AUTOINCREMENT,
    owner_id integer NOT NULL REFERENCES users (id),
    until    integer NOT NULL
) STRICT;
CREATE INDEX streams_of_owner ON streams (owner_id);
CREATE INDEX streams_by_end ON streams (until);
