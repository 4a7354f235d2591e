package bunstore

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/personaldata"
)

// isStatement finds the beginning of a text that a database runs as it stands.
var isStatement = regexp.MustCompile(`^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s`)

// constants are the statements of the store by the names of their constants.
var constants = allStatements()

func allStatements() map[string]engine.Text {
	all := map[string]engine.Text{}
	for _, files := range []string{"*.go", "*/*.go"} {
		names, err := filepath.Glob(files)
		for _, name := range names {
			if err == nil && !strings.HasSuffix(name, "_test.go") {
				err = addStatements(all, name)
			}
		}
		if err != nil {
			panic(err)
		}
	}
	return all
}

// addStatements adds the statements of the file.
func addStatements(all map[string]engine.Text, name string) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, is := n.(*ast.ValueSpec); is {
			for i, value := range spec.Values {
				if text := textOf(value); text.Postgres+text.SQLite != "" {
					all[spec.Names[i].Name] = text
				}
			}
		}
		return true
	})
	return nil
}

// textOf returns the statement that the value of a constant or variable is, or none.
func textOf(value ast.Expr) (text engine.Text) {
	switch v := value.(type) {
	case *ast.BasicLit:
		if one, err := strconv.Unquote(v.Value); err == nil && isStatement.MatchString(one) {
			return engine.Text{Postgres: one, SQLite: one}
		}
	case *ast.CallExpr:
		if of, is := v.Fun.(*ast.SelectorExpr); is && of.Sel.Name == "Both" {
			return engine.Both(textOf(v.Args[0]).Postgres)
		}
	case *ast.CompositeLit:
		for _, element := range v.Elts {
			pair, isPair := element.(*ast.KeyValueExpr)
			if !isPair {
				return engine.Text{}
			}
			name, isName := pair.Key.(*ast.Ident)
			one := textOf(pair.Value)
			switch {
			case !isName:
			case name.Name == "Postgres":
				text.Postgres = one.Postgres
			case name.Name == "SQLite":
				text.SQLite = one.SQLite
			}
		}
	}
	return text
}

// readsWhole are the statements that read a table of the test whole, and why.
var readsWhole = map[string]string{
	"tree":          "a row for each category, kind and shard",
	"discardCovers": "once for the covers of many records",
	"WrongCounters": "a check", "recountedEvents": "a check",
}

// testStatements prepares each statement, which fails if it is a part of one, and plans it for any parameters.
func testStatements(t *testing.T, conn *pgx.Conn, small map[string]bool) {
	require.Greater(t, len(constants), 100)
	for name, text := range constants {
		if text.Postgres == "" {
			continue // SQLite alone has it
		}
		t.Run(name, func(t *testing.T) {
			whole := ""
			for _, scan := range planOfAny(t, conn, text.Postgres).scans() {
				if scan.Node == "Seq Scan" && !small[scan.Relation] {
					whole = scan.Relation
				}
			}
			_, may := readsWhole[name]
			assert.Equal(t, may, whole != "", "it reads %s whole", whole)
		})
	}
}

// smallTables returns the tables of which an index would save nothing, or which are empty.
func smallTables(t *testing.T, conn *pgx.Conn) map[string]bool {
	t.Helper()
	rows, err := conn.Query(t.Context(), "SELECT relname::text FROM pg_class WHERE relkind = 'r' AND reltuples < 5000")
	require.NoError(t, err)
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	require.NoError(t, err)
	small := map[string]bool{}
	for _, name := range names {
		small[name] = true
	}
	return small
}

// planOfAny returns the generic plan of the statement, which is not run.
func planOfAny(t *testing.T, conn *pgx.Conn, text string) plan {
	t.Helper()
	prepare(t, conn, text)
	var execute string
	require.NoError(t, conn.QueryRow(t.Context(), `
		SELECT 'EXECUTE hot' || CASE cardinality(parameter_types) WHEN 0 THEN '' ELSE
			'(' || array_to_string(array_fill('NULL'::text, ARRAY[cardinality(parameter_types)]), ', ') || ')' END
		FROM pg_prepared_statements WHERE name = 'hot'`, pgx.QueryExecModeSimpleProtocol).Scan(&execute))
	return planOf(t, conn, "EXPLAIN (FORMAT JSON) "+execute)
}

func TestStatements_run_as_they_stand_on_SQLite(t *testing.T) {
	t.Parallel()
	conn := readerOf(t, Opened(t, engine.Options{URL: MigratedSQLite(t)}))
	require.Greater(t, len(constants), 100)
	for name, text := range constants {
		if text.SQLite == "" {
			continue // Postgres alone has it
		}
		t.Run(name, func(t *testing.T) {
			// A transaction of SQLite leaves out the line that locks rows.
			statement := regexp.MustCompile(`\n\s*FOR .*$`).ReplaceAllString(text.SQLite, "")
			prepared, err := conn.PrepareContext(t.Context(), statement)
			require.NoError(t, err)
			require.NoError(t, prepared.Close())
		})
	}
}

// sentTexts keeps the statements that Postgres is sent.
type sentTexts struct {
	counter
	all []string
}

func (x *sentTexts) TraceQueryStart(ctx context.Context, _ *pgx.Conn, d pgx.TraceQueryStartData) context.Context {
	x.all = append(x.all, d.SQL)
	return ctx
}

func testExports(t *testing.T, conn *pgx.Conn, small map[string]bool) {
	var sent sentTexts
	s := Opened(t, engine.Options{URL: conn.Config().ConnString(), Trace: &sent})
	for _, d := range personaldata.Kinds() {
		sent.all = nil
		for range s.PersonalData.Records(t.Context(), 7, d.Kind) {
			break
		}
		require.NotEmpty(t, sent.all, d.Kind)
		for _, scan := range planOfAny(t, conn, sent.all[len(sent.all)-1]).scans() {
			assert.False(t, scan.Node == "Seq Scan" && !small[scan.Relation], "%s reads %s whole", d.Kind, scan.Relation)
		}
	}
}
