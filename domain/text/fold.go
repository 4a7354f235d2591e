package text

import (
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// Folded returns the text in a form in which two texts are equal that differ in case, in width or in white space
// alone: NFKC, case folded, trimmed, with one space in place of inner white space.
func Folded(s string) string {
	fold := cases.Fold()
	s = norm.NFKC.String(fold.String(norm.NFKC.String(fold.String(norm.NFD.String(s)))))
	return strings.Join(strings.Fields(s), " ")
}
