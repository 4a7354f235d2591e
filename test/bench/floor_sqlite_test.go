package bench

import (
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"
)

// file is the floor over SQLite: prepared statements of database/sql, one
// connection that writes and several that read, as safe on the disk as Plaza.
type file struct {
	reading, writing [statements]*sql.Stmt
	writer           *sql.DB
}

// waiting has a connection wait for those who write in another process.
const waiting = "_pragma=busy_timeout(5000)"

// openWriter is the connection that writes, as safe on the disk as Plaza's.
func openWriter(path string) (*sql.DB, error) {
	writer, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=foreign_keys(on)&"+waiting)
	if err != nil {
		return nil, err
	}
	writer.SetMaxOpenConns(1)
	return writer, nil
}

func openSQLite(ctx context.Context, path string) (database, error) {
	writer, err := openWriter(path)
	if err != nil {
		return nil, err
	}
	reader, err := sql.Open("sqlite", "file:"+path+"?_pragma=query_only(on)&"+waiting)
	if err != nil {
		return nil, err
	}
	reader.SetMaxOpenConns(4)
	reader.SetMaxIdleConns(4)
	texts := readTexts(phrases{
		among: func(column, parameter string) string {
			return column + " IN (SELECT value FROM json_each(" + parameter + "))"
		},
		allOf: func(column, parameter string) string {
			return "(SELECT COUNT(*) FROM json_each(" + column + ") had WHERE had.value IN (SELECT value FROM json_each(" + parameter + ")))" +
				" = json_array_length(" + parameter + ")"
		},
		anyOf: func(column, parameter string) string {
			return "EXISTS (SELECT 1 FROM json_each(" + column + ") had WHERE had.value IN (SELECT value FROM json_each(" + parameter + ")))"
		},
		keyed: func(column, parameter string) string {
			return column + " IN (SELECT unhex(value) FROM json_each(" + parameter + "))"
		},
	})
	texts[changeStatement] = `UPDATE events SET title = $3, province = $4, city = $5, district = $6, modified = $7, revision = revision + 1
		WHERE id = $1 AND revision = $2`
	texts[listingStatement] = `UPDATE feed_listings SET updated = $2 WHERE kind = 'xfile' AND id = $1`
	texts[counterStatement] = `UPDATE feed_counters SET version = version + 1, updated = MAX(updated, $3)
		WHERE category_id = $1 AND kind = 'xfile' AND shard = $2`
	texts[likeStatement] = `INSERT INTO likes (event_id, user_id) VALUES ($1, $2) ON CONFLICT DO NOTHING`
	texts[likeCountStatement] = `UPDATE event_counts SET likes = likes + 1 WHERE event_id = $1 AND changes() > 0`
	f := &file{writer: writer}
	for s, text := range texts {
		db, of := reader, &f.reading
		if statement(s) >= useStatement {
			db, of = writer, &f.writing
		}
		if of[s], err = db.PrepareContext(ctx, text); err != nil {
			return nil, fmt.Errorf("statement %d: %w", s, err)
		}
	}
	return f, nil
}

func (f *file) query(ctx context.Context, s statement, args []any, row func(scanner) error) error {
	return queryEach(ctx, f.reading[s], args, row)
}

func queryEach(ctx context.Context, s *sql.Stmt, args []any, row func(scanner) error) error {
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// all writes in one transaction, and reads then.
func (f *file) all(ctx context.Context, steps []read) error {
	var writes, reads []read
	for _, s := range steps {
		if s.statement >= useStatement {
			writes = append(writes, s)
		} else {
			reads = append(reads, s)
		}
	}
	if len(writes) > 0 {
		if err := f.writeAll(ctx, writes); err != nil {
			return err
		}
	}
	for _, r := range reads {
		if err := f.query(ctx, r.statement, r.args, r.row); err != nil {
			return err
		}
	}
	return nil
}

func (f *file) writeAll(ctx context.Context, steps []read) error {
	tx, err := f.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, s := range steps {
		prepared := tx.StmtContext(ctx, f.writing[s.statement])
		if s.row != nil {
			err = queryEach(ctx, prepared, s.args, s.row)
		} else {
			_, err = prepared.ExecContext(ctx, s.args...)
		}
		if err != nil {
			return err
		}
	}
	return tx.Commit()
}

func (f *file) edit(ctx context.Context, c change, reads []read) (changed bool, err error) {
	if changed, err = f.write(ctx, c); err != nil || !changed {
		return false, err
	}
	for _, r := range reads {
		if err := f.query(ctx, r.statement, r.args, r.row); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (f *file) write(ctx context.Context, c change) (bool, error) {
	tx, err := f.writer.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	defer tx.Rollback()
	do := func(s statement, args ...any) (rows int64, err error) {
		done, err := tx.StmtContext(ctx, f.writing[s]).ExecContext(ctx, args...)
		if err != nil {
			return 0, err
		}
		return done.RowsAffected()
	}
	if c.isStale {
		if _, err := do(useStatement, c.token, c.now.UnixMicro(), c.due().UnixMicro()); err != nil {
			return false, err
		}
		if _, err := do(seenStatement, c.user, c.now.UnixMicro(), c.due().UnixMicro()); err != nil {
			return false, err
		}
	}
	modified := c.modified.UnixMicro()
	rows, err := do(changeStatement, c.event, c.revision, c.title, c.province, c.city, c.district, modified)
	if err != nil || rows == 0 {
		return false, err
	}
	if c.isListed {
		if _, err := do(listingStatement, c.event, modified); err != nil {
			return false, err
		}
		if _, err := do(counterStatement, c.category, c.shard(), modified); err != nil {
			return false, err
		}
	}
	return true, tx.Commit()
}

func (*file) moment(into *time.Time) any { return (*micros)(into) }
func (*file) day(into *string) any       { return into }
func (*file) list(into *[]string) any    { return (*jsonList)(into) }
func (*file) at(t time.Time) any         { return t.UnixMicro() }
func (*file) names(values []string) any  { return asJSON(values) }
func (*file) ids(values []int64) any     { return asJSON(values) }

func (*file) keys(values [][]byte) any {
	texts := make([]string, len(values))
	for i, value := range values {
		texts[i] = hex.EncodeToString(value)
	}
	return asJSON(texts)
}

func asJSON(values any) string {
	text, err := json.Marshal(values)
	if err != nil {
		panic(err) // lists of texts and numbers always have a JSON
	}
	return string(text)
}

// micros are microseconds since 1970; NULL is the zero time.
type micros time.Time

func (m *micros) Scan(src any) error {
	*m = micros{}
	if at, is := src.(int64); is {
		*m = micros(time.UnixMicro(at))
	}
	return nil
}

type jsonList []string

func (l *jsonList) Scan(src any) error {
	*l = nil
	text, is := src.(string)
	if !is {
		return fmt.Errorf("a list can't be read from %T", src)
	}
	return json.Unmarshal([]byte(text), (*[]string)(l))
}
