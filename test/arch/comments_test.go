package arch

import (
	"go/ast"
	"go/parser"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	// identifier finds words that only a program has: with a capital after a small letter, or behind the name of a package.
	identifier = regexp.MustCompile(`(?:\b[a-z]\w*\.)?\b[A-Za-z]\w*[a-z]\w*\b`)
	inner      = regexp.MustCompile(`[a-z0-9][A-Z]`)
	// properNames are words of that form that name no part of a program.
	properNames = regexp.MustCompile(`^(GitHub|LibreTranslate|WeChat|OpenTelemetry|SplitMix64|NaN|TestMain|DeleteObject|ListBucket)$`)
)

// TestIdentifiersInComments fails on a word of a comment of the program that has the form of an identifier, and that no code
// has: a name that was changed since, or mistyped.
func TestIdentifiersInComments(t *testing.T) {
	words := wordsOfCode(t)
	packageNames := map[string]bool{}
	for _, p := range packages(t) {
		packageNames[p.ImportPath[strings.LastIndex(p.ImportPath, "/")+1:]] = true
	}
	found := 0
	for _, p := range packages(t) {
		for _, file := range p.Files {
			for _, group := range file.Comments {
				for _, word := range identifier.FindAllString(group.Text(), -1) {
					of, name, isSelected := strings.Cut(word, ".")
					if !isSelected {
						name = of
					}
					isName := isSelected && packageNames[of] && ast.IsExported(name) || !isSelected && inner.MatchString(name)
					if isName && !properNames.MatchString(name) {
						found++
						assert.True(t, words[name] || words[strings.TrimSuffix(name, "s")], "%s: no code has %s", fset.Position(group.Pos()), word)
					}
				}
			}
		}
	}
	assert.Greater(t, found, 500)
}

// TestDocsBeginWithNames fails on a doc comment of a function, type, constant or variable whose first word is another name.
func TestDocsBeginWithNames(t *testing.T) {
	sentenceOf := regexp.MustCompile(`^([A-Za-z]\w*) (is|are|has|have|returns|reports|bounds|reads|writes|finds|makes|calls|counts|says|gives|keeps|starts)\b`)
	check := func(doc *ast.CommentGroup, name string) {
		if begins := sentenceOf.FindStringSubmatch(doc.Text()); begins != nil && (ast.IsExported(name) || !ast.IsExported(begins[1])) {
			assert.Equal(t, name, begins[1], "%s", fset.Position(doc.Pos()))
		}
	}
	for _, p := range packages(t) {
		for _, file := range p.Files {
			for _, declared := range file.Decls {
				switch d := declared.(type) {
				case *ast.FuncDecl:
					check(d.Doc, d.Name.Name)
				case *ast.GenDecl:
					if len(d.Specs) != 1 {
						continue
					}
					switch spec := d.Specs[0].(type) {
					case *ast.TypeSpec:
						check(d.Doc, spec.Name.Name)
					case *ast.ValueSpec:
						check(d.Doc, spec.Names[0].Name)
					}
				}
			}
		}
	}
}

// wordsOfCode returns the words of all Go files outside of comments.
func wordsOfCode(t *testing.T) map[string]bool {
	word := regexp.MustCompile(`\w+`)
	words := map[string]bool{}
	for _, p := range packages(t) {
		for _, file := range p.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CommentGroup:
					return false
				case *ast.Ident:
					words[n.Name] = true
				case *ast.BasicLit:
					for _, w := range word.FindAllString(n.Value, -1) {
						words[w] = true
					}
				}
				return true
			})
		}
	}
	assert.NotEmpty(t, words)
	return words
}

// longest is how many characters a line of Go may have.
const longest = 140

// TestLineLengths fails on lines that are too long, but for those of a text in backquotes: data, and tags of fields.
func TestLineLengths(t *testing.T) {
	require.NoError(t, eachFile(".go", func(file, text string) error {
		if strings.HasSuffix(file, "wire_gen.go") {
			return nil
		}
		parsed, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
		raw := linesOfTexts(parsed)
		for i, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > longest && !raw[i+1] {
				assert.LessOrEqual(t, n, longest, "%s:%d", file, i+1)
			}
		}
		return err
	}))
}

// linesOfTexts returns the numbers of the lines that have a text in backquotes, or a part of one.
func linesOfTexts(file *ast.File) map[int]bool {
	lines := map[int]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if text, is := n.(*ast.BasicLit); is && strings.HasPrefix(text.Value, "`") {
			for line := fset.Position(text.Pos()).Line; line <= fset.Position(text.End()).Line; line++ {
				lines[line] = true
			}
		}
		return true
	})
	return lines
}
