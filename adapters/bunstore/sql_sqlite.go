package bunstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	sqlitedriver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"plaza/domain/calendar"
	"plaza/migrations"
)

// sqlite is the dialect of SQLite.
type sqlite struct {
	file     databaseFile
	reader   *sql.DB
	prepared *preparedStatements
	written  *writtenStatements
}

// openSQLite opens the file for one writing connection and several reading ones. It
// creates the file and its folder if they are missing. A commit returns when its
// data is on the disk (synchronous=FULL).
func openSQLite(o Options) (*Store, error) {
	file, err := makeFile(o.URL)
	if err != nil {
		return nil, fmt.Errorf("open database file: %w", err)
	}
	made, err := sql.Open("sqlite", "") // opens nothing; provides the driver
	if err != nil {
		return nil, fmt.Errorf("open database file: %w", err)
	}
	busyTimeout := busyTimeoutPragma(o.Limit)
	writer := sql.OpenDB(fileConnector{made.Driver(), sqliteURL(o.URL,
		"journal_mode(wal)", "synchronous(full)", "foreign_keys(on)", "secure_delete(on)", "temp_store(memory)", busyTimeout) + "&_txlock=immediate", file})
	writer.SetMaxOpenConns(1)
	writer.SetConnMaxLifetime(0)
	reader := sql.OpenDB(fileConnector{made.Driver(), sqliteURL(o.URL, "query_only(on)", busyTimeout), file})
	readers := max(4, 2*runtime.GOMAXPROCS(0))
	reader.SetMaxOpenConns(readers)
	reader.SetMaxIdleConns(readers)
	return &Store{
		db: bun.NewDB(writer, sqlitedialect.New()), reader: bun.NewDB(reader, sqlitedialect.New()), dialect: sqlite{
			file: file, reader: reader, prepared: &preparedStatements{},
			written: &writtenStatements{kept: map[string]*sql.Stmt{}, unprepared: map[string]bool{}},
		},
	}, nil
}

// busyTimeoutPragma returns the PRAGMA that lets a call wait for a writer of another process,
// for half of its limit.
func busyTimeoutPragma(limit time.Duration) string {
	return "busy_timeout(" + milliseconds(limit/2) + ")"
}

// sqliteURL returns the data source name of a connection, which creates no file.
func sqliteURL(path string, pragmas ...string) string {
	// The path must be absolute: in a relative one, the text after file: would be a
	// host name. On Windows it is like /C:/plaza.db.
	if absolute, err := filepath.Abs(path); err == nil {
		path = "/" + strings.TrimPrefix(filepath.ToSlash(absolute), "/")
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": pragmas, "mode": {"rw"}}.Encode()}
	return u.String()
}

func (sqlite) migrations() fs.FS {
	folder, err := fs.Sub(migrations.SQLite, "sqlite")
	if err != nil {
		panic(err) // the name is a constant
	}
	return folder
}

// lock does nothing: there is one writer at a time.
func (sqlite) lock(context.Context, bun.IDB, string) error { return nil }

func (sqlite) lockName(string) string { return "" }

func (sqlite) system() string { return "sqlite" }

func (d sqlite) location() string { return d.file.path }

func (d sqlite) ping(ctx context.Context, db *bun.DB) error {
	if err := d.file.check(); err != nil {
		return err
	}
	return db.PingContext(ctx)
}

func (d sqlite) mayBegin() error { return errIfMarked(d.file.path) }

func (sqlite) tryLock(context.Context, bun.IDB, string) (bool, error) { return true, nil }

// liftTimeouts does nothing: only the wait for another process is limited.
func (sqlite) liftTimeouts(context.Context, bun.IDB, time.Duration) error { return nil }

func (sqlite) execOutsideTx(context.Context, string) error {
	return errors.New("SQLite migrations always run in a transaction")
}

// prepareBulk keeps the pages of thousands of rows in memory, and copies each changed
// page into the database only once. The units are KiB and pages of 4 KiB.
func (sqlite) prepareBulk(ctx context.Context, tx bun.IDB, _ time.Duration) error {
	_, err := tx.ExecContext(ctx, "PRAGMA cache_size = -24576; PRAGMA wal_autocheckpoint = 8000")
	return err
}

// discardDeleted empties the write-ahead log, which still has former pages. The database file has
// none: secure_delete overwrites what is deleted.
func (sqlite) discardDeleted(ctx context.Context, db *bun.DB) error {
	var isBusy bool
	var inLog, copied int
	if err := db.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&isBusy, &inLog, &copied); err != nil {
		return fmt.Errorf("empty the write-ahead log: %w", err)
	}
	if isBusy {
		return errors.New("the write-ahead log still has what was deleted, because others read it: try again")
	}
	return nil
}

func (sqlite) columns() string { return "SELECT name FROM pragma_table_info(?)" }

func (sqlite) timestampType() string { return "integer" }

func (sqlite) forUpdate() string { return "" }

func (sqlite) indexedBy(index string) string { return " INDEXED BY " + index }

func (sqlite) lockRows(string) string { return "" }

// optimisticTries is zero: a writer is alone from the beginning of its transaction.
func (sqlite) optimisticTries() int { return 0 }

// The primary result codes that are not bugs of this program.
var sqliteCodes = map[int]errorClass{
	sqlite3.SQLITE_BUSY: retryable, sqlite3.SQLITE_LOCKED: retryable,
	sqlite3.SQLITE_INTERRUPT: timedOut,
	sqlite3.SQLITE_CANTOPEN:  unavailable,
	sqlite3.SQLITE_FULL:      diskFull, sqlite3.SQLITE_READONLY: diskFull, sqlite3.SQLITE_IOERR: diskFull,
}

