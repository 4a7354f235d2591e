INSERT INTO users (phone, password_hash, scopes, disabled, generation, firstname, lastname,
	expertise, location, timezone, joined) VALUES ('+86-13800000001', '', NONE, FALSE, 0, '', '', '', '', '', NOW);
INSERT INTO orders (user_id, subject, amount, currency, state, created, expires)
	VALUES (1, 'A year', 100, 'CNY', 'open', NOW, NOW), (1, 'A month', 10, 'CNY', 'open', NOW, NOW), (1, 'A day', 1, 'CNY', 'paid', NOW, NOW);
INSERT INTO prepayments (order_id, out_trade_no, end_type, app, open_id, state, request, prepay_id, code_url, mweb_url, created)
	VALUES (1, 'first', 0, 'official_account', '', 'live', 'abc', '', '', '', NOW);
INSERT INTO prepayments (order_id, out_trade_no, end_type, app, open_id, state, request, prepay_id, code_url, mweb_url, created)
	VALUES (1, 'past', 0, 'official_account', '', 'closed', 'abc', '', '', '', NOW);
INSERT INTO payments (order_id, transaction_id, out_trade_no, state, amount, currency, received)
	VALUES (1, 'given', 'first', 'applied', 100, 'CNY', NOW), (NULL, 'other', 'first', 'disputed', 1, 'USD', NOW);
INSERT INTO journal (order_id, happened, noted, out_trade_no, detail) VALUES (1, NOW, 'ordered', '', '');
INSERT INTO audit_records (at, by_user, by_person, act, object_kind, object_id) VALUES (NOW, 1, NULL, 'account_disabled', 'account', '1');
INSERT INTO audit_reasons (record_id, reason) VALUES (1, 'Because');
