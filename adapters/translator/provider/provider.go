// Package provider is what all translators that live elsewhere have in common: it cuts
// texts into batches that the provider takes, asks within one deadline, asks again what
// may go well a second time, and leaves a provider alone that does not work.
//
// How a provider is spoken to is its Dialect, one small package each. Nothing that a
// provider says is trusted: its answers have a size limit, its redirects are not followed,
// and its words never get into an error, for they may repeat what we sent.
package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"plaza/domain/locale"
	"plaza/domain/publication"
	"plaza/domain/text"
)

// What becomes of a request that brought no translation.
var (
	// ErrThrottled and ErrUnavailable pass by themselves; only after these is it asked again.
	ErrThrottled   = errors.New("asked too often")
	ErrUnavailable = errors.New("not available")
	// ErrQuota and ErrKey last until a person does something.
	ErrQuota = errors.New("the quota is spent")
	ErrKey   = errors.New("the key is refused")
	// ErrRefused is about this request alone, and so are ErrTooLong and ErrUnspoken, which
	// may also be found out without asking.
	ErrRefused  = errors.New("the request is refused")
	ErrTooLong  = errors.New("the text is too long")
	ErrUnspoken = errors.New("the language is not spoken")
	// ErrGarbled is an answer that is none.
	ErrGarbled = errors.New("the answer makes no sense")
	// ErrOpen says that the provider has failed too often and is left alone for a while.
	ErrOpen = errors.New("left alone for a while")
)

// Codes are what a provider calls the two languages. From is empty when it has to find
// out by itself.
type Codes struct{ From, To string }

// Question is a request in a provider's words.
type Question struct {
	Path   string // with the query, if there is one; it never has a key: addresses get logged
	Header http.Header
	Body   any // url.Values are sent as a form, everything else as JSON
}

// Dialect is how one provider is spoken to.
type Dialect interface {
	// Name is what readers and caches call the translator.
	Name() string
	Limits() Limits
	// Codes must fail with ErrUnspoken for a language that has no code there.
	Codes(from, to locale.Tag) (Codes, error)
	Ask(codes Codes, texts []string) Question
	// Read returns the translations in an answer of status 200, as they are.
	Read(answer []byte) ([]string, error)
	// Judge tells what a refusal means where the provider has its own way to say so; nil
	// where the status says it all.
	Judge(status int, answer []byte) error
}

// Translator implements publication.Translator over a Dialect.
type Translator struct {
	dialect  Dialect
	line     line
	deadline time.Duration
	breaker  breaker
}

var _ publication.Translator = (*Translator)(nil)

// New returns a translator, or what is wrong with the way to the provider.
func New(l Line, d Dialect) (*Translator, error) {
	if err := l.problems(); err != nil {
		return nil, fmt.Errorf("%s: %w", d.Name(), err)
	}
	t := &Translator{dialect: d, line: newLine(l), deadline: defaultDeadline}
	if l.Deadline > 0 {
		t.deadline = l.Deadline
	}
	return t, nil
}

// Name implements publication.Translator.
func (t *Translator) Name() string { return t.dialect.Name() }

// Translate implements publication.Translator. Texts without a word, and all of them when
// both languages are the same, come back as they are: nobody is paid for these.
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
	codes, err := t.dialect.Codes(from, to)
	if err != nil {
		return nil, err
	}
	batches, err := t.dialect.Limits().cut(words)
	if err != nil {
		return nil, err
	}
	answers, err := t.askAll(ctx, codes, batches)
	if err != nil {
		return nil, err
	}
	for i, s := range slices.Concat(answers...) {
		translated[where[i]] = s
	}
	return translated, nil
}

// askAll asks for the batches, several at once if the provider takes that. The first one
// goes ahead: it alone is let through to a provider that was left alone, and it alone
// finds out that a language is not spoken.
func (t *Translator) askAll(ctx context.Context, codes Codes, batches [][]string) ([][]string, error) {
	answers := make([][]string, len(batches))
	var err error
	if answers[0], err = t.ask(ctx, codes, batches[0]); err != nil {
		return nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(t.dialect.Limits().AtOnce, 1))
	for i := 1; i < len(batches); i++ {
		group.Go(func() (err error) {
			if err := ctx.Err(); err != nil {
				return err // another batch has failed: this one would be for nothing
			}
			answers[i], err = t.ask(ctx, codes, batches[i])
			return err
		})
	}
	return answers, group.Wait()
}

// read takes the answer apart. It must be one that can be shown and stored: as many texts
// as were sent, none of them blank or with a NUL byte, which databases refuse.
func (t *Translator) read(answer []byte, sent int) ([]string, error) {
	texts, err := t.dialect.Read(answer)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: it is not of the shape that is documented", ErrGarbled)
	case len(texts) != sent:
		return nil, fmt.Errorf("%w: %d texts came back for %d", ErrGarbled, len(texts), sent)
	}
	for _, s := range texts {
		if text.IsBlank(s) || strings.ContainsRune(s, 0) {
			return nil, fmt.Errorf("%w: a text came back without words, or with a NUL", ErrGarbled)
		}
	}
	return texts, nil
}

// judge tells what a status other than 200 means.
func (t *Translator) judge(status int, answer []byte) error {
	err := t.dialect.Judge(status, answer)
	if err == nil {
		err = meaning(status)
	}
	return fmt.Errorf("%w: status %d", err, status)
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
	return ErrGarbled
}
