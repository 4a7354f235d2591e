package bunstore

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/adapters/bunstore/diary"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
)

// readWhole are the rows that statements read whole if they read what is given. A column that one of them left out would be zero for
// its callers.
var readWhole = map[string]reflect.Type{
	"e.html": reflect.TypeFor[diary.EventRow](), "AS reply_author": reflect.TypeFor[diary.CommentRow](),
	"u.firstname, u.lastname, u.expertise": reflect.TypeFor[people.MemberRow](),
}

func TestStatements_leave_out_no_column_of_a_row(t *testing.T) {
	t.Parallel()
	tables := Opened(t, engine.Options{URL: MigratedSQLite(t)}).Writer
	for column, row := range readWhole {
		read := 0
		for name, text := range constants {
			for _, statement := range []string{text.Postgres, text.SQLite} {
				if !strings.Contains(statement, column) {
					continue
				}
				read++
				for _, field := range tables.Table(row).Fields {
					if !field.Tag.HasOption("scanonly") {
						assert.Regexp(t, `(\.|AS )`+field.Name+`\b`, statement, name)
					}
				}
			}
		}
		assert.Greater(t, read, 1, column)
	}
}
