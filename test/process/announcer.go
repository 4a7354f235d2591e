package process

import (
	"bytes"
	"regexp"
)

// Announcer is the output of a program that prints where it listens.
type Announcer struct {
	// Found gets the first group of each match. The channel holds 4; Write drops further ones.
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
		if found := a.pattern.FindSubmatch(line); found != nil {
			select {
			case a.Found <- string(found[1]):
			default:
			}
		}
	}
}
