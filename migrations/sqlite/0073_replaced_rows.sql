-- REPLACE fires no trigger of the row that it removes. So rows that must stay refuse a second one with their number.
CREATE TRIGGER audit_records_are_not_replaced BEFORE INSERT ON audit_records
    WHEN EXISTS (SELECT 1 FROM audit_records WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'audit records are only ever added');
END;
CREATE TRIGGER audit_reasons_are_not_replaced BEFORE INSERT ON audit_reasons
    WHEN EXISTS (SELECT 1 FROM audit_reasons WHERE record_id = NEW.record_id)
BEGIN
    SELECT RAISE(ABORT, 'audit records are only ever added');
END;
CREATE TRIGGER journal_is_not_replaced BEFORE INSERT ON journal
    WHEN EXISTS (SELECT 1 FROM journal WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'the journal is only ever added to');
END;
CREATE TRIGGER orders_are_not_replaced BEFORE INSERT ON orders
    WHEN EXISTS (SELECT 1 FROM orders WHERE id = NEW.id)
BEGIN
    SELECT RAISE(ABORT, 'an order that is paid stays paid');
END;
