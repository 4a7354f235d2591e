package ports

import (
	"bytes"
	"context"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/test/faultproxy"
)

// Upstream is a translator that asks a provider somewhere else, and a stand-in of that provider.
type Upstream struct {
	// Open returns a translator with a deadline of 10 s that asks the address with the client, which may be nil.
	Open func(t *testing.T, url string, client *http.Client) localisation.Translator
	// Provider answers as the real one does, and holds the translator to the limits and the shapes that are documented: what breaks them it
	// refuses. A translation of its has the text in it, behind as many characters for every text.
	Provider http.Handler
	// Targets are the languages that it knows besides English; none: es and zh-Hant.
	Targets []string
	// Texts is how many texts it takes at once.
	Texts int
	// Spoken is how the provider says in which languages it was asked.
	Spoken []Spoken
	// Key is the translator's, which must never show; empty: it has none.
	Key string
	// Refusals are the provider's own ways to say no.
	Refusals map[string]Refusal
}

// Spoken are two languages, the source empty where it is not known.
type Spoken struct {
	From, To string
	Says     string // what the provider makes of "x"; empty: Fails
	Fails    error
}

// Refusal is an answer that is no translation.
type Refusal struct {
	Status int
	Body   string // with the translator's key in place of (key)
	Says   string // what of the body the error tells; empty: nothing is asserted
	Is     error  // what the translator makes of it
	Again  bool   // whether it asks once more
}

// TranslatorUpstream is the suite of translators that call another service, besides Translator.
func TranslatorUpstream(t *testing.T, u Upstream) {
	t.Run("against its provider", func(t *testing.T) {
		server := httptest.NewServer(u.Provider)
		t.Cleanup(server.Close)
		fresh := func(t *testing.T) localisation.Translator { return u.Open(t, server.URL, nil) }
		if len(u.Targets) > 0 {
			TranslatorInto(t, u.Targets, fresh)
			return
		}
		Translator(t, fresh)
	})

	t.Run("languages are called by the provider's own codes", func(t *testing.T) {
		require.NotEmpty(t, u.Spoken)
		tr := u.Open(t, "https://provider.example", &http.Client{Transport: Played(u.Provider.ServeHTTP)})
		for _, c := range u.Spoken {
			from, _ := locale.Parse(c.From)
			to, _ := locale.Parse(c.To)
			got, err := tr.Translate(t.Context(), from, to, []string{"x"})
			if c.Says == "" {
				require.Error(t, c.Fails, c)
				require.ErrorIs(t, err, c.Fails, c)
				continue
			}
			require.NoError(t, err, c)
			assert.Equal(t, []string{c.Says}, got)
		}
	})

	t.Run("what is refused for good is not asked again", func(t *testing.T) {
		for name, r := range u.Refusals {
			t.Run(name, func(t *testing.T) { u.refused(t, r) })
		}
	})

	t.Run("more texts than the provider takes go in several batches", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := u.played(t, nil)
			var texts []string
			for i := range 2*u.Texts + 1 {
				texts = append(texts, strings.Repeat("x", i%7+1))
			}
			got, err := p.translate(texts...)
			require.NoError(t, err)
			require.Len(t, got, len(texts))
			for i := range texts {
				assert.Contains(t, got[i], texts[i])
				assert.Len(t, got[i], len(got[0])-1+len(texts[i]), "in its place")
			}
			assert.Equal(t, 3, p.asked())
		})
	})

	t.Run("texts without a word are not sent", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := u.played(t, nil)
			got, err := p.translate("", " \n")
			require.NoError(t, err)
			assert.Equal(t, []string{"", " \n"}, got)
			assert.Zero(t, p.asked())
			got, err = p.translate("", "one", " ", "two")
			require.NoError(t, err)
			assert.Equal(t, []string{"", " "}, []string{got[0], got[2]})
			assert.Contains(t, got[1], "one")
			assert.Contains(t, got[3], "two")
		})
	})
}

// refused asks a provider that says no once, and then would do its work.
func (u Upstream) refused(t *testing.T, r Refusal) {
	synctest.Test(t, func(t *testing.T) {
		first := true
		p := u.played(t, func(w http.ResponseWriter, asked *http.Request) {
			if !first {
				u.Provider.ServeHTTP(w, asked)
				return
			}
			first = false
			w.WriteHeader(r.Status)
			_, _ = io.WriteString(w, strings.ReplaceAll(r.Body, "(key)", u.Key))
		})
		_, err := p.translate("one")
		if r.Again {
			require.NoError(t, err)
			assert.Equal(t, 2, p.asked())
			return
		}
		require.ErrorIs(t, err, r.Is)
		if u.Key != "" {
			assert.NotContains(t, err.Error(), u.Key)
		}
		assert.Contains(t, err.Error(), r.Says)
		assert.Equal(t, 1, p.asked())
	})
}

// played is a translator whose provider plays a part, on a time of its own.
func (u Upstream) played(t *testing.T, part http.HandlerFunc) *played {
	if part == nil {
		part = u.Provider.ServeHTTP
	}
	p := &played{T: t}
	p.translator = u.Open(t, "https://provider.example", &http.Client{Transport: Played(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet { // asks no text
			u.Provider.ServeHTTP(w, r)
			return
		}
		p.mu.Lock()
		p.count++
		p.mu.Unlock()
		part(w, r)
	})})
	return p
}

type played struct {
	*testing.T
	translator localisation.Translator

	mu    sync.Mutex
	count int
}

