package provider

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Limits are how much a provider takes; zero is no limit, where nothing else is said.
type Limits struct {
	Texts int // of one request, as what follows
	Chars int // of all texts together
	Bytes int // of the request's body
	// AtOnce is how many requests of one call may be under way at the same time; zero: one.
	AtOnce int
}

// What a body has besides its texts, as written in JSON, with room to spare.
const (
	aroundAll  = 1 << 10
	aroundText = 16
)

// cut returns the texts in their order, in batches within the limits. A text that is too
// long by itself fails before anybody is asked: the others would be paid for in vain.
func (l Limits) cut(texts []string) ([][]string, error) {
	var batches [][]string
	first, chars, bytes := 0, 0, aroundAll
	for i, s := range texts {
		written, err := json.Marshal(s)
		if err != nil {
			return nil, fmt.Errorf("writing a text: %w", err)
		}
		c, b := utf8.RuneCountInString(s), len(written)+aroundText
		if exceeds(c, l.Chars) || exceeds(b+aroundAll, l.Bytes) {
			return nil, fmt.Errorf("%w: it has %d characters", ErrTooLong, c)
		}
		if exceeds(i-first+1, l.Texts) || exceeds(chars+c, l.Chars) || exceeds(bytes+b, l.Bytes) {
			batches = append(batches, texts[first:i])
			first, chars, bytes = i, 0, aroundAll
		}
		chars, bytes = chars+c, bytes+b
	}
	return append(batches, texts[first:]), nil
}

func exceeds(n, limit int) bool { return limit > 0 && n > limit }
