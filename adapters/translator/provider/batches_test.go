package provider

import (
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func numbers(n int) (texts []string) {
	for i := range n {
		texts = append(texts, strconv.Itoa(i))
	}
	return texts
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

func TestPUB07_A_language_that_is_not_spoken_does_not_open_it(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		speaks := false
		p := open(t, Limits{}, func(_ int, w http.ResponseWriter, r *http.Request) {
			if !speaks {
				w.WriteHeader(422)
				return
			}
			echo(w, r)
		})
		for range 3 * failuresInRow {
			_, err := p.ask(t.Context(), "one")
			require.ErrorIs(t, err, ErrUnsupportedLanguage)
		}
		assert.EqualValues(t, 3*failuresInRow, p.asked.Load(), "and it is not asked again")
		speaks = true
		_, err := p.ask(t.Context(), "one")
		require.NoError(t, err)
	})
}