// Played is a way to a provider that is no farther than a function call, so that it works on any time.
type Played http.HandlerFunc

// RoundTrip implements http.RoundTripper.
func (p Played) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	asked := r.Clone(r.Context())
	asked.Body = io.NopCloser(bytes.NewReader(body))
	said := httptest.NewRecorder()
	p(said, asked)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return said.Result(), nil
}

func (p *played) asked() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count
}

func (p *played) translate(texts ...string) ([]string, error) {
	from, _ := locale.Parse("en-GB")
	to, _ := locale.Parse("es")
	ctx, cancel := context.WithTimeout(p.Context(), time.Minute)
	defer cancel()
	return p.translator.Translate(ctx, from, to, texts)
}

// Translator is the suite of localisation.Translator.
func Translator(t *testing.T, fresh func(t *testing.T) localisation.Translator) {
	TranslatorInto(t, []string{"es", "zh-Hant"}, fresh)
}

// TranslatorInto is the suite of translators that know few languages: these, and English.
func TranslatorInto(t *testing.T, targets []string, fresh func(t *testing.T) localisation.Translator) {
	language := func(name string) locale.Tag {
		tag, ok := locale.Parse(name)
		require.True(t, ok, name)
		return tag
	}
	english, other := language("en-GB"), language(targets[0])
	texts := []string{"One", "Two words", "Two words", "西湖 🌊", "Tom & Jerry: 1 < 2 > 0, isn't \"it\"?", "line\nline"}

	t.Run("it has a name, always the same", func(t *testing.T) {
		tr := fresh(t)
		assert.NotEmpty(t, tr.Name())
		assert.Equal(t, tr.Name(), tr.Name())
		assert.Equal(t, tr.Name(), fresh(t).Name())
	})

	t.Run("the target of a language is of that language, and its own target", func(t *testing.T) {
		tr := fresh(t)
		for _, name := range []string{"en", "en-GB", "en-IE", "pt", "pt-PT", "pt-BR", "zh", "zh-HK", "zh-TW", "no", "fil", "sr-Latn", "hr", "ms",
			"fa"} {
			target := tr.Target(language(name))
			assert.True(t, locale.Same(target, language(name)), name)
			assert.Equal(t, target, tr.Target(target), name)
		}
	})

	t.Run("it returns the texts in their order and as many", func(t *testing.T) {
		tr := fresh(t)
		for _, target := range targets {
			to := language(target)
			all, err := tr.Translate(t.Context(), english, to, texts)
			require.NoError(t, err)
			require.Len(t, all, len(texts))
			for i, text := range texts {
				alone, err := tr.Translate(t.Context(), english, to, []string{text})
				require.NoError(t, err)
				assert.Equal(t, alone, all[i:i+1])
				assert.NotEmpty(t, all[i])
			}
		}
		none, err := tr.Translate(t.Context(), english, other, nil)
		require.NoError(t, err)
		assert.Empty(t, none)
	})

	t.Run("what comes back is text, never markup", func(t *testing.T) {
		all, err := fresh(t).Translate(t.Context(), english, other, texts)
		require.NoError(t, err)
		for _, text := range all {
			for _, escape := range []string{"&amp;", "&lt;", "&gt;", "&#", "&quot;", "<br", "<p"} {
				assert.NotContains(t, text, escape)
			}
		}
	})

	t.Run("the texts that it was given stay as they were", func(t *testing.T) {
		given := []string{"One", "Two"}
		_, err := fresh(t).Translate(t.Context(), english, other, given)
		require.NoError(t, err)
		assert.Equal(t, []string{"One", "Two"}, given)
	})

	t.Run("it keeps to the deadline of the context", func(t *testing.T) {
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := fresh(t).Translate(gone, english, other, texts)
		require.ErrorIs(t, err, context.Canceled)
		late, cancel := context.WithDeadline(t.Context(), noon.AddDate(-10, 0, 0))
		defer cancel()
		_, err = fresh(t).Translate(late, english, other, texts)
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})

	t.Run("it is safe to call from many goroutines at once", func(t *testing.T) {
		tr := fresh(t)
		want, err := tr.Translate(t.Context(), english, other, texts)
		require.NoError(t, err)
		var all sync.WaitGroup
		for range many {
			all.Go(func() {
				got, err := tr.Translate(t.Context(), english, other, texts)
				assert.NoError(t, err)
				assert.Equal(t, want, got)
			})
		}
		all.Wait()
	})
}

// HTTP2Reconnects asserts that a client replaces an HTTP/2 connection that died silently. Such a connection serves all
// requests, and stays open when one of them times out. Open returns the transport and a request of a client of the URL.
func HTTP2Reconnects(t *testing.T, open func(url string) (http.RoundTripper, func(context.Context) error)) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		assert.Equal(t, 2, r.ProtoMajor)
	}))
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	line := faultproxy.Start(t, "tcp", server.Listener.Addr().String())
	client, request := open("https://" + line.Address())
	transport := client.(*http.Transport)
	transport.TLSClientConfig.RootCAs = x509.NewCertPool()
	transport.TLSClientConfig.RootCAs.AddCert(server.Certificate())
	t.Cleanup(transport.CloseIdleConnections)
	isAnswered := func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		return request(ctx) == nil
	}
	require.True(t, isAnswered())
	line.Break(faultproxy.HalfOpen)
	assert.Eventually(t, isAnswered, 30*time.Second, time.Millisecond)
}
