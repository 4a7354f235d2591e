package provider

import (
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/locale"
	"plaza/test/ports"
)

func numbers(n int) (texts []string) {
	for i := range n {
		texts = append(texts, strconv.Itoa(i))
	}
	return texts
}

func TestPUB06_Batches_are_asked_for_one_after_the_other(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now atomic.Int32
		p := open(t, Limits{Texts: 1}, func(_ int, w http.ResponseWriter, r *http.Request) {
			assert.EqualValues(t, 1, now.Add(1))
			defer now.Add(-1)
			<-time.After(100 * time.Millisecond)
			echo(w, r)
		})
		got, err := p.ask(t.Context(), numbers(13)...)
		require.NoError(t, err)
		assert.Equal(t, numbers(13), got, "each in its place")
		assert.EqualValues(t, 13, p.asked.Load())
	})
}

func TestPUB07_A_batch_that_fails_ends_all(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, Limits{Texts: 1}, func(n int, w http.ResponseWriter, r *http.Request) {
			if n == 4 {
				w.WriteHeader(400)
				return
			}
			echo(w, r)
		})
		_, err := p.ask(t.Context(), numbers(20)...)
		require.ErrorIs(t, err, ErrRefused)
		assert.EqualValues(t, 4, p.asked.Load(), "nobody is asked after it")
	})
}

func TestPUB07_The_first_batch_finds_out_for_all_whether_it_works_again(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		works := false
		p := open(t, Limits{Texts: 1}, func(_ int, w http.ResponseWriter, r *http.Request) {
			if !works {
				w.WriteHeader(403)
				return
			}
			<-time.After(time.Millisecond)
			echo(w, r)
		})
		_, err := p.ask(t.Context(), numbers(8)...)
		require.ErrorIs(t, err, ErrKey)
		assert.EqualValues(t, 1, p.asked.Load())
		works = true
		<-time.After(longOpen)
		got, err := p.ask(t.Context(), numbers(8)...)
		require.NoError(t, err)
		assert.Equal(t, numbers(8), got)
	})
}

// form is a dialect that sends forms and supports one language.
type form struct{ plain }

func (form) Ask(c Codes, texts []string) Question {
	return Question{Path: "/t", Body: url.Values{"to": {c.To}, "q": texts}}
}

func (form) Judge(status int, _ []byte) error {
	if status == 400 {
		return ErrUnsupportedLanguage
	}
	return nil
}

func openForm(t *testing.T, answer http.HandlerFunc) *provided {
	p := &provided{}
	var err error
	p.Translator, err = New(Connection{URL: "https://provider.example", Client: &http.Client{
		Transport: ports.Played(func(w http.ResponseWriter, r *http.Request) { p.asked.Add(1); answer(w, r) }),
	}}, form{})
	require.NoError(t, err)
	return p
}

func TestPUB07_A_language_that_is_not_spoken_does_not_open_it(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := openForm(t, func(w http.ResponseWriter, r *http.Request) {
			if r.FormValue("to") == "es" {
				w.WriteHeader(400)
				return
			}
			_, _ = io.WriteString(w, `["x"]`)
		})
		for range 3 * failuresInRow {
			_, err := p.ask(t.Context(), "one")
			require.ErrorIs(t, err, ErrUnsupportedLanguage)
		}
		assert.EqualValues(t, 3*failuresInRow, p.asked.Load(), "and it is not asked again")
		english, _ := locale.Parse("en")
		french, _ := locale.Parse("fr")
		got, err := p.Translate(t.Context(), english, french, []string{"one"})
		require.NoError(t, err)
		assert.Equal(t, []string{"x"}, got)
	})
}
