package arch

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
)

// putTogether are the functions of the store that put statements together from pieces, and why.
var putTogether = map[string]string{
	"insertions": "a bulk insert has as many rows as come",
	"Stored":     "the columns are those of any model",
	"Update":     "so are these",
	"clearIndex": "the name of an index can't be a parameter",
	"ping":       "the settings come from the table of those that are set",
}

// sql finds what only texts of SQL have.
var sql = regexp.MustCompile(`\b(SELECT|INSERT|UPDATE|DELETE|FROM|WHERE|AND|JOIN|ORDER BY|GROUP BY|VALUES|UNION|EXISTS|RETURNING|LIMIT)\b`)

// joins are the functions of the standard library that make a text of others.
var joins = map[string]bool{
	"fmt.Sprintf": true, "fmt.Sprint": true, "fmt.Fprintf": true, "strings.Join": true, "strings.Replace": true, "strings.ReplaceAll": true,
	"strings.NewReplacer": true,
}

// TestStatementsAreWhole finds statements of the store that are not one text: a reader can't copy such a statement into psql.
func TestStatementsAreWhole(t *testing.T) {
	used := map[string]bool{}
	for _, p := range packages(t) {
		if !p.within("adapters/bunstore") {
			continue
		}
		statements := statementsOf(p)
		for _, file := range p.Files {
			for _, declared := range file.Decls {
				name := declaredName(declared)
				for _, at := range pieces(declared, statements) {
					if _, may := putTogether[name]; may {
						used[name] = true
						continue
					}
					t.Errorf("%s: %s puts a statement together from pieces", fset.Position(at), name)
				}
			}
		}
	}
	for name := range putTogether {
		assert.True(t, used[name], "%s puts no statement together", name)
	}
	assert.LessOrEqual(t, len(putTogether), 5)
}

// statementsOf returns the names of the package's constants and variables that are texts of SQL.
func statementsOf(p *pkg) map[string]bool {
	names := map[string]bool{}
	for _, file := range p.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, is := n.(*ast.ValueSpec); is {
				for i, name := range spec.Names {
					if i < len(spec.Values) && isSQL(spec.Values[i], names) {
						names[name.Name] = true
					}
				}
			}
			return true
		})
	}
	return names
}

// isSQL reports whether the expression is a text of SQL, or has one as an operand.
func isSQL(e ast.Expr, statements map[string]bool) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return err == nil && e.Kind == token.STRING && sql.MatchString(text)
	case *ast.Ident:
		return statements[e.Name]
	case *ast.ParenExpr:
		return isSQL(e.X, statements)
	case *ast.BinaryExpr:
		return e.Op == token.ADD && (isSQL(e.X, statements) || isSQL(e.Y, statements))
	}
	return false
}

// pieces returns where texts of SQL are joined with others.
func pieces(in ast.Node, statements map[string]bool) (all []token.Pos) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if isSQL(n, statements) {
				all = append(all, n.Pos())
				return false
			}
		case *ast.AssignStmt:
			if n.Tok == token.ADD_ASSIGN && isSQL(n.Rhs[0], statements) {
				all = append(all, n.Pos())
			}
		case *ast.CallExpr:
			hasSQL := func(e ast.Expr) bool { return isSQL(e, statements) }
			if joins[types.ExprString(n.Fun)] && slices.ContainsFunc(n.Args, hasSQL) {
				all = append(all, n.Pos())
			}
		}
		return true
	})
	return all
}

// declaredName returns the name of the function, or of the first of the names, that the declaration is of.
func declaredName(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name
	case *ast.GenDecl:
		if spec, is := d.Specs[0].(*ast.ValueSpec); is {
			return spec.Names[0].Name
		}
	}
	return ""
}
