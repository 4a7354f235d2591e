package bunstore_test

import (
	_ "embed"
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
//
//go:embed testdata/filler.sql
var filler string

const (
	mustExistThere = "23503"
	mustBeUnique   = "23505"
	mustBeInRange  = "23514"
	mustStay       = "P0001"
)

// sameRefusal maps each SQLSTATE to the SQLite extended result code.
var sameRefusal = map[string]int{mustExistThere: 787, mustBeUnique: 2067, mustBeInRange: 275, mustStay: 1811}

// refused are statements that both databases refuse. Before each stand the SQLSTATE of the refusal, and what it would make.
//
//go:embed testdata/refused.sql
var refused string

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
		execute(t, db, inDialect(at, filler))
		for statement := range strings.SplitSeq(strings.TrimSuffix(refused, ";\n"), ";\n") {
			_, err := db.ExecContext(t.Context(), inDialect(at, statement))
			assert.Equal(t, strings.Fields(statement)[1], refusalOf(err), "%s: %v", statement, err)
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