func (sqlite) classify(err error) errorClass {
	if coded, is := errors.AsType[*sqlitedriver.Error](err); is {
		return sqliteCodes[coded.Code()&0xff]
	}
	if errors.Is(err, errMoved) {
		return unavailable
	}
	return internalError
}

func (sqlite) isDuplicate(err error, table, column string) bool {
	violation, is := errors.AsType[*sqlitedriver.Error](err)
	return is && violation.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE &&
		(table == "" || strings.Contains(violation.Error(), table+"."+column))
}

func (sqlite) among(column, parameter string) string {
	return column + " IN (SELECT value FROM json_each(" + parameter + "))"
}

func (sqlite) listOf(values any) any {
	switch values := values.(type) {
	case []calendar.Date:
		days := make([]string, len(values))
		for i, date := range values {
			days[i] = date.String()
		}
		return asJSON{days}
	case [][]byte:
		digits := make([]string, len(values))
		for i, value := range values {
			digits[i] = hex.EncodeToString(value)
		}
		return asJSON{digits}
	}
	return asJSON{values}
}

// amongBytes decodes hexadecimal digits: JSON has no bytes.
func (sqlite) amongBytes(column, parameter string) string {
	return column + " IN (SELECT unhex(value) FROM json_each(" + parameter + "))"
}

// allOf expands the parameter's list once for all rows. Neither the list nor a column
// contains a value twice.
func (sqlite) allOf(column, parameter string) string {
	return "(SELECT COUNT(*) FROM json_each(" + column + ") had WHERE had.value IN (SELECT value FROM json_each(" + parameter + ")))" +
		" = json_array_length(" + parameter + ")"
}

func (sqlite) anyOf(column, parameter string) string {
	return "EXISTS (SELECT 1 FROM json_each(" + column + ") had WHERE had.value IN (SELECT value FROM json_each(" + parameter + ")))"
}

func (sqlite) list(into any) any { return asJSON{into} }

func (sqlite) platesOf(event string) string {
	return "(SELECT json_group_array(json_array(p.id, p.photo, p.created) ORDER BY p.id)" +
		" FROM plates p WHERE p.event_id = " + event + ")"
}

// forEach takes one key at a time: repeated statements are cheaper on SQLite than a
// list.
func (sqlite) forEach(query string, types ...string) string {
	for i := range types {
		n := strconv.Itoa(i + 1)
		query = strings.ReplaceAll(query, "{"+n+"}", "$"+n)
	}
	return " FROM (SELECT 1 AS place) w CROSS JOIN (" + query + ") top"
}

// unnest is empty: a step costs hardly more than a row of a list.
func (sqlite) unnest(...string) string { return "" }

// readAhead is small: to look up an entry costs about as much as to read ten.
func (sqlite) readAhead() int { return 10 }

func (sqlite) elements(parameter string) string { return "json_each(" + parameter + ")" }

// lookUp is a CROSS JOIN, whose order SQLite keeps.
func (sqlite) lookUp(table, condition string) string {
	return "CROSS JOIN " + table + " ON " + condition
}

// analyse returns no steps. lookUp fixes the order of the join, and then SQLite uses the index also
// without statistics of the table.
func (sqlite) analyse(string) []step { return nil }

func (sqlite) keysAtOnce() int { return 1 }

func (d sqlite) key(list any) any {
	if days, is := list.([]calendar.Date); is {
		return d.date(days[0])
	}
	return reflect.ValueOf(list).Index(0).Interface()
}

func (d sqlite) query(ctx context.Context, reads ...step) error {
	for _, read := range reads {
		prepared, err := d.prepared.get(ctx, d.reader, read.statement)
		if err != nil {
			return err
		}
		rows, err := prepared.QueryContext(ctx, read.args...)
		if err != nil {
			return err
		}
		if err := scanAll(rows, read.row); err != nil {
			return err
		}
	}
	return nil
}

// scanAll passes every row to fn.
func scanAll(rows *sql.Rows, fn func(scan func(...any) error) error) error {
	defer rows.Close()
	scan := func(targets ...any) error {
		for i, target := range targets {
			if target == nil {
				targets[i] = ignored{}
			}
		}
		return rows.Scan(targets...)
	}
	for rows.Next() {
		if err := fn(scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// ignored is the target of a column that is not read.
type ignored struct{}

func (ignored) Scan(any) error { return nil }

// preparedStatements keeps prepared statements by their text. Their number is
// bounded: the texts are those of the registries, with every order of eventPage.
type preparedStatements struct{ byText sync.Map }

func (p *preparedStatements) get(ctx context.Context, db *sql.DB, text string) (*sql.Stmt, error) {
	if kept, is := p.byText.Load(text); is {
		return kept.(*sql.Stmt), nil
	}
	made, err := db.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	kept, others := p.byText.LoadOrStore(text, made)
	if others {
		return kept.(*sql.Stmt), made.Close()
	}
	return made, nil
}

// asJSON stores a list, or scans into a pointer to one, as JSON text.
type asJSON struct{ list any }

func (j asJSON) Value() (driver.Value, error) {
	text, err := json.Marshal(j.list)
	return string(text), err
}

func (j asJSON) Scan(src any) error {
	return scanText(src, func(text []byte) error {
		if text == nil {
			return nil
		}
		return json.Unmarshal(text, j.list)
	})
}
