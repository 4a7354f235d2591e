package bunstore

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	bundialect "github.com/uptrace/bun/dialect"
	"github.com/uptrace/bun/schema"

	"plaza/domain/event"
	"plaza/domain/media"
)

// moment is an instant in a column: timestamptz on Postgres, microseconds since
// 1970 on SQLite, which has no type for it. The zero time is NULL.
type moment struct{ time.Time }

const timestamp = "2006-01-02 15:04:05.999999-07:00"

func (m moment) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
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

func (m *moment) Scan(src any) error {
	switch src := src.(type) {
	case nil:
		m.Time = time.Time{}
	case time.Time:
		m.Time = src.UTC()
	case int64:
		m.Time = time.UnixMicro(src).UTC()
	default:
		return fmt.Errorf("an instant can't be read from %T", src)
	}
	return nil
}

// day is a day in a column: date on Postgres, YYYY-MM-DD on SQLite.
type day struct{ event.Date }

func (d day) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	b = append(b, '\'')
	b = append(b, d.String()...)
	b = append(b, '\'')
	if gen.Dialect().Name() == bundialect.PG {
		b = append(b, "::date"...)
	}
	return b, nil
}

func (d *day) Scan(src any) (err error) {
	switch src := src.(type) {
	case time.Time:
		d.Date = event.DateOf(src)
	case string:
		d.Date, err = event.ParseDate(src)
	default:
		err = fmt.Errorf("a day can't be read from %T", src)
	}
	return err
}

// cover is a picture in a column, as JSON; none is NULL.
type cover struct{ media.Picture }

// What a cover is in its column. The names must not change: rows are written with
// them.
type (
	coverJSON struct {
		Path  string     `json:"path"`
		Sizes []sizeJSON `json:"sizes,omitempty"`
	}
	sizeJSON struct {
		Name   string `json:"name"`
		Width  int    `json:"width"`
		Height int    `json:"height"`
		Path   string `json:"path"`
	}
)

func (c cover) AppendQuery(gen schema.QueryGen, b []byte) ([]byte, error) {
	if c.Path == "" && len(c.Sizes) == 0 {
		return append(b, "NULL"...), nil
	}
	row := coverJSON{Path: c.Path}
	for _, s := range c.Sizes {
		row.Sizes = append(row.Sizes, sizeJSON(s))
	}
	text, err := json.Marshal(row)
	if err != nil {
		return nil, err
	}
	return gen.Dialect().AppendString(b, string(text)), nil
}

func (c *cover) Scan(src any) error {
	c.Picture = media.Picture{}
	var text []byte
	switch src := src.(type) {
	case nil:
		return nil
	case []byte:
		text = src
	case string:
		text = []byte(src)
	default:
		return fmt.Errorf("a cover can't be read from %T", src)
	}
	var row coverJSON
	if err := json.Unmarshal(text, &row); err != nil {
		return fmt.Errorf("reading a cover: %w", err)
	}
	c.Path = row.Path
	for _, s := range row.Sizes {
		c.Sizes = append(c.Sizes, media.Size(s))
	}
	return nil
}

// numbers are ids for a condition of bun's.
func numbers[N ~int64](ids []N) []int64 {
	all := make([]int64, len(ids))
	for i, id := range ids {
		all[i] = int64(id)
	}
	return all
}

// filled is the list, but never nil, which would be NULL.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// orNil scans a list of texts, of which NULL and an empty one are nil.
type orNil struct {
	into *[]string
	list sql.Scanner
}

func (o orNil) Scan(src any) error {
	if src != nil {
		if err := o.list.Scan(src); err != nil {
			return err
		}
	}
	if src == nil || len(*o.into) == 0 {
		*o.into = nil
	}
	return nil
}
