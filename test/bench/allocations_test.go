//go:build !race

package bench

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/test/allocations"
	"plaza/test/postgres"
)

// maxAllocations are how often the program may allocate for a request of each scenario, from its
// first header to its last byte: a twentieth more than it did when the bound was set.
var maxAllocations = map[string]struct{ postgres, sqlite float64 }{
	"A":       {106, 150},
	"A1":      {70, 80},
	"304":     {60, 80},
	"B":       {187, 321},
	"C":       {80, 90},
	"D":       {114, 152},
	"E":       {320, 450},
	"event":   {902, 1447},
	"list":    {1096, 1940},
	"feed":    {1073, 1586},
	"comment": {280, 497},
	"like":    {175, 348},
	"F":       {1049, 1653},
}

// TestAllocations runs in make test: numbers of allocations, unlike times, are the same on every machine.
func TestAllocations(t *testing.T) {
	urls := map[string]string{"postgres": postgres.New(t, tinyPostgres), "sqlite": tinySQLite(t)}
	for name, url := range urls {
		t.Run(name, func(t *testing.T) {
			app, err := bootstrap.NewApp(t.Context(), appConfig(t, url), quiet, bootstrap.Parts{})
			require.NoError(t, err)
			t.Cleanup(func() { assert.NoError(t, app.Close()) })
			d := newDataset(tiny)
			for _, sc := range scenarios {
				most, isHot := maxAllocations[sc.name]
				if !isHot {
					continue
				}
				bound := most.sqlite
				if name == "postgres" {
					bound = most.postgres
				}
				t.Run(sc.name, func(t *testing.T) {
					found := allocationsOf(t, app.Handler, sc, d)
					t.Logf("%.0f", found)
					assert.LessOrEqual(t, found, bound)
				})
			}
		})
	}
}

// allocationRuns is how many requests are averaged each time.
const allocationRuns = 50

// allocationsOf is how often the handler allocates for a request of the scenario. Every request is
// sent once, the first ones to warm up.
func allocationsOf(t *testing.T, handler http.Handler, sc scenario, d *dataset) float64 {
	t.Helper()
	const all = allocationRuns + allocations.Series*(allocationRuns+1)
	requests := make([]request, all)
	for i := range requests {
		if requests[i] = sc.request(d, i); sc.once {
			requests[i] = d.next(sc)
		}
	}
	w := &recorder{header: http.Header{}}
	if sc.conditional {
		first := requests[0]
		handler.ServeHTTP(w, parsed(t, first))
		require.Equal(t, http.StatusOK, w.status)
		for i := range requests {
			requests[i] = first.withTag([]byte(w.header.Get("ETag")))
		}
	}
	made := make([]*http.Request, len(requests))
	for i := range requests {
		requests[i].number(serials.Add(1))
		made[i] = parsed(t, requests[i])
	}
	i := 0
	serve := func() {
		w.reset()
		handler.ServeHTTP(w, made[i])
		assert.NoError(t, requests[i].check(answer{status: w.status, body: w.body}))
		i++
	}
	for range allocationRuns {
		serve()
	}
	return allocations.PerRun(allocationRuns, serve)
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

func parsed(t *testing.T, q request) *http.Request {
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
