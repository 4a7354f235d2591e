package arch

import (
	"go/ast"
	"path"
	"testing"

	"github.com/stretchr/testify/assert"
)

// otherCallers are methods that stores or the domain itself call, with their callers.
var otherCallers = map[string]string{
	"Record.Needs":       "imported.Decide calls it",
	"Store.Mark":         "media.Pair calls it",
	"Store.SetMark":      "media.Pair and media.Adopt call it",
	"Sanitiser.Sanitise": "event.Change.Sanitised and imported.NewsDraft.Record call it",
}

// TestPortMethodsHaveCallers fails on an exported method of an interface in domain or application/telemetry that the program does not call:
// a method that only tests call is removed. It compares names, not types, so it has two limits. A method passes if code of the program
// selects any method or field of the same name: Put of one port hides Put of another. And a method that only the domain or an adapter calls
// fails: otherCallers excepts those.
func TestPortMethodsHaveCallers(t *testing.T) {
	selected := map[string]bool{}
	for _, p := range packages(t) {
		if !p.within("application") && !p.within("bootstrap") && !p.within("adapters/httpapi") {
			continue
		}
		for _, file := range p.Files {
			addSelected(selected, file)
		}
	}
	excepted := map[string]bool{}
	for _, p := range packages(t) {
		if !p.within("domain") && !p.within("application/telemetry") {
			continue
		}
		for name, file := range p.Files {
			for _, method := range uncalled(file, selected) {
				if otherCallers[method] != "" {
					excepted[method] = true
					continue
				}
				t.Errorf("%s: no caller in application, bootstrap or adapters/httpapi: %s", path.Join(p.ImportPath, name), method)
			}
		}
	}
	for method := range otherCallers {
		assert.True(t, excepted[method], "%s needs no entry in otherCallers", method)
	}
}

// addSelected adds the names that the file selects from something: Name of x.Name.
func addSelected(names map[string]bool, file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, is := n.(*ast.SelectorExpr); is {
			names[selector.Sel.Name] = true
		}
		return true
	})
}

// uncalled returns the exported methods of the file's interfaces that are not among the selected names.
func uncalled(file *ast.File, selected map[string]bool) []string {
	var methods []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, isType := n.(*ast.TypeSpec)
		if !isType {
			return true
		}
		if port, is := spec.Type.(*ast.InterfaceType); is {
			for _, method := range port.Methods.List {
				for _, name := range method.Names {
					if name.IsExported() && !selected[name.Name] {
						methods = append(methods, spec.Name.Name+"."+name.Name)
					}
				}
			}
		}
		return true
	})
	return methods
}
