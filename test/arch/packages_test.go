package arch

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	module = "plaza"
	root   = "../.."
)

// pkg is a package of the module, or of one that is nested in it, parsed from all files of its folder, also from those
// that build constraints exclude.
type pkg struct {
	ImportPath  string
	Doc         string // its synopsis
	Imports     []string
	TestImports []string // of all test files, those of the external test package included
	Files       map[string]*ast.File
}

func (p *pkg) within(folder string) bool { return inside(p.ImportPath, folder) }

// inside reports whether the import path is one of the folders' or below it.
func inside(importPath string, folders ...string) bool {
	return slices.ContainsFunc(folders, func(f string) bool {
		return importPath == module+"/"+f || strings.HasPrefix(importPath, module+"/"+f+"/")
	})
}

var (
	fset   = token.NewFileSet()
	parsed = sync.OnceValues(parse)
)

// packages returns the packages of the module in the order of their import paths.
func packages(t *testing.T) []*pkg {
	t.Helper()
	all, err := parsed()
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

// parse reads the files in this process rather than asking `go list`, so that Go's test cache sees which files the tests depend on.
func parse() ([]*pkg, error) {
	all := map[string]*pkg{}
	err := eachFile(".go", func(file, text string) error {
		folder, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		importPath := path.Join(module, filepath.ToSlash(folder))
		if all[importPath] == nil {
			all[importPath] = &pkg{ImportPath: importPath, Files: map[string]*ast.File{}}
		}
		return all[importPath].add(file, text)
	})
	return slices.SortedFunc(maps.Values(all), func(a, b *pkg) int { return strings.Compare(a.ImportPath, b.ImportPath) }), err
}

// eachFile calls fn with each file of the extension, but for those in folders that the go command ignores.
func eachFile(extension string, fn func(file, text string) error) error {
	return filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && file != root && isIgnored(entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(file) != extension:
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		return fn(file, string(text))
	})
}

// isIgnored reports whether the go command finds no packages in a folder of that name.
func isIgnored(folder string) bool {
	return folder == "testdata" || strings.HasPrefix(folder, ".") || strings.HasPrefix(folder, "_")
}

func (p *pkg) add(name, text string) error {
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	imports := &p.Imports
	if strings.HasSuffix(name, "_test.go") {
		imports = &p.TestImports
	} else {
		p.Files[filepath.Base(name)] = file
		if file.Doc != nil {
			p.Doc = new(doc.Package).Synopsis(file.Doc.Text())
		}
	}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if !slices.Contains(*imports, imported) {
			*imports = append(*imports, imported)
		}
	}
	return nil
}
