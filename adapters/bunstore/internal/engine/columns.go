package engine

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	bundialect "github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/schema"

	"plaza/domain/calendar"
	"plaza/domain/media"
)

// Time is an instant in a column: timestamptz on Postgres, microseconds since 1970 on
// SQLite, which has no such type. The zero time is NULL.
type Time struct{ time.Time }

// At returns the instant for a column.
func At(t time.Time) Time { return Time{t} }

const timestamp = "2006-01-02 15:04:05.999999-07:00"

func (m Time) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	switch {
	case m.IsZero():
		return append(b, "NULL"...), nil
	case gen.Dialect().Name() == bundialect.SQLite:
		return strconv.AppendInt(b, m.UnixMicro(), 10), nil
	}
	b = append(b, '\'')
	b = m.UTC().AppendFormat(b, timestamp)
	return append(b, "'::timestamptz"...), nil
}

func (m *Time) Scan(src any) error {
	switch src := src.(type) {
	case nil:
		m.Time = time.Time{}
	case time.Time:
		m.Time = src.UTC()
	case int64:
		m.Time = time.UnixMicro(src).UTC()
	default:
		return fmt.Errorf("cannot scan an instant from %T", src)
	}
	return nil
}

// ScanTimestamptz scans pgx's type directly.
func (m *Time) ScanTimestamptz(v pgtype.Timestamptz) error {
	m.Time = v.Time.UTC()
	if !v.Valid {
		m.Time = time.Time{}
	}
	return nil
}

// Date is a day in a column: date on Postgres, YYYY-MM-DD on SQLite.
type Date struct{ calendar.Date }

func (d *Date) Scan(src any) (err error) {
	switch src := src.(type) {
	case time.Time:
		d.Date = calendar.DateOf(src)
	case string:
		d.Date, err = calendar.ParseDate(src)
	default:
		err = fmt.Errorf("cannot scan a day from %T", src)
	}
	return err
}

// ScanDate scans pgx's type directly.
func (d *Date) ScanDate(v pgtype.Date) error {
	d.Date = calendar.DateOf(v.Time)
	return nil
}

// Cover is a picture in a column, as JSON; no picture is NULL.
type Cover media.Picture

// The JSON of a cover in its column. The names must not change, because stored rows use
// them.
type (
	coverJSON struct {
		Key   media.Key  `json:"key,omitempty"`
		Path  string     `json:"path,omitempty"`
		Sizes []sizeJSON `json:"sizes,omitempty"`
	}
	sizeJSON struct {
		Name   string    `json:"name"`
		Width  int       `json:"width"`
		Height int       `json:"height"`
		Key    media.Key `json:"key,omitempty"`
		Path   string    `json:"path,omitempty"`
	}
)

// NullIfZero returns the content of the column as a parameter.
func (c Cover) NullIfZero() any {
	if c.Key == "" && c.Path == "" && len(c.Sizes) == 0 {
		return nil
	}
	sizes := Mapped(c.Sizes, func(s media.Size) sizeJSON { return sizeJSON(s) })
	text, _ := json.Marshal(coverJSON{c.Key, c.Path, sizes}) // JSON can represent every picture
	return string(text)
}

func (c *Cover) Scan(src any) error { return ScanText(src, c.ScanBytes) }

// ScanBytes scans the text directly.
func (c *Cover) ScanBytes(text []byte) error {
	*c = Cover{}
	if text == nil {
		return nil
	}
	var row coverJSON
	if err := json.Unmarshal(text, &row); err != nil {
		return fmt.Errorf("decode cover: %w", err)
	}
	*c = Cover{Key: row.Key, Path: row.Path, Sizes: Mapped(row.Sizes, func(s sizeJSON) media.Size { return media.Size(s) })}
	return nil
}

// ScanText passes a text, which is nil for NULL, to fn.
func ScanText(src any, fn func(text []byte) error) error {
	switch src := src.(type) {
	case nil:
		return fn(nil)
	case []byte:
		return fn(src)
	case string:
		return fn([]byte(src))
	}
	return fmt.Errorf("cannot scan JSON from %T", src)
}

// AsJSON stores a value, or scans into a pointer to one, as JSON text.
type AsJSON struct{ Of any }

func (j AsJSON) Value() (driver.Value, error) {
	text, err := json.Marshal(j.Of)
	return string(text), err
}

func (j AsJSON) Scan(src any) error {
	return ScanText(src, func(text []byte) error {
		if text == nil {
			return nil
		}
		return json.Unmarshal(text, j.Of)
	})
}

// NullIfZero returns the ID or text as a parameter; zero, or an empty text, is NULL.
func NullIfZero[T comparable](value T) any {
	if value == *new(T) {
		return nil
	}
	return value
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
