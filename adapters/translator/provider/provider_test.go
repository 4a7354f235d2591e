package provider

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/upstream"
	"plaza/domain/locale"
	"plaza/domain/secret"
	"plaza/test/ports"
)

// plain is the smallest dialect: it sends and receives a list of texts.
type plain struct{}

func (plain) Codes(from, to locale.Tag) (Codes, error) {
	return Table{}.Codes(Table{}, from, to)
}
func (plain) Ask(_ Codes, texts []string) Question { return Question{Path: "/t", Body: texts} }
func (plain) Read(answer []byte) (texts []string, err error) {
	return texts, json.Unmarshal(answer, &texts)
}
func (plain) Judge(status int, _ []byte) error {
	return map[int]error{422: ErrUnsupportedLanguage, 456: ErrQuota}[status]
}

// provided is a provider whose answers the test chooses.
type provided struct {
	*Translator
	asked atomic.Int32
}

func open(t *testing.T, limits Limits, answer func(n int, w http.ResponseWriter, r *http.Request)) *provided {
	p := &provided{}
	var err error
	p.Translator, err = New(upstream.Connection{URL: "https://provider.example/", Deadline: 10 * time.Second,
		Client: &http.Client{Transport: ports.Played(func(w http.ResponseWriter, r *http.Request) {
			answer(int(p.asked.Add(1)), w, r)
		})}}, Service{Name: "plain", Limits: limits, Dialect: plain{}})
	require.NoError(t, err)
	return p
}

func (p *provided) ask(ctx context.Context, texts ...string) ([]string, error) {
	from, _ := locale.Parse("en")
	to, _ := locale.Parse("es")
	return p.Translate(ctx, from, to, texts)
}

func echo(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }

func hang(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func TestPUB07_What_passes_is_asked_again_thrice_at_most(t *testing.T) {
	for _, status := range []int{408, 429, 500, 502, 503, 504, 529} {
		synctest.Test(t, func(t *testing.T) {
			p := open(t, Limits{}, func(n int, w http.ResponseWriter, r *http.Request) {
				if n < 4 {
					w.WriteHeader(status)
					return
				}
				echo(w, r)
			})
			got, err := p.ask(t.Context(), "one")
			require.NoError(t, err, status)
			assert.Equal(t, []string{"one"}, got)
		})
		synctest.Test(t, func(t *testing.T) {
			p := open(t, Limits{}, func(_ int, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
			_, err := p.ask(t.Context(), "one")
			require.Error(t, err)
			assert.EqualValues(t, 4, p.asked.Load())
		})
	}
}

func TestPUB07_It_waits_as_long_as_it_is_told(t *testing.T) {
	for name, said := range map[string]func() string{
		"seconds": func() string { return "7" },
		"a date":  func() string { return time.Now().Add(7 * time.Second).UTC().Format(http.TimeFormat) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := open(t, Limits{}, func(n int, w http.ResponseWriter, r *http.Request) {
					if n == 1 {
						w.Header().Set("Retry-After", said())
						w.WriteHeader(http.StatusTooManyRequests)
						return
					}
					echo(w, r)
				})
				began := time.Now()
				_, err := p.ask(t.Context(), "one")
				require.NoError(t, err)
				assert.GreaterOrEqual(t, time.Since(began), 7*time.Second)
				assert.Less(t, time.Since(began), 7*time.Second+firstPause)
			})
		})
	}
}

func TestPUB07_It_does_not_wait_in_vain_nor_does_anybody_else(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, Limits{}, func(n int, w http.ResponseWriter, r *http.Request) {
			if n == 1 {
				w.Header().Set("Retry-After", "60")
				w.WriteHeader(http.StatusTooManyRequests)
				return
			}
			echo(w, r)
		})
		began := time.Now()
		_, err := p.ask(t.Context(), "one")
		require.ErrorIs(t, err, ErrThrottled)
		assert.Zero(t, time.Since(began))
		<-time.After(59 * time.Second)
		_, err = p.ask(t.Context(), "one")
		require.ErrorIs(t, err, ErrOpen)
		<-time.After(2 * time.Second)
		_, err = p.ask(t.Context(), "one")
		require.NoError(t, err)
	})
}

