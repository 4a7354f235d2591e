// Package arch tests the rules of ARCHITECTURE.md: which package imports which, how packages are named and documented, how long files are,
// and which packages `make test-all` runs under the race detector. It also checks the links between documents.
package arch

import (
	"go/ast"
	"go/doc"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".") && first != module
}

// adapterOf returns the name of the adapter that the package belongs to: httpapi for adapters/httpapi/openapi.
// Wallets are adapters of their own: code that the gateways and the sandbox shared would hide a mistake from the tests of either.
func adapterOf(importPath string) string {
	parts := strings.Split(strings.TrimPrefix(importPath, module+"/adapters/"), "/")
	if parts[0] == "wallet" && len(parts) > 1 {
		return parts[0] + "/" + parts[1]
	}
	return parts[0]
}

// mayImport reports whether the adapter may import another: upstream, jsonfields, qrcode, or what describes wallets.
func mayImport(adapter, other string) bool {
	return inside(other, "adapters/upstream", "adapters/jsonfields", "adapters/qrcode") ||
		other == module+"/adapters/wallet" && path.Dir(adapter) == other
}

// belowUseCases reports whether the package of application has no use case, but what use cases share with adapters.
func belowUseCases(importPath string) bool {
	return inside(importPath, "application/admission", "application/catalogue", "application/store", "application/telemetry")
}

// forbids returns the rule against the import, or nothing.
func forbids(p *pkg, imported string) string {
	switch {
	case p.within("domain"):
		isUnicode := (p.within("domain/locale") || p.within("domain/text")) && strings.HasPrefix(imported, "golang.org/x/text/")
		if !isStandard(imported) && !inside(imported, "domain") && !isUnicode {
			return "the domain imports the standard library and itself"
		}
		if slices.Contains([]string{"net/http", "database/sql", "os", "os/exec", "io/ioutil"}, imported) {
			return "the domain does no I/O"
		}
	case p.within("application"):
		if !isStandard(imported) && !inside(imported, "domain") && !belowUseCases(imported) {
			return "use cases import the domain, and what they share with adapters"
		}
	case p.within("adapters"):
		mayKnowUseCases := p.within("adapters/httpapi") && !p.within("adapters/httpapi/transport") || p.within("adapters/backoffice")
		knowsNoRule := []string{"fault", "secret", "calendar", "instant", "page", "geo", "media"}
		switch {
		case p.within("adapters/bunstore/internal/engine") && inside(imported, "domain") && !slices.Contains(knowsNoRule, path.Base(imported)):
			return "the engine knows no rule"
		case inside(imported, "adapters/bunstore") && path.Base(imported) != "bunstore" && !p.within("adapters/bunstore"):
			return "what is in the packages of the store is its own"
		case inside(imported, "application") && !belowUseCases(imported) && !mayKnowUseCases:
			return "only httpapi, backoffice and bootstrap import use cases, and transport is below the handlers"
		case inside(imported, "bootstrap", "test"):
			return "only bootstrap imports every package"
		case inside(imported, "adapters") && adapterOf(imported) != adapterOf(p.ImportPath) && !mayImport(p.ImportPath, imported):
			return "an adapter imports no other but upstream, jsonfields and qrcode, and a wallet what describes wallets"
		}
	case p.within("bootstrap"):
		switch {
		case p.within("bootstrap/settings") && inside(imported, "application", "adapters", "bootstrap"):
			return "settings are plain values"
		case !p.within("bootstrap/cmd") && inside(imported, "bootstrap/command"):
			return "commands call the wiring, which knows none of them"
		}
	case p.within("test"), p.within("migrations"):
	default:
		return "the top folders are domain, application, adapters, bootstrap, migrations and test"
	}
	if strings.HasPrefix(imported, "github.com/google/wire") && !p.within("bootstrap") {
		return "wire stays within bootstrap"
	}
	return ""
}

func TestImports(t *testing.T) {
	for _, p := range packages(t) {
		for _, imported := range p.Imports {
			if why := forbids(p, imported); why != "" {
				t.Errorf("%s imports %s: %s", p.ImportPath, imported, why)
			}
		}
	}
}

// TestUseCases_are_tested_in_few_programs: each program of tests links the adapters that it imports again.
func TestUseCases_are_tested_in_few_programs(t *testing.T) {
	for _, p := range packages(t) {
		if !p.within("application") {
			continue
		}
		for _, imported := range p.TestImports {
			assert.False(t, inside(imported, "adapters", "test"), "a test of %s imports %s: it belongs to test/usecases", p.ImportPath, imported)
		}
	}
}

func TestPackageNamesAndDocs(t *testing.T) {
	names := regexp.MustCompile(`(?i)^(utils?|common|helpers?|shared|misc|base|core|lib|x)$`)
	for _, p := range packages(t) {
		for part := range strings.SplitSeq(p.ImportPath, "/") {
			assert.False(t, names.MatchString(part), "%s: a name without meaning", p.ImportPath)
		}
		if len(p.Files) > 0 {
			assert.Greater(t, len(p.Doc), 20, "%s has no package doc", p.ImportPath)
		}
	}
}

func TestExportedDocs(t *testing.T) {
	for _, p := range packages(t) {
		if !p.within("domain") && !p.within("application") {
			continue
		}
		known := methodsOfInterfaces(p)
		documented, err := doc.NewFromFiles(fset, slices.Collect(maps.Values(p.Files)), p.ImportPath, doc.AllDecls|doc.PreserveAST)
		require.NoError(t, err)
		functions := documented.Funcs
		for _, typ := range documented.Types {
			functions = append(functions, typ.Funcs...)
			if ast.IsExported(typ.Name) {
				assert.NotEmpty(t, typ.Doc, "%s: %s has no doc", p.ImportPath, typ.Name)
				functions = append(functions, typ.Methods...)
			}
		}
		for _, f := range functions {
			isKnown := !ast.IsExported(f.Name) || f.Recv != "" && slices.Contains(known, f.Name)
			assert.True(t, f.Doc != "" || isKnown, "%s: %s has no doc", p.ImportPath, f.Name)
		}
	}
}

// methodsOfInterfaces returns the methods whose meaning an interface gives: one of the package, or one of the standard library.
func methodsOfInterfaces(p *pkg) []string {
	names := []string{"String", "Error", "LogValue", "MarshalText", "UnmarshalText", "Format"}
	for _, file := range p.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			if of, is := n.(*ast.InterfaceType); is {
				for _, method := range of.Methods.List {
					for _, name := range method.Names {
						names = append(names, name.Name)
					}
				}
			}
			return true
		})
	}
	return names
}

func TestFileLengths(t *testing.T) {
	const tooLong = 500
	for _, p := range packages(t) {
		for name, file := range p.Files {
			if name != "wire_gen.go" {
				assert.LessOrEqual(t, fset.File(file.FileStart).LineCount(), tooLong, "%s/%s", p.ImportPath, name)
			}
		}
	}
}
