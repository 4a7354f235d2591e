package process

import (
	"bytes"
	"regexp"
)

// Announcer is the output of a program that prints where it listens.
type Announcer struct {
	// Found gets the groups of each match. The channel holds 4; Write drops further ones.
	Found chan string

	pattern *regexp.Regexp
	line    []byte
}

// NewAnnouncer returns an output in whose lines the pattern is looked for.
func NewAnnouncer(pattern *regexp.Regexp) *Announcer {
	return &Announcer{Found: make(chan string, 4), pattern: pattern}
}

// Write implements io.Writer.
func (a *Announcer) Write(p []byte) (int, error) {
	a.line = append(a.line, p...)
	for {
		line, rest, isWhole := bytes.Cut(a.line, []byte("\n"))
		if !isWhole {
			return len(p), nil
		}
		a.line = rest
		for i, group := range a.pattern.FindSubmatch(line) {
			if i == 0 {
				continue // the whole match
			}
			select {
			case a.Found <- string(group):
			default:
			}
		}
	}
}
