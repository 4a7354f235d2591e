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

func TestPUB06_Several_batches_are_asked_for_at_once_after_the_first(t *testing.T) {
	for atOnce, want := range map[int]struct {
		most int32
		took time.Duration
	}{
		0: {1, 13 * time.Second / 10},
		1: {1, 13 * time.Second / 10},
		4: {4, 4 * time.Second / 10}, // one, then three rounds of four
	} {
		synctest.Test(t, func(t *testing.T) {
			var now, most atomic.Int32
			p := open(t, Limits{Texts: 1, AtOnce: atOnce}, func(n int, w http.ResponseWriter, r *http.Request) {
				together := now.Add(1)
				defer now.Add(-1)
				for seen := most.Load(); seen < together && !most.CompareAndSwap(seen, together); seen = most.Load() {
				}
				<-time.After(100 * time.Millisecond)
				if n == 1 {
					assert.EqualValues(t, 1, most.Load(), "the first goes ahead")
				}
				echo(w, r)
			})
			began := time.Now()
			got, err := p.ask(t.Context(), numbers(13)...)
			require.NoError(t, err)
			assert.Equal(t, numbers(13), got, "each in its place")
			assert.Equal(t, want.most, most.Load(), atOnce)
			assert.Equal(t, want.took, time.Since(began), atOnce)
		})
	}
}

func TestPUB07_A_batch_that_fails_ends_all(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, Limits{Texts: 1, AtOnce: 4}, func(n int, w http.ResponseWriter, r *http.Request) {
			switch body, _ := io.ReadAll(r.Body); {
			case n == 1:
				_, _ = w.Write(body)
			case string(body) == "[\"3\"]\n":
				<-time.After(time.Second)
				w.WriteHeader(400)
			default:
				<-r.Context().Done()
			}
		})
		began := time.Now()
		_, err := p.ask(t.Context(), numbers(20)...)
		require.ErrorIs(t, err, ErrRefused, "why it ended, not that the others did")
		assert.Equal(t, time.Second, time.Since(began))
		assert.EqualValues(t, 5, p.asked.Load(), "nobody is asked after it")
	})
}

func TestPUB07_The_first_batch_finds_out_for_all_whether_it_works_again(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		works := false
		p := open(t, Limits{Texts: 1, AtOnce: 4}, func(_ int, w http.ResponseWriter, r *http.Request) {
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
