// Package arch holds the house to its plan: who may import whom, how rooms may be
// called, and that every package says what it is about.
package arch

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "plaza"

// pkg is what the go command tells of a package.
type pkg struct {
	ImportPath string
	Dir        string
	Doc        string
	Standard   bool
	Imports    []string
	GoFiles    []string
}

func (p pkg) within(folder string) bool {
	return p.ImportPath == module+"/"+folder || strings.HasPrefix(p.ImportPath, module+"/"+folder+"/")
}

func packages(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-tags", "nomsgpack", "-json=ImportPath,Dir,Doc,Imports,GoFiles", "./...")
	cmd.Dir = root(t)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	require.NoError(t, err)
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else {
			require.NoError(t, err)
		}
		all = append(all, p)
	}
	require.NotEmpty(t, all)
	return all
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	require.NoError(t, err)
	return dir
}

func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".") && first != module
}

func inside(imported string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool { return pkg{ImportPath: imported}.within(f) })
}

// room is an adapter, whatever it has inside: adapters/httpapi with its openapi. Wallets
// are one each: a mistake that two had from each other would hide.
func room(importPath string) string {
	parts := strings.Split(strings.TrimPrefix(importPath, module+"/adapters/"), "/")
	if parts[0] == "wallet" && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// verdict says why the package may not import the other; empty when it may.
func verdict(p pkg, imported string) string {
	switch {
	case p.within("domain"):
		isLocale := p.within("domain/locale") && strings.HasPrefix(imported, "golang.org/x/text/")
		if !isStandard(imported) && !inside(imported, "domain") && !isLocale {
			return "the domain imports the standard library and itself"
		}
		if slices.Contains([]string{"net/http", "database/sql", "os", "os/exec", "io/ioutil"}, imported) {
			return "the domain does no I/O"
		}
	case p.within("application"):
		if !isStandard(imported) && !inside(imported, "domain") {
			return "use cases import the domain"
		}
	case p.within("adapters"):
		mayKnowUseCases := p.within("adapters/httpapi")
		switch {
		case inside(imported, "application") && !mayKnowUseCases:
			return "only httpapi and bootstrap import use cases"
		case inside(imported, "bootstrap", "test"):
			return "only bootstrap knows everybody"
		case inside(imported, "adapters") && room(imported) != room(p.ImportPath):
			return "an adapter never imports another"
		}
	case p.within("bootstrap"), p.within("test"), p.within("migrations"):
	default:
		return "there is no such part of the house"
	}
	if strings.HasPrefix(imported, "github.com/google/wire") && !p.within("bootstrap") {
		return "wire stays within bootstrap"
	}
	return ""
}

func TestWho_may_import_whom(t *testing.T) {
	for _, p := range packages(t) {
		for _, imported := range p.Imports {
			if why := verdict(p, imported); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imported, why)
			}
		}
	}
}

func TestThe_verdict_itself(t *testing.T) {
	for _, c := range []struct {
		from, to string
		allowed  bool
	}{
		{"plaza/domain/event", "plaza/domain/user", true},
		{"plaza/domain/event", "time", true},
		{"plaza/domain/event", "net/http", false},
		{"plaza/domain/event", "github.com/gin-gonic/gin", false},
		{"plaza/domain/event", "golang.org/x/text/language", false},
		{"plaza/domain/locale", "golang.org/x/text/language", true},
		{"plaza/domain/event", "plaza/adapters/memory", false},
		{"plaza/application/diary", "plaza/domain/event", true},
		{"plaza/application/diary", "plaza/application/people", false},
		{"plaza/application/diary", "plaza/adapters/memory", false},
		{"plaza/application/diary", "golang.org/x/sync/errgroup", false},
		{"plaza/adapters/memory", "plaza/domain/event", true},
		{"plaza/adapters/memory", "plaza/adapters/argon2id", false},
		{"plaza/adapters/memory", "plaza/application/diary", false},
		{"plaza/adapters/memory", "github.com/google/wire", false},
		{"plaza/adapters/httpapi", "plaza/application/diary", true},
		{"plaza/adapters/httpapi", "plaza/adapters/httpapi/openapi", true},
		{"plaza/adapters/httpapi", "plaza/adapters/imaging", false},
		{"plaza/adapters/httpapi", "plaza/bootstrap", false},
		{"plaza/adapters/wallet/sandbox", "plaza/adapters/wallet/wechatpay", false},
		{"plaza/bootstrap", "plaza/adapters/memory", true},
		{"plaza/bootstrap", "github.com/google/wire", true},
		{"plaza/tools", "time", false},
	} {
		assert.Equal(t, c.allowed, verdict(pkg{ImportPath: c.from}, c.to) == "", "%s imports %s", c.from, c.to)
	}
}

func TestRooms_say_what_they_are(t *testing.T) {
	names := regexp.MustCompile(`(?i)^(utils?|common|helpers?|shared|misc|base|core|lib|x)$`)
	for _, p := range packages(t) {
		for part := range strings.SplitSeq(p.ImportPath, "/") {
			assert.False(t, names.MatchString(part), "%s: a name that says nothing", p.ImportPath)
		}
		if len(p.GoFiles) > 0 {
			assert.Greater(t, len(p.Doc), 20, "%s has no package doc", p.ImportPath)
		}
	}
}

// TestExported_names_are_documented: public docs give meaning, units and errors.
func TestExported_names_are_documented(t *testing.T) {
	for _, p := range packages(t) {
		if !p.within("domain") && !p.within("application") {
			continue
		}
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ParseComments)
			require.NoError(t, err)
			for _, undocumented := range undocumented(file) {
				t.Errorf("%s: %s has no doc", path.Join(p.ImportPath, name), undocumented)
			}
		}
	}
}

// wellKnown are methods whose meaning their interface gives.
var wellKnown = []string{"String", "Error", "LogValue", "MarshalText", "UnmarshalText", "Format"}

func undocumented(file *ast.File) []string {
	var names []string
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			isKnown := d.Recv != nil && (slices.Contains(wellKnown, d.Name.Name) || !ast.IsExported(receiver(d)))
			if d.Name.IsExported() && d.Doc == nil && !isKnown {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if s, isType := spec.(*ast.TypeSpec); isType && s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
					names = append(names, s.Name.Name)
				}
			}
		}
	}
	return names
}

// receiver is the name of the type that the method belongs to.
func receiver(d *ast.FuncDecl) string {
	typ := d.Recv.List[0].Type
	if star, isPointer := typ.(*ast.StarExpr); isPointer {
		typ = star.X
	}
	if generic, isGeneric := typ.(*ast.IndexExpr); isGeneric {
		typ = generic.X
	}
	return typ.(*ast.Ident).Name
}

// TestFiles_can_be_read: about four hundred lines are what one reads at a sitting.
func TestFiles_can_be_read(t *testing.T) {
	const tooLong = 500
	for _, p := range packages(t) {
		for _, name := range p.GoFiles {
			if name == "wire_gen.go" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			require.NoError(t, err)
			lines := strings.Count(string(text), "\n")
			assert.LessOrEqual(t, lines, tooLong, "%s/%s", p.ImportPath, name)
		}
	}
}
