package engine

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/uptrace/bun/schema"
)

// Key is what identifies a row: the values of the one or two fields of its model that are keys.
type Key [2]any

// KeyOf returns the key of the row.
func KeyOf[R any](s *DB, row *R) (key Key) {
	copy(key[:], valuesOf(s, s.Writer.Table(reflect.TypeFor[R]()).PKs, row))
	return key
}

// Values returns what the fields of the row bind, in the order of its model. A list is never NULL.
func Values[R any](s *DB, row *R) []any {
	return valuesOf(s, s.Writer.Table(reflect.TypeFor[R]()).Fields, row)
}

func valuesOf[R any](s *DB, fields []*schema.Field, row *R) []any {
	of, all := reflect.ValueOf(row).Elem(), make([]any, len(fields))
	for i, field := range fields {
		value := field.Value(of)
		switch {
		case field.NullZero && value.IsZero():
			continue
		case value.Kind() == reflect.Slice && value.IsNil():
			value = reflect.MakeSlice(value.Type(), 0, 0)
		}
		all[i] = bound(s.Dialect, value.Interface())
	}
	return all
}

// Stored returns the stored rows that have the keys of the given ones. It binds the first field of the keys.
func Stored[R any](tx *Tx, rows []R) (map[Key]R, error) {
	found := make(map[Key]R, len(rows))
	if len(rows) == 0 {
		return found, nil
	}
	table := tx.s.Writer.Table(reflect.TypeFor[R]())
	columns := strings.Join(Mapped(table.Fields, func(f *schema.Field) string { return f.Name }), ", ")
	statement := tx.s.Pick(Both("SELECT " + columns + " FROM " + table.Name + " WHERE " + table.PKs[0].Name + " = ANY($1)"))
	keys := reflect.MakeSlice(reflect.SliceOf(table.PKs[0].StructField.Type), 0, len(rows))
	for i := range rows {
		keys = reflect.Append(keys, table.PKs[0].Value(reflect.ValueOf(&rows[i]).Elem()))
	}
	Found(tx, tx.Queue(statement, keys.Interface()), func(row *R) error {
		found[KeyOf(tx.s, row)] = *row
		return nil
	})
	return found, tx.Send()
}

// Insert adds the rows of a model, faster than statements do. The database makes the keys that count up.
func Insert[R any](tx *Tx, rows []R) error {
	if len(rows) == 0 {
		return nil
	}
	table := tx.s.Writer.Table(reflect.TypeFor[R]())
	var fields []*schema.Field
	var columns []string
	for _, field := range table.Fields {
		if !field.AutoIncrement {
			fields, columns = append(fields, field), append(columns, field.Name)
		}
	}
	values := make([][]any, len(rows))
	for i := range rows {
		values[i] = valuesOf(tx.s, fields, &rows[i])
	}
	return tx.Copy(table.Name, columns, values)
}

// Update queues that the stored rows with the keys of the given ones become these.
func Update[R any](tx *Tx, rows ...R) {
	table := tx.s.Writer.Table(reflect.TypeFor[R]())
	var set, where []string
	for i, field := range table.Fields {
		if column := fmt.Sprintf("%s = $%d", field.Name, i+1); field.IsPK {
			where = append(where, column)
		} else {
			set = append(set, column)
		}
	}
	statement := "UPDATE " + table.Name + " SET " + strings.Join(set, ", ") + " WHERE " + strings.Join(where, " AND ")
	for i := range rows {
		tx.Add(Step{Statement: statement, Args: Values(tx.s, &rows[i])})
	}
}
