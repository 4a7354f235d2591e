package bunstore_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/assert"
	sqlitedriver "modernc.org/sqlite"

	"plaza/adapters/bunstore"
)

// filler inserts the rows that the refused statements refer to. The database assigns
// the IDs: it does not know of others, and would assign them again.
var filler = []string{
	`INSERT INTO users (phone, password_hash, scopes, disabled, generation, firstname, lastname,
		expertise, location, timezone, joined) VALUES ('+86-13800000001', '', NONE, FALSE, 0, '', '', '', '', '', NOW)`,
	`INSERT INTO orders (user_id, subject, amount, currency, state, created, expires)
		VALUES (1, 'A year', 100, 'CNY', 'open', NOW, NOW), (1, 'A month', 10, 'CNY', 'open', NOW, NOW), (1, 'A day', 1, 'CNY', 'paid', NOW, NOW)`,
	newPrepayment + `(1, 'first', 0, 'official_account', '', 'live', 'abc', '', '', '', NOW)`,
	newPrepayment + `(1, 'past', 0, 'official_account', '', 'closed', 'abc', '', '', '', NOW)`,
	`INSERT INTO payments (order_id, transaction_id, out_trade_no, state, amount, currency, received)
		VALUES (1, 'given', 'first', 'applied', 100, 'CNY', NOW), (NULL, 'other', 'first', 'disputed', 1, 'USD', NOW)`,
	`INSERT INTO journal (order_id, happened, noted, out_trade_no, detail) VALUES (1, NOW, 'ordered', '', '')`,
	newRecord + `(NOW, 1, NULL, 'account_disabled', 'account', '1')`,
	`INSERT INTO audit_reasons (record_id, reason) VALUES (1, 'Because')`,
}

const (
	mustExistThere = "23503"
	mustBeUnique   = "23505"
	mustBeInRange  = "23514"
	mustStay       = "P0001"
)

// sameRefusal maps each SQLSTATE to the SQLite extended result code.
var sameRefusal = map[string]int{mustExistThere: 787, mustBeUnique: 2067, mustBeInRange: 275, mustStay: 1811}

const newPrepayment = `INSERT INTO prepayments
	(order_id, out_trade_no, end_type, app, open_id, state, request, prepay_id, code_url, mweb_url, created) VALUES `

const newRecord = `INSERT INTO audit_records (at, by_user, by_person, act, object_kind, object_id) VALUES `

