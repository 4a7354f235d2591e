package bench

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/test/postgres"
)

// BenchmarkAllocations tells how often the program allocates for a request of each scenario, from its
// first header to its last byte:
//
//	go test -tags nomsgpack ./test/bench -run '^$' -bench Allocations
func BenchmarkAllocations(b *testing.B) {
	for name, url := range map[string]string{"postgres": postgres.New(b, tinyPostgres), "sqlite": tinySQLite(b)} {
		app, err := bootstrap.NewApp(b.Context(), appConfig(b, url), quiet, bootstrap.Parts{})
		require.NoError(b, err)
		b.Cleanup(func() { assert.NoError(b, app.Close()) })
		d := newDataset(tiny)
		for _, sc := range scenarios {
			if sc.alone == "" {
				b.Run(name+"/"+sc.name, func(b *testing.B) { serveEach(b, app.Handler, sc, d) })
			}
		}
	}
}

// serveEach has the handler serve the scenario's requests. Making them is not counted.
func serveEach(b *testing.B, handler http.Handler, sc scenario, d *dataset) {
	w := &recorder{header: http.Header{}}
	first := sc.request(d, 0)
	if sc.conditional {
		handler.ServeHTTP(w, parsed(b, first))
		require.Equal(b, http.StatusOK, w.status)
		first = first.withTag([]byte(w.header.Get("ETag")))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		q := first
		switch {
		case sc.once:
			q = d.next(sc)
		case !sc.conditional:
			q = sc.request(d, i)
		}
		q.number(serials.Add(1))
		r := parsed(b, q)
		w.reset()
		b.StartTimer()
		handler.ServeHTTP(w, r)
		if err := q.check(answer{status: w.status, body: w.body}); err != nil {
			b.Fatal(err)
		}
	}
}

// recorder keeps an answer in memory that it reuses.
type recorder struct {
	status int
	header http.Header
	body   []byte
}

func (r *recorder) reset() {
	clear(r.header)
	r.status, r.body = http.StatusOK, r.body[:0]
}

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) { r.status = status }

func (r *recorder) Write(p []byte) (int, error) {
	r.body = append(r.body, p...)
	return len(p), nil
}

func parsed(t testing.TB, q request) *http.Request {
	t.Helper()
	head, body, _ := strings.Cut(string(q.raw), "\r\n\r\n")
	lines := strings.Split(head, "\r\n")
	method, rest, _ := strings.Cut(lines[0], " ")
	path, _, _ := strings.Cut(rest, " ")
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for _, line := range lines[1:] {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Add(name, value)
	}
	return r
}