func TestPUB07_It_ends_in_time(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, Limits{}, func(_ int, w http.ResponseWriter, r *http.Request) { hang(w, r) })
		began := time.Now()
		_, err := p.ask(t.Context(), "one")
		require.Error(t, err)
		assert.LessOrEqual(t, time.Since(began), 10*time.Second)
		assert.EqualValues(t, 2, p.asked.Load(), "a try may take half of it")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began = time.Now()
		_, err = p.ask(ctx, "one")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Second, time.Since(began))
	})
}

func TestPUB07_One_deadline_is_for_all_batches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, Limits{Texts: 1}, func(_ int, w http.ResponseWriter, r *http.Request) {
			<-time.After(4 * time.Second)
			echo(w, r)
		})
		began := time.Now()
		_, err := p.ask(t.Context(), "one", "two", "three")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.LessOrEqual(t, time.Since(began), 12*time.Second)
	})
}

func TestPUB07_Who_fails_too_often_is_left_alone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		works := false
		p := open(t, Limits{}, func(_ int, w http.ResponseWriter, r *http.Request) {
			if !works {
				w.WriteHeader(500)
				return
			}
			echo(w, r)
		})
		_, err := p.ask(t.Context(), "one")
		require.NotErrorIs(t, err, ErrOpen)
		_, err = p.ask(t.Context(), "one")
		require.ErrorIs(t, err, ErrOpen)
		require.ErrorIs(t, err, ErrUnavailable, "and why")
		assert.EqualValues(t, failuresInRow, p.asked.Load())

		began := time.Now()
		_, err = p.ask(t.Context(), "one")
		require.ErrorIs(t, err, ErrOpen)
		assert.Zero(t, time.Since(began))

		<-time.After(shortOpen)
		_, err = p.ask(t.Context(), "one")
		require.ErrorIs(t, err, ErrOpen)
		assert.EqualValues(t, failuresInRow+1, p.asked.Load(), "one is let through")

		<-time.After(shortOpen)
		works = true
		_, err = p.ask(t.Context(), "one")
		require.NoError(t, err)
		works = false
		_, err = p.ask(t.Context(), "one")
		require.NotErrorIs(t, err, ErrOpen, "all is forgotten")
	})
}

func TestPUB07_Nor_do_callers_who_go_away(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := open(t, Limits{}, func(_ int, w http.ResponseWriter, r *http.Request) { hang(w, r) })
		for range 3 * failuresInRow {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			_, err := p.ask(ctx, "one")
			require.ErrorIs(t, err, context.Canceled)
		}
	})
}

func TestPUB07_The_first_after_the_rest_goes_alone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b breaker
		old, err := b.enter()
		require.NoError(t, err)
		b.failed(old, time.Minute)
		b.answered(old) // from an earlier round
		_, err = b.enter()
		require.ErrorIs(t, err, ErrOpen)
		<-time.After(time.Minute)
		first, err := b.enter()
		require.NoError(t, err)
		_, err = b.enter()
		require.ErrorIs(t, err, ErrOpen)
		b.failed(old, time.Hour)
		b.unknown(first)
		second, err := b.enter()
		require.NoError(t, err, "the next one tries")
		b.answered(second)
		for range 3 {
			_, err = b.enter()
			require.NoError(t, err)
		}
	})
}

