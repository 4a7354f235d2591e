package bunstore

import (
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteRead is a read of SQLite.
type sqliteRead struct {
	statement string
	args      []any
}

// explainSQLite returns the accesses and sorts of the statement, each line once. It
// omits lines that read nothing or read a list from a parameter.
func explainSQLite(t *testing.T, conn *sql.Conn, r sqliteRead) []string {
	t.Helper()
	rows, err := conn.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+r.statement, r.args...)
	require.NoError(t, err)
	defer rows.Close()
	var plan []string
	for rows.Next() {
		var id, parent, unused int
		var line string
		require.NoError(t, rows.Scan(&id, &parent, &unused, &line))
		line = strings.TrimSuffix(line, " LEFT-JOIN")
		kind, of, _ := strings.Cut(line, " ")
		reads := of != "CONSTANT ROW" && !strings.Contains(line, "VIRTUAL TABLE")
		if (kind == "SCAN" || kind == "SEARCH" || kind == "USE") && reads && !slices.Contains(plan, line) {
			plan = append(plan, line)
		}
	}
	require.NoError(t, rows.Err())
	return plan
}

// run runs the statement itself and returns the numbers of rows and of SQLite's virtual
// machine steps, about ten per row read. The driver has the count, but does not expose
// its statements.
func run(t *testing.T, conn *sql.Conn, r sqliteRead) (found, steps int) {
	t.Helper()
	args := make([]driver.NamedValue, len(r.args))
	for i, arg := range r.args {
		value, err := driver.DefaultParameterConverter.ConvertValue(arg)
		require.NoError(t, err)
		args[i] = driver.NamedValue{Ordinal: i + 1, Value: value}
	}
	require.NoError(t, conn.Raw(func(c any) error {
		prepared, err := c.(driver.ConnPrepareContext).PrepareContext(t.Context(), r.statement)
		if err != nil {
			return err
		}
		defer prepared.Close()
		rows, err := prepared.(driver.StmtQueryContext).QueryContext(t.Context(), args)
		if err != nil {
			return err
		}
		row := make([]driver.Value, len(rows.Columns()))
		for err = rows.Next(row); err == nil; err = rows.Next(row) {
			found++
		}
		if err := rows.Close(); err != nil {
			return err
		}
		thread, handle := reflect.ValueOf(c).Elem().FieldByName("tls"), reflect.ValueOf(prepared).Elem().FieldByName("pstmt")
		require.True(t, thread.IsValid() && handle.IsValid(), "the driver keeps them elsewhere now")
		steps = int(reflect.ValueOf(sqlite3.Xsqlite3_stmt_status).Call([]reflect.Value{
			reflect.NewAt(thread.Type(), thread.Addr().UnsafePointer()).Elem(), reflect.ValueOf(uintptr(handle.Uint())),
			reflect.ValueOf(int32(sqlite3.SQLITE_STMTSTATUS_VM_STEP)), reflect.ValueOf(int32(1)),
		})[0].Int())
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}))
	return found, steps
}
