// Package catalogue translates the sentences that the program says to people: those of its errors (GEN-16) and of its
// SMS (AUT-15).
//
// The program says everything in English, and what says it knows of no other language. A language has a file here: a
// map of the English sentences to its own. A sentence with values stands there as its format, and is recognised by the
// words around its values. A test in test/arch finds the sentences in the sources and fails if one has no translation.
//
// To add a language, copy simplified_chinese.go, translate it, and list it in languages. The language's name in
// Accept-Language and Content-Language is its tag. Nothing else names it but the interface's description.
package catalogue

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"plaza/domain/locale"
)

// English is the language of the sentences as they are made.
var English, _ = locale.Parse("en")

var languages = []language{
	newLanguage("zh-Hans", simplifiedChinese),
}

// Languages returns the languages that sentences are translated to, and English.
func Languages() []locale.Tag {
	tags := []locale.Tag{English}
	for _, l := range languages {
		tags = append(tags, l.tag)
	}
	return tags
}

// Translate returns the English sentence in the language. It returns a sentence without translation unchanged, as it
// does all of them for a language that is not one of Languages.
func Translate(to locale.Tag, english string) string {
	for _, l := range languages {
		if locale.Same(l.tag, to) {
			return l.translate(english)
		}
	}
	return english
}

// language is one to translate to.
type language struct {
	tag       locale.Tag
	sentences map[string]string // without values, by the English ones
	formats   []format          // those with the most words first
}

// format translates the sentences with values that one English format makes.
type format struct {
	words      []string // before, between and behind the values
	translated string   // its verbs are %s, because the values are texts
}

// verb is the place of a value in a format. Its index, as in %[2]d, counts the places of the English format.
var verb = regexp.MustCompile(`%(\[\d+\])?[a-z]`)

func newLanguage(tag string, translations map[string]string) language {
	parsed, _ := locale.Parse(tag)
	l := language{tag: parsed, sentences: map[string]string{}}
	for english, translated := range translations {
		if !strings.Contains(english, "%") {
			l.sentences[english] = translated
			continue
		}
		l.formats = append(l.formats, format{verb.Split(english, -1), verb.ReplaceAllString(translated, "%${1}s")})
	}
	slices.SortFunc(l.formats, func(a, b format) int {
		x, y := strings.Join(a.words, ""), strings.Join(b.words, "")
		return cmp.Or(cmp.Compare(len(y), len(x)), strings.Compare(x, y))
	})
	return l
}

func (l language) translate(english string) string {
	if translated, is := l.sentences[english]; is {
		return translated
	}
	for _, f := range l.formats {
		if values, is := f.parse(english); is {
			return fmt.Sprintf(f.translated, values...)
		}
	}
	return english
}

// parse returns the values in the sentence. It reports false if the format does not make the sentence.
func (f format) parse(sentence string) (values []any, is bool) {
	last := len(f.words) - 1
	rest, begins := strings.CutPrefix(sentence, f.words[0])
	rest, ends := strings.CutSuffix(rest, f.words[last])
	if !begins || !ends {
		return nil, false
	}
	for _, words := range f.words[1:last] {
		value, behind, isNext := strings.Cut(rest, words)
		if !isNext {
			return nil, false
		}
		values, rest = append(values, value), behind
	}
	return append(values, rest), true
}