func TestPUB06_Batches_keep_to_every_limit(t *testing.T) {
	for _, c := range []struct {
		limits Limits
		texts  []string
		want   [][]string
	}{
		{Limits{}, []string{"a", "b"}, [][]string{{"a", "b"}}},
		{Limits{Texts: 2}, []string{"a", "b", "c"}, [][]string{{"a", "b"}, {"c"}}},
		{Limits{Chars: 4}, []string{"西湖", "西湖", "a", "1234"}, [][]string{{"西湖", "西湖"}, {"a"}, {"1234"}}},
		{Limits{Bytes: aroundAll + 2*(3+aroundText)}, []string{"a", "b", "c"}, [][]string{{"a", "b"}, {"c"}}},
	} {
		got, err := c.limits.cut(c.texts)
		require.NoError(t, err)
		assert.Equal(t, c.want, got)
	}
	for _, limits := range []Limits{{Chars: 4}, {Bytes: aroundAll + aroundText + 6}} {
		_, err := limits.cut([]string{"a", "12345"})
		require.ErrorIs(t, err, ErrTooLong)
	}
}

func TestPUB06_Nobody_is_paid_for_what_cannot_be(t *testing.T) {
	p := open(t, Limits{Chars: 4}, func(_ int, w http.ResponseWriter, r *http.Request) { echo(w, r) })
	tag := func(s string) locale.Tag { l, _ := locale.Parse(s); return l }
	for _, c := range []struct {
		from, to, text string
		err            error
	}{
		{"en", "", "one", ErrUnsupportedLanguage},
		{"en", "sr-Latn", "one", ErrUnsupportedLanguage},
		{"en-Dsrt", "es", "one", ErrUnsupportedLanguage},
		{"en", "es", "12345", ErrTooLong},
		{"en", "en-US", "one", nil},
	} {
		got, err := p.Translate(t.Context(), tag(c.from), tag(c.to), []string{c.text})
		require.ErrorIs(t, err, c.err)
		if c.err == nil {
			assert.Equal(t, []string{c.text}, got)
		}
	}
	assert.Zero(t, p.asked.Load())
}

func TestPUB07_A_provider_leads_nowhere_else_and_has_its_measure(t *testing.T) {
	astray := false
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { astray = true; echo(w, r) }))
	defer other.Close()
	for name, answer := range map[string]http.HandlerFunc{
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		},
		"endless": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `["x"]`+strings.Repeat(" ", answerLimit))
		},
		"no UTF-8":    func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "[\"un\xff\"]") },
		"no words":    func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `[" "]`) },
		"one too few": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `[]`) },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(answer)
			defer server.Close()
			tr, err := New(upstream.Connection{URL: server.URL}, Service{Name: "plain", Dialect: plain{}})
			require.NoError(t, err)
			_, err = (&provided{Translator: tr}).ask(t.Context(), "one")
			require.ErrorIs(t, err, ErrInvalidAnswer)
		})
	}
	assert.False(t, astray)
}

func TestWhat_a_line_may_be(t *testing.T) {
	for url, good := range map[string]bool{
		"https://provider.example": true, "https://provider.example/x/": true, "http://127.0.0.1:5": true, "http://localhost:5": true,
		"": false, "provider.example": false, "http://provider.example": false, "https://k@provider.example": false,
		"https://provider.example?k=1": false, "ftp://provider.example": false, "https://provider.example/ x": false,
	} {
		_, err := New(upstream.Connection{URL: url}, Service{Name: "plain", Dialect: plain{}})
		assert.Equal(t, good, err == nil, url)
		assert.True(t, err == nil || url == "" || !strings.Contains(err.Error(), url), url)
	}
	_, err := New(upstream.Connection{URL: "https://provider.example", Deadline: -1}, Service{Name: "plain", Dialect: plain{}})
	require.ErrorContains(t, err, "deadline")
	for _, k := range []string{"", "a b", "a\r\nb"} {
		_, err := NewKeyed(Settings{Key: secret.New(k)}, Service{Name: "plain", URL: "https://provider.example", Dialect: plain{}})
		require.ErrorContains(t, err, "plain: key")
	}
}
