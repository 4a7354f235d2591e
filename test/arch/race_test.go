package arch

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// heavy are the libraries that take minutes to build for the race detector.
var heavy = []string{
	"github.com/gin-gonic/gin", "github.com/jackc/pgx/v5", "github.com/minio/minio-go/v7", "github.com/uptrace/bun", "modernc.org/sqlite",
}

// notRaced are packages whose tests build without the heavy libraries and yet run under the race detector in
// the soak only, with the reason.
var notRaced = map[string]string{
	"plaza/adapters/argon2id":                  "one test of many callers, which is in the soak",
	"plaza/adapters/gazetteer":                 "no test starts a goroutine",
	"plaza/adapters/httpapi/reference":         "no test starts a goroutine",
	"plaza/adapters/mediastore/disk":           "the suite's callers at once, which are in the soak",
	"plaza/adapters/sanitiser":                 "no test starts a goroutine",
	"plaza/adapters/translator/apertium":       "no test starts a goroutine: its provider does",
	"plaza/adapters/translator/azure":          "no test starts a goroutine: its provider does",
	"plaza/adapters/translator/deepl":          "no test starts a goroutine: its provider does",
	"plaza/adapters/translator/google":         "no test starts a goroutine: its provider does",
	"plaza/adapters/translator/libretranslate": "no test starts a goroutine: its provider does",
	"plaza/adapters/translator/pseudo":         "no test starts a goroutine",
	"plaza/adapters/wallet/wechatpay":          "signatures take eight times as long; in the soak",
	"plaza/adapters/wallet/wechatpayv3":        "signatures take eight times as long; in the soak",
	"plaza/adapters/zxcvbn":                    "no test starts a goroutine",
	"plaza/test/ports":                         "its wallet is a toy",
	"plaza/adapters/httpapi/openapi":           "no test starts a goroutine",
	"plaza/adapters/httpapi/openapi/generate":  "no test starts a goroutine",
	"plaza/adapters/imaging":                   "most tests measure pixels and allocations, and take eight times as long",
	"plaza/adapters/jsonlines":                 "no test starts a goroutine, and they take three times as long",
	"plaza/bootstrap/demo":                     "no test starts a goroutine",
	"plaza/bootstrap/release":                  "no test starts a goroutine",
}

func TestRacePackages(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	patterns := variableOf(string(makefile), "RACE")
	require.NotEmpty(t, patterns, "the Makefile needs RACE: the packages that `make test` runs under the race detector")

	all := packages(t)
	used := map[string]bool{}
	for _, p := range all {
		if len(p.TestImports) == 0 {
			continue
		}
		matching := slices.DeleteFunc(slices.Clone(patterns), func(pattern string) bool { return !matches(pattern, p.ImportPath) })
		for _, pattern := range matching {
			used[pattern] = true
		}
		libraries := heavyOf(all, p)
		reason := notRaced[p.ImportPath]
		switch isRaced := len(matching) > 0; {
		case isRaced:
			assert.Empty(t, libraries, "%s is in RACE of the Makefile, and its tests import heavy libraries", p.ImportPath)
			assert.Empty(t, reason, "%s is in RACE of the Makefile and in notRaced", p.ImportPath)
		case reason != "":
			assert.Empty(t, libraries, "%s imports heavy libraries and needs no entry in notRaced", p.ImportPath)
		default:
			assert.NotEmpty(t, libraries, "%s belongs to RACE of the Makefile, or with a reason to notRaced", p.ImportPath)
		}
	}
	for _, pattern := range patterns {
		assert.True(t, used[pattern], "RACE of the Makefile: %s matches no package with tests", pattern)
	}
	for importPath := range notRaced {
		assert.True(t, slices.ContainsFunc(all, func(p *pkg) bool { return p.ImportPath == importPath }), "notRaced: no package %s", importPath)
	}
}

// variableOf returns the words of a variable in a Makefile.
func variableOf(makefile, name string) []string {
	found := regexp.MustCompile(`(?m)^` + name + `[ \t]*[:?]?=((?:.*\\\n)*.*)$`).FindStringSubmatch(makefile)
	if found == nil {
		return nil
	}
	return strings.Fields(strings.ReplaceAll(found[1], "\\\n", " "))
}

// matches reports whether the go command's pattern names the package: ./domain/... or ./adapters/memory.
func matches(pattern, importPath string) bool {
	folder, below := strings.CutSuffix(strings.TrimPrefix(pattern, "./"), "/...")
	if below {
		return inside(importPath, folder)
	}
	return importPath == module+"/"+folder
}

// heavyOf returns the heavy libraries that the package's tests import, directly or through packages of the module.
func heavyOf(all []*pkg, p *pkg) []string {
	var libraries []string
	seen := map[string]bool{}
	var visit func(imports []string)
	visit = func(imports []string) {
		for _, imported := range imports {
			if seen[imported] {
				continue
			}
			seen[imported] = true
			for _, library := range heavy {
				if imported == library || strings.HasPrefix(imported, library+"/") {
					libraries = append(libraries, imported)
				}
			}
			if at := slices.IndexFunc(all, func(p *pkg) bool { return p.ImportPath == imported }); at >= 0 {
				visit(all[at].Imports)
			}
		}
	}
	visit(p.Imports)
	visit(p.TestImports)
	return libraries
}
