package translation

import (
	"fmt"
	"sync"
	"time"

	"plaza/domain/locale"
	"plaza/domain/ratelimit"
)

// languageLimit limits into how many further languages a reader causes translations
// (GEN-14): each text and language costs money and a row of the cache. A language stays the
// reader's for the period of the limit. Each process counts for itself, in fixed memory.
type languageLimit struct {
	limit ratelimit.Limit

	mu      sync.Mutex
	charged *ratelimit.Sketch // readers with the limit; each language of a reader with one within the period
}

// newLanguageLimit returns a limit for readers, or nil if it is off.
func newLanguageLimit(limit ratelimit.Limit, now time.Time) *languageLimit {
	if limit.IsOff() {
		return nil
	}
	return &languageLimit{limit: limit, charged: ratelimit.NewSketch(now)}
}

// admits reports whether the reader may cause translations into the language. A nil limit
// admits every language.
func (l *languageLimit) admits(reader string, to locale.Tag, now time.Time) bool {
	if l == nil {
		return true
	}
	language := fmt.Appendf(nil, "%s %s", reader, to.Language())
	first := ratelimit.Charge{Limit: ratelimit.Limit{Count: 1, Period: l.limit.Period}, Units: 1, Now: now}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.charged.Admits(language, first) {
		return true // it is already the reader's
	}
	if l.charged.Charge(fmt.Append(nil, reader), ratelimit.Charge{Limit: l.limit, Units: 1, Now: now}) != nil {
		return false
	}
	return l.charged.Charge(language, first) == nil
}
