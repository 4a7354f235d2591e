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

func TestRacePackages(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	patterns := variableOf(string(makefile), "RACE")
	require.NotEmpty(t, patterns, "the Makefile needs RACE: the packages that `make test-all` runs under the race detector")
	all := packages(t)
	used := map[string]bool{}
	for _, p := range all {
		for _, pattern := range patterns {
			if len(p.TestImports) > 0 && matches(pattern, p.ImportPath) {
				used[pattern] = true
				assert.Empty(t, heavyOf(all, p), "%s is in RACE of the Makefile, and its tests import heavy libraries", p.ImportPath)
			}
		}
	}
	for _, pattern := range patterns {
		assert.True(t, used[pattern], "RACE of the Makefile: %s matches no package with tests", pattern)
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

// matches reports whether the go command's pattern names the package: ./domain/... or ./test/memory.
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

// TestShort_skips fails if -short changes what a test does, but for skipping it: `make test-all` runs what `make test` has
// skipped, and nothing else once more.
func TestShort_skips(t *testing.T) {
	const short = "testing" + ".Short()"
	skips := regexp.MustCompile(`if ` + regexp.QuoteMeta(short) + `[^\n]*\{\n\s*[a-z]\.Skip\(`)
	found := 0
	require.NoError(t, eachFile(".go", func(file, text string) error {
		found += strings.Count(text, short)
		assert.Len(t, skips.FindAllString(text, -1), strings.Count(text, short), file)
		return nil
	}))
	assert.NotZero(t, found)
}

var fuzzTarget = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)

// TestFuzzTargets_are_told fails if the table of attacks does not name a fuzz target, or names one that does not exist.
func TestFuzzTargets_are_told(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(root, "test", "contract", "ATTACKS.md"))
	require.NoError(t, err)
	attacks := string(raw)
	told := regexp.MustCompile("`(Fuzz\\w+)`").FindAllStringSubmatch(attacks, -1)
	exists := map[string]bool{}
	require.NoError(t, eachFile(".go", func(file, text string) error {
		for _, match := range fuzzTarget.FindAllStringSubmatch(text, -1) {
			assert.Contains(t, attacks, "`"+match[1]+"`", "of %s", file)
			exists[match[1]] = true
		}
		return nil
	}))
	for _, match := range told {
		assert.True(t, exists[match[1]], "%s does not exist", match[1])
	}
}

// ofTests matches the sentence of a package of use cases about the files of its tests.
var ofTests = regexp.MustCompile(`Its tests are those of (\S+) whose files begin with (its name|\w+)\.`)

func TestUseCases_say_where_their_tests_are(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "application", "*", "*.go"))
	require.NoError(t, err)
	said := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		if found := ofTests.FindStringSubmatch(string(source)); found != nil {
			said++
			name := strings.Replace(found[2], "its name", filepath.Base(filepath.Dir(file)), 1)
			tests, _ := filepath.Glob(filepath.Join(root, found[1], name+"*_test.go"))
			assert.NotEmpty(t, tests, file)
		}
	}
	assert.Greater(t, said, 15)
}
