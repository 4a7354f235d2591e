// Package provider contains what all remote translators share: it splits texts into batches
// within the provider's limits, sends them within one deadline, retries temporary failures,
// and stops asking a failing provider for a while.
//
// A Dialect, one small package each, implements a provider's protocol. The package does not
// trust providers: it limits the size of answers and follows no redirects. Of their text it
// puts into errors the short sentence of a refusal alone, without the key.
package provider

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/text/language"

	"plaza/adapters/upstream"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/secret"
	"plaza/domain/text"
)

// Errors of a request without a translation.
var (
	// ErrThrottled and ErrUnavailable are temporary. Only these are retried.
	ErrThrottled   = errors.New("too many requests")
	ErrUnavailable = upstream.ErrUnavailable
	// ErrQuota and ErrKey last until an operator acts.
	ErrQuota = errors.New("quota exhausted")
	ErrKey   = errors.New("key refused")
	// ErrRefused, ErrTooLong and ErrUnsupportedLanguage concern this request alone. The
	// last two may occur without a request.
	ErrRefused             = errors.New("request refused")
	ErrTooLong             = errors.New("text too long")
	ErrUnsupportedLanguage = errors.New("language not supported")
	// ErrInvalidAnswer means that the answer is invalid.
	ErrInvalidAnswer = upstream.ErrInvalidAnswer
	// ErrOpen means that the breaker is open because the provider has failed too often.
	ErrOpen = errors.New("circuit breaker open")
)

// Codes are the provider's codes of the two languages. From is empty if the provider must
// detect it.
type Codes struct{ From, To string }

// Question is a request in a provider's protocol.
type Question struct {
	Path   string // with the query; it must never contain the key, because URLs get logged
	Header http.Header
	Key    secret.String // what the header or the body has of the key; errors never show it
	Body   any           // url.Values are sent as a form, other values as JSON
}

// Service is what a provider offers.
type Service struct {
	Name   string // which readers see and caches know
	URL    string // unless the settings have another one; empty: they must have one
	Limits Limits
	Dialect
}

// Dialect implements the protocol of one provider.
type Dialect interface {
	// Codes must fail with ErrUnsupportedLanguage for a language that the provider has no code for.
	Codes(from, to locale.Tag) (Codes, error)
	Ask(codes Codes, texts []string) Question
	// Read returns the translations in an answer with status 200, unchanged.
	Read(answer []byte) ([]string, error)
	// Judge returns the meaning of a refusal if the provider has its own codes; nil if the
	// status suffices.
	Judge(status int, answer []byte) error
}

// Translator implements localisation.Translator with a Dialect.
type Translator struct {
	service  Service
	client   *upstream.Client
	deadline time.Duration
	breaker  breaker
}

const (
	// defaultDeadline is that of a connection without one.
	defaultDeadline = 20 * time.Second
	// answerLimit is some five times the answer to the longest request.
	answerLimit = 4 << 20
)

// New returns a translator, or all problems of the connection.
func New(c upstream.Connection, s Service) (*Translator, error) {
	c.URL, c.Deadline = cmp.Or(c.URL, s.URL), cmp.Or(c.Deadline, defaultDeadline)
	client, err := upstream.Open(c, answerLimit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.Name, err)
	}
	return &Translator{service: s, client: client, deadline: c.Deadline}, nil
}

// NewKeyed is New for a service that needs a key.
func NewKeyed(s Settings, of Service) (*Translator, error) {
	if err := upstream.CheckKey(s.Key); err != nil {
		return nil, fmt.Errorf("%s: %w", of.Name, err)
	}
	return New(s.Connection, of)
}

func (t *Translator) Name() string { return t.service.Name }

// BreakerOpen reports whether failures have stopped the requests to the provider and none has
// succeeded since.
func (t *Translator) BreakerOpen() bool { return t.breaker.isOpen() }

// Target implements localisation.Translator. It is the variant that the provider is asked for.
func (t *Translator) Target(to locale.Tag) locale.Tag {
	codes, err := t.service.Codes(locale.Tag{}, to)
	if err != nil { // also if the provider must be told the source
		codes, err = t.service.Codes(to, to)
	}
	if variant, is := locale.Parse(codes.To); err == nil && is && locale.Same(variant, to) {
		return variant
	}
	return to.Base() // the code is the provider's own
}

// Get returns the provider's answer to a GET of the path, which the breaker does not count.
func (t *Translator) Get(ctx context.Context, path string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, t.deadline/4)
	defer cancel()
	a, err := t.client.Send(ctx, http.MethodGet, path, nil, nil)
	if err == nil && a.Status != http.StatusOK {
		err = t.judge(a, secret.String{})
	}
	return a.Body, err
}

// Translate implements localisation.Translator. It returns texts without words unchanged, and
// all texts if both languages are the same, without a request.
func (t *Translator) Translate(ctx context.Context, from, to locale.Tag, texts []string) ([]string, error) {
	translated, err := t.translate(ctx, from, to, texts)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Name(), err)
	}
	return translated, nil
}

