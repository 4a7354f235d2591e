package contract

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/locale"
	"plaza/domain/publication"
)

var failingRows = []row{
	{"PUB-07 a translator that fails leaves the feed as it was written", translatorFails, oneStore},
}

// translator is a translator that does what it is told to.
type translator struct {
	calls     atomic.Int64
	translate func(ctx context.Context, texts []string) ([]string, error)
}

func (*translator) Name() string { return "told" }

func (*translator) Target(to locale.Tag) locale.Tag { return to.Base() }

func (tr *translator) Translate(ctx context.Context, _, _ locale.Tag, texts []string) ([]string, error) {
	tr.calls.Add(1)
	return tr.translate(ctx, texts)
}

// translatedBy is a server with the translator and one publication in French, and
// somebody who reads it.
func (on store) translatedBy(t *testing.T, tr *translator) (*server, person) {
	t.Helper()
	s := on.startAs(t, func(*settings.Config) {}, bootstrap.Parts{Translator: tr})
	ada := s.member(t)
	s.storesPublication(t, ada, 1, 0, func(p *publication.Publication) { p.Language = "fr" })
	return s, ada
}

func translatorFails(t *testing.T, s *server) {
	var again []func() bool // reads once more, and reports whether the translator was asked twice
	for name, answer := range map[string]func(context.Context, []string) ([]string, error){
		"is down":          func(context.Context, []string) ([]string, error) { return nil, errors.New("connection refused") },
		"returns too few":  func(context.Context, []string) ([]string, error) { return []string{"one"}, nil },
		"returns too many": func(context.Context, []string) ([]string, error) { return make([]string, 9), nil },
	} {
		tr := &translator{translate: answer}
		s, ada := s.on.translatedBy(t, tr)
		a := ada.reading(t, "en")
		assert.False(t, a.has("data.0.localized"), name)
		assert.Equal(t, "publication 1", a.text("data.0.title"), name)
		assert.EqualValues(t, 1, s.failures(), "%s: it is counted", name)
		id := a.header.Get("X-Request-ID")
		assert.Regexp(t, `level=WARN msg="translating[^\n]*request_id=`+id, s.log.String(), "%s: it is logged (GEN-10)", name)
		again = append(again, func() bool {
			ada.reading(t, "en")
			return tr.calls.Load() == 2
		})
	}
	for _, asks := range again { // after a failure the server asks no translator for a second; these seconds overlap
		require.Eventually(t, asks, time.Minute, 50*time.Millisecond, "nothing of it is kept")
	}
}

// failures is how many batches failed, whichever process began them.
func (s *server) failures() (n int64) {
	for _, app := range s.apps {
		n += app.Translation.Counts().Failures
	}
	return n
}
