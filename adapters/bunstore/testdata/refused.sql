-- 23514 a person who blocks themselves
INSERT INTO blocks (user_id, other_id, is_by_user, created) VALUES (1, 1, TRUE, NOW);
-- 23514 an order for nothing
UPDATE orders SET amount = 0 WHERE id = 1;
-- 23514 an order in dollars
UPDATE orders SET currency = 'USD' WHERE id = 1;
-- 23505 two live prepayments of one order
INSERT INTO prepayments (order_id, out_trade_no, end_type, app, open_id, state, request, prepay_id, code_url, mweb_url, created)
	VALUES (1, 'second', 0, 'official_account', '', 'preparing', 'abc', '', '', '', NOW);
-- 23505 a closed prepayment that lives again beside another
UPDATE prepayments SET state = 'unknown' WHERE out_trade_no = 'past';
-- 23505 a transaction id that is repeated
INSERT INTO payments (order_id, transaction_id, out_trade_no, state, amount, currency, received)
	VALUES (2, 'given', 'first', 'refund_due', 1, 'CNY', NOW);
-- 23505 an order that is paid twice
INSERT INTO payments (order_id, transaction_id, out_trade_no, state, amount, currency, received)
	VALUES (1, 'later', 'first', 'applied', 100, 'CNY', NOW);
-- 23514 a payment that is of no order, and not disputed
INSERT INTO payments (order_id, transaction_id, out_trade_no, state, amount, currency, received)
	VALUES (NULL, 'later', 'first', 'refund_due', 1, 'CNY', NOW);
-- P0001 an order that was paid and is not
UPDATE orders SET state = 'open' WHERE id = 3;
-- P0001 an entry that is written anew
UPDATE journal SET noted = 'paid' WHERE order_id = 1;
-- P0001 an entry that is torn out
DELETE FROM journal WHERE order_id = 1;
-- P0001 an audit record that is changed
UPDATE audit_records SET act = 'account_enabled' WHERE id = 1;
-- P0001 an audit record that is deleted
DELETE FROM audit_records WHERE id = 1;
-- P0001 a reason that is changed
UPDATE audit_reasons SET reason = 'None' WHERE record_id = 1;
-- P0001 a reason that is deleted
DELETE FROM audit_reasons WHERE record_id = 1;
-- P0001 a blanked reason of another record
UPDATE audit_reasons SET reason = '', record_id = 2 WHERE record_id = 1;
-- 23514 an act of nobody
INSERT INTO audit_records (at, by_user, by_person, act, object_kind, object_id) VALUES (NOW, NULL, NULL, 'imported', 'file', 'a');
-- 23514 an act of a staff account and of another one
INSERT INTO audit_records (at, by_user, by_person, act, object_kind, object_id) VALUES (NOW, 1, 'maria', 'imported', 'file', 'a');
-- 23503 an act of a staff account that does not exist
INSERT INTO audit_records (at, by_user, by_person, act, object_kind, object_id) VALUES (NOW, 9, NULL, 'imported', 'file', 'a');
-- 23503 an order whose payments would dangle
DELETE FROM orders WHERE id = 1;