func (t *Translator) translate(ctx context.Context, from, to locale.Tag, texts []string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, t.deadline)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	translated := append([]string{}, texts...)
	var where []int
	var words []string
	for i, s := range texts {
		if !text.IsBlank(s) {
			where, words = append(where, i), append(words, s)
		}
	}
	if len(words) == 0 || locale.Same(from, to) {
		return translated, nil
	}
	codes, err := t.service.Codes(from, to)
	if err != nil {
		return nil, err
	}
	batches, err := t.service.Limits.cut(words)
	if err != nil {
		return nil, err
	}
	for _, batch := range batches {
		answers, err := t.ask(ctx, codes, batch)
		if err != nil {
			return nil, err
		}
		for i, s := range answers {
			translated[where[i]] = s
		}
		where = where[len(answers):]
	}
	return translated, nil
}

// read parses the answer. The translations must be fit to be shown and stored: as many as
// the texts sent, none blank or with a NUL byte, which databases refuse.
func (t *Translator) read(answer []byte, sent int) ([]string, error) {
	texts, err := t.service.Read(answer)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: undocumented format", ErrInvalidAnswer)
	case len(texts) != sent:
		return nil, fmt.Errorf("%w: %d translations for %d texts", ErrInvalidAnswer, len(texts), sent)
	}
	for _, s := range texts {
		if text.IsBlank(s) || strings.ContainsRune(s, 0) {
			return nil, fmt.Errorf("%w: a translation without words or with a NUL", ErrInvalidAnswer)
		}
	}
	return texts, nil
}

// judge returns the meaning of a status other than 200, with the provider's sentence.
func (t *Translator) judge(a upstream.Answer, key secret.String) error {
	err := t.service.Judge(a.Status, a.Body)
	if err == nil {
		err = meaning(a.Status)
	}
	if said := sentence(a.Body, key); said != "" {
		return fmt.Errorf("%w: status %d, %q", err, a.Status, said)
	}
	return fmt.Errorf("%w: status %d", err, a.Status)
}

// maxSentence is how many characters of a provider's sentence an error shows.
const maxSentence = 200

// sentence returns why the provider refused in its own words, without the key; empty if it gave
// none. All providers put it into one of a few fields.
func sentence(answer []byte, key secret.String) string {
	var r struct {
		Error       any    `json:"error"` // a sentence, or an object with the message
		Message     string `json:"message"`
		Explanation string `json:"explanation"`
	}
	if json.Unmarshal(answer, &r) != nil {
		return ""
	}
	said, _ := r.Error.(string)
	if object, is := r.Error.(map[string]any); is {
		said, _ = object["message"].(string)
	}
	said = cmp.Or(said, r.Explanation, r.Message)
	if k := key.Reveal(); k != "" {
		said = strings.ReplaceAll(said, k, "(key)")
	}
	if chars := []rune(said); len(chars) > maxSentence {
		said = string(chars[:maxSentence]) + "…"
	}
	return said
}

func meaning(status int) error {
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return ErrKey
	case status == http.StatusRequestTimeout || status >= 500:
		return ErrUnavailable
	case status == http.StatusRequestEntityTooLarge:
		return ErrTooLong
	case status == http.StatusTooManyRequests:
		return ErrThrottled
	case status >= 400:
		return ErrRefused
	}
	return ErrInvalidAnswer
}

// Description describes a translator to the program that offers it.
type Description struct {
	// Name is the value of PLAZA_TRANSLATOR.
	Name string
	// ChargesCharacters reports that each character costs money, so that a budget is required.
	ChargesCharacters bool
	// NeedsURL reports that the translator has no address of its own.
	NeedsURL bool
	// Open returns the translator, or all problems of the settings. It sends nothing.
	Open func(Settings) (localisation.Translator, error)
}

// Settings are the settings of all translators. A translator reads those that it has a use for.
type Settings struct {
	Connection upstream.Connection // without a URL: the provider's own
	Key        secret.String
	Region     string // of the key
}

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
		written, _ := json.Marshal(s) // a text can always be written
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

// Table holds a provider's codes that differ from ISO 639, by language and script (zh-Hant),
// language and region (pt-BR), or language (no).
type Table map[string]string

// Code returns the provider's code of the language: the table's, else that of ISO 639. A
// language in an unusual script has a code only in the table: a reader of sr does not expect
// Serbian in Latin letters.
func (t Table) Code(tag locale.Tag) (string, error) {
	base, _, _ := strings.Cut(tag.Language(), "-")
	if base == "" {
		return "", fmt.Errorf("%w: no language", ErrUnsupportedLanguage)
	}
	if code, there := t[tag.Language()]; there {
		return code, nil
	}
	if usual, ok := locale.Parse(base); !ok || !locale.Same(usual, tag) {
		return "", fmt.Errorf("%w: %s", ErrUnsupportedLanguage, tag.Language())
	}
	_, _, region := language.Make(tag.String()).Raw()
	if code, there := t[base+"-"+region.String()]; there {
		return code, nil
	}
	if code, there := t[base]; there {
		return code, nil
	}
	return base, nil
}

// Codes returns the codes of both languages. Some providers have other codes for targets. An unknown
// source language has no code; the provider detects it.
func (t Table) Codes(target Table, from, to locale.Tag) (c Codes, err error) {
	if !from.IsZero() {
		if c.From, err = t.Code(from); err != nil {
			return Codes{}, err
		}
	}
	if c.To, err = target.Code(to); err != nil {
		return Codes{}, err
	}
	return c, nil
}
