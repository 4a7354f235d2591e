package arch

import (
	"go/scanner"
	"go/token"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

// longest is how many characters a line of Go may have.
const longest = 140

// stillLong are folders with longer lines.
var stillLong = []string{"/adapters/imaging/"}

// TestLineLengths fails on lines that are too long, but for those of a text in backquotes: data, and tags of fields.
func TestLineLengths(t *testing.T) {
	eachFile(t, func(file, text string) {
		mayBeLong := func(folder string) bool { return strings.Contains(file, folder) }
		if strings.HasSuffix(file, "wire_gen.go") || slices.ContainsFunc(stillLong, mayBeLong) {
			return
		}
		raw := linesOfTexts(text)
		for i, line := range strings.Split(text, "\n") {
			if n := utf8.RuneCountInString(line); n > longest && !raw[i+1] {
				assert.LessOrEqual(t, n, longest, "%s:%d", file, i+1)
			}
		}
	})
}

// linesOfTexts returns the numbers of the lines that have a text in backquotes, or a part of one.
func linesOfTexts(source string) map[int]bool {
	lines := map[int]bool{}
	files := token.NewFileSet()
	file := files.AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, []byte(source), nil, 0)
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if kind == token.STRING && strings.HasPrefix(text, "`") {
			for n := range strings.Count(text, "\n") + 1 {
				lines[file.Line(at)+n] = true
			}
		}
	}
}
