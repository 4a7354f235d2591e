// Package catalogue translates what the program says to people: the sentences of its errors (GEN-16) and of its SMS
// (AUT-15), and the texts of the pages for staff (OFF-06).
//
// The program says everything in English, and what says it knows of no other language. A language has a file here, with
// its own sentences by the English ones. A sentence with values stands there as its format, and is recognised by the
// words around its values. A text of the pages stands there as the program has it, format or not: it is translated before
// its values are known. Tests in test/arch find sentences and texts in the sources and fail if one has no translation.
//
// To add a language, translate a copy of zh-Hans.json. Its name is the language's tag, as in Accept-Language and
// Content-Language. Nothing else names it but the interface's description.
package catalogue

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"plaza/domain/fault"
	"plaza/domain/locale"
)

// English is the language of the sentences as they are made.
var English, _ = locale.Parse("en")

//go:embed *.json
var files embed.FS

// translations are the file of a language: what is said, by subjects and then by the English of it.
type translations struct{ Sentences, Pages map[string]map[string]string }

var languages = sync.OnceValue(func() (all []language) {
	names, _ := fs.Glob(files, "*.json")
	for _, name := range names {
		content, _ := files.ReadFile(name)
		var t translations
		if err := json.Unmarshal(content, &t); err != nil {
			panic(fmt.Errorf("%s: %w", name, err)) // the tests read every file
		}
		all = append(all, newLanguage(strings.TrimSuffix(name, ".json"), flat(t.Sentences), flat(t.Pages)))
	}
	return all
})

func flat(bySubject map[string]map[string]string) map[string]string {
	all := map[string]string{}
	for _, some := range bySubject {
		maps.Copy(all, some)
	}
	return all
}

// Languages returns the languages that sentences are translated to, and English.
func Languages() []locale.Tag {
	tags := []locale.Tag{English}
	for _, l := range languages() {
		tags = append(tags, l.tag)
	}
	return tags
}

// Translate returns the English sentence in the language. It returns a sentence without translation unchanged, as it
// does all of them for a language that is not one of Languages.
func Translate(to locale.Tag, english string) string {
	for _, l := range languages() {
		if locale.Same(l.tag, to) {
			return l.translate(english)
		}
	}
	return english
}

// TranslateFields is like Translate, for the sentences about fields.
func TranslateFields(to locale.Tag, english fault.Fields) fault.Fields {
	translated := make(fault.Fields, len(english))
	for name, sentences := range english {
		for _, sentence := range sentences {
			translated.Add(name, Translate(to, sentence))
		}
	}
	return translated
}

// Text returns the text of a page in the language. A format keeps its verbs. Text reports false for a text without
// translation, and returns it unchanged.
func Text(to locale.Tag, english string) (text string, is bool) {
	if to == English {
		return english, true
	}
	for _, l := range languages() {
		if text, is = l.texts[english]; is && locale.Same(l.tag, to) {
			return text, true
		}
	}
	return english, false
}

// language is one to translate to.
type language struct {
	tag       locale.Tag
	texts     map[string]string // of pages, by the English ones
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

func newLanguage(tag string, translations, texts map[string]string) language {
	parsed, _ := locale.Parse(tag)
	l := language{tag: parsed, texts: texts, sentences: map[string]string{}}
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
