package provider

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"
)

// Limits are a provider's limits; zero means no limit.
type Limits struct {
	Texts int // number of texts of a request
	Chars int // of all texts of a request
	Bytes int // of the request's body
}

// Size of a JSON body apart from its texts, with a margin.
const (
	aroundAll  = 1 << 10
	aroundText = 16
)

// cut returns the texts in order, in batches within the limits. It fails for a text that
// alone exceeds them, before any request is sent: the others would be paid for in vain.
func (l Limits) cut(texts []string) ([][]string, error) {
	var batches [][]string
	first, chars, bytes := 0, 0, aroundAll
	for i, s := range texts {
		written, err := json.Marshal(s)
		if err != nil {
			return nil, fmt.Errorf("encoding a text: %w", err)
		}
		c, b := utf8.RuneCountInString(s), len(written)+aroundText
		if exceeds(c, l.Chars) || exceeds(b+aroundAll, l.Bytes) {
			return nil, fmt.Errorf("%w: %d characters", ErrTooLong, c)
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