var refused = map[string]struct{ statement, code string }{
	"a person who blocks themselves": {
		`INSERT INTO blocks (user_id, other_id, is_by_user, created) VALUES (1, 1, TRUE, NOW)`, mustBeInRange},
	"an order for nothing": {`UPDATE orders SET amount = 0 WHERE id = 1`, mustBeInRange},
	"an order in dollars":  {`UPDATE orders SET currency = 'USD' WHERE id = 1`, mustBeInRange},
	"two live prepayments of one order": {
		newPrepayment + `(1, 'second', 0, 'official_account', '', 'preparing', 'abc', '', '', '', NOW)`, mustBeUnique},
	"a closed prepayment that lives again beside another": {
		`UPDATE prepayments SET state = 'unknown' WHERE out_trade_no = 'past'`, mustBeUnique},
	"a transaction id that is repeated": {
		`INSERT INTO payments (order_id, transaction_id, out_trade_no, state, amount, currency, received)
			VALUES (2, 'given', 'first', 'refund_due', 1, 'CNY', NOW)`, mustBeUnique},
	"an order that is paid twice": {
		`INSERT INTO payments (order_id, transaction_id, out_trade_no, state, amount, currency, received)
			VALUES (1, 'later', 'first', 'applied', 100, 'CNY', NOW)`, mustBeUnique},
	"a payment that is of no order, and not disputed": {
		`INSERT INTO payments (order_id, transaction_id, out_trade_no, state, amount, currency, received)
			VALUES (NULL, 'later', 'first', 'refund_due', 1, 'CNY', NOW)`, mustBeInRange},
	"an order that was paid and is not":             {`UPDATE orders SET state = 'open' WHERE id = 3`, mustStay},
	"an entry that is written anew":                 {`UPDATE journal SET noted = 'paid' WHERE order_id = 1`, mustStay},
	"an entry that is torn out":                     {`DELETE FROM journal WHERE order_id = 1`, mustStay},
	"an audit record that is changed":               {`UPDATE audit_records SET act = 'account_enabled' WHERE id = 1`, mustStay},
	"an audit record that is deleted":               {`DELETE FROM audit_records WHERE id = 1`, mustStay},
	"a reason that is changed":                      {`UPDATE audit_reasons SET reason = 'None' WHERE record_id = 1`, mustStay},
	"a reason that is deleted":                      {`DELETE FROM audit_reasons WHERE record_id = 1`, mustStay},
	"a blanked reason of another record":            {`UPDATE audit_reasons SET reason = '', record_id = 2 WHERE record_id = 1`, mustStay},
	"an act of nobody":                              {newRecord + `(NOW, NULL, NULL, 'imported', 'file', 'a')`, mustBeInRange},
	"an act of a staff account and of another one":  {newRecord + `(NOW, 1, 'maria', 'imported', 'file', 'a')`, mustBeInRange},
	"an act of a staff account that does not exist": {newRecord + `(NOW, 9, NULL, 'imported', 'file', 'a')`, mustExistThere},
	"an order whose payments would dangle":          {`DELETE FROM orders WHERE id = 1`, mustExistThere},
}

// replaced are statements of SQLite that would remove a row and add another one in its place.
var replaced = []string{
	`REPLACE INTO audit_records (id, at, by_person, act, object_kind, object_id) VALUES (1, NOW, 'maria', 'imported', 'file', 'a')`,
	`INSERT OR REPLACE INTO audit_reasons (record_id, reason) VALUES (1, 'None')`,
	`REPLACE INTO journal (id, order_id, happened, noted, out_trade_no, detail) VALUES (1, 1, NOW, 'paid', '', '')`,
	`REPLACE INTO orders (id, user_id, subject, amount, currency, state, created, expires) VALUES (3, 1, 'A day', 1, 'CNY', 'open', NOW, NOW)`,
}

// emptied are statements of Postgres that would remove all rows of a table.
var emptied = []string{`TRUNCATE audit_records CASCADE`, `TRUNCATE audit_reasons`, `TRUNCATE journal`}

// inDialect writes instants, empty lists and bytes in the database's syntax.
func inDialect(url, statement string) string {
	if strings.HasPrefix(url, "sqlite:") {
		return strings.NewReplacer("NOW", "1", "NONE", "'[]'", "'abc'", "x'616263'").Replace(statement)
	}
	return strings.NewReplacer("NOW", "now()", "NONE", "'{}'").Replace(statement)
}

// refusalOf returns the SQLSTATE of the error, from either database.
func refusalOf(err error) string {
	if told, is := errors.AsType[*pgconn.PgError](err); is {
		return told.Code
	}
	if told, is := errors.AsType[*sqlitedriver.Error](err); is {
		for state, code := range sameRefusal {
			if code == told.Code() {
				return state
			}
		}
	}
	return ""
}

func TestConstraints(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		open(t, at)
		db := rawSQL(t, at)
		for _, statement := range filler {
			execute(t, db, inDialect(at, statement))
		}
		for what, r := range refused {
			_, err := db.ExecContext(t.Context(), inDialect(at, r.statement))
			assert.Equal(t, r.code, refusalOf(err), "%s: %v", what, err)
		}
		more := emptied
		if strings.HasPrefix(at, "sqlite:") {
			more = replaced
		}
		for _, statement := range more {
			_, err := db.ExecContext(t.Context(), inDialect(at, statement))
			assert.Equal(t, mustStay, refusalOf(err), "%s: %v", statement, err)
		}
	})
}
