package bench

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
)

// served is the built program over the tiny dataset, which has a wallet's sandbox.
func served(t *testing.T, makeStore func(*testing.T) string) (url string, plaza running) {
	url = makeStore(t)
	return url, launchPlaza(t, program(t.Context(), t), url)
}

// dataOf sends the request, and returns the data of its answer.
func dataOf(t *testing.T, w *wire, q request) map[string]any {
	t.Helper()
	a, err := w.send(q)
	require.NoError(t, err, string(q.line()))
	var said struct{ Data map[string]any }
	require.NoError(t, json.Unmarshal(a.body, &said), string(a.body))
	return said.Data
}

func TestScenarios_without_a_floor_do_what_they_say(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	for name, makeStore := range tinyStores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDataset(tiny)
			_, plaza := served(t, makeStore)
			w, err := dial(plaza.at)
			require.NoError(t, err)
			defer w.Close()

			for i := range 3 {
				key, _ := dataOf(t, w, login(d, i))["key"].(string)
				profile := request{raw: []byte("GET /api/user/profile/ HTTP/1.1\r\nHost: plaza.example\r\nAuthorization: Token " + key + "\r\n\r\n")}
				assert.Equal(t, phoneOf(roll("login", i).n(d.users)), dataOf(t, w, profile)["phone"], "the key is that of the user")
			}

			img, _ := dataOf(t, w, upload(d, 1))["img"].(string)
			picture := get(strings.TrimPrefix(img, publicURL))
			picture.part = []byte("\xff\xd8\xff") // how a JPEG begins
			_, err = w.send(picture)
			assert.NoError(t, err, "the picture is served")

			paid, other := dataOf(t, w, pay(d, 0)), dataOf(t, w, pay(d, 1))
			assert.NotEmpty(t, paid["prepay_id"])
			assert.NotEqual(t, paid["prepay_id"], other["prepay_id"], "each order is paid for itself")
			assert.Equal(t, paid["prepay_id"], dataOf(t, w, pay(d, 0))["prepay_id"])
			_, err = w.send(pay(d, d.orders()))
			assert.ErrorContains(t, err, "404", "there are no more orders")
		})
	}
}

func TestScenarios_are_answered_rightly_under_load(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	for name, makeStore := range tinyStores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDataset(tiny)
			url, plaza := served(t, makeStore)
			for _, sc := range scenarios {
				requests := tried(sc, 50)
				if sc.warms {
					require.NoError(t, warm(plaza.at, requests))
				}
				if sc.conditional {
					var err error
					requests, err = having(plaza.at, requests)
					require.NoError(t, err)
				}
				r := rounds{count: 1, load: load{connections: 4, time: 500 * time.Millisecond}}
				if sc.alone != "" {
					r.time = 2 * time.Second
				}
				s, err := r.solo(t.Context(), sc.contender("Plaza", plaza.at, d, requests))
				require.NoError(t, err, sc.name)
				assert.Positive(t, s.rate, sc.name)
				assert.LessOrEqual(t, s.p50, s.p99, sc.name)
			}
			assert.Empty(t, checked(t, url))
		})
	}
}

// checked is what plaza check finds in the database.
func checked(t *testing.T, url string) (found []string) {
	store, err := bunstore.Open(t.Context(), bunstore.Options{URL: url})
	require.NoError(t, err)
	defer store.Close()
	require.NoError(t, store.Check(t.Context(), false, func(f bunstore.Finding) { found = append(found, f.What) }))
	return found[:min(len(found), 10)]
}

// speaking is a server that gives the answers in turn.
func speaking(t *testing.T, answers ...http.HandlerFunc) (at string) {
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answers[int(asked.Add(1)-1)%len(answers)](w, r)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

func saying(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		w.Write([]byte(body))
	}
}

func TestAn_answer_that_is_wrong_under_load_is_found_out(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	good := saying(http.StatusCreated, `{"data": {"name": "river"}}`)
	q := request{raw: get("/").raw, status: http.StatusCreated, part: []byte(`"river"`)}
	for what, bad := range map[string]http.HandlerFunc{
		"another status": saying(http.StatusOK, `{"data": {"name": "river"}}`),
		"other content":  saying(http.StatusCreated, `{"data": {"name": "stream"}}`),
		"nothing":        saying(http.StatusCreated, ""),
	} {
		l := load{requests: []request{q}, connections: 2, time: 50 * time.Millisecond}
		_, err := l.measure(t.Context(), speaking(t, good))
		require.NoError(t, err)
		l.time = patience
		_, err = l.measure(t.Context(), speaking(t, good, good, good, good, good, bad))
		assert.ErrorContains(t, err, "status 20", what)
	}
	q = request{raw: get("/").raw, status: http.StatusNotModified}
	unchanged := saying(http.StatusNotModified, "")
	w, err := dial(speaking(t, unchanged, saying(http.StatusNoContent, ""), unchanged))
	require.NoError(t, err)
	defer w.Close()
	_, err = w.send(q)
	assert.NoError(t, err)
	_, err = w.send(q)
	assert.ErrorContains(t, err, "status 204")
	_, err = w.send(q)
	assert.NoError(t, err, "an answer without content leaves nothing on the line")
}

func TestA_server_that_is_slow_is_measured_for_longer(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	at := speaking(t, func(w http.ResponseWriter, _ *http.Request) {
		<-time.After(30 * time.Millisecond)
		saying(http.StatusOK, `{"data": "river"}`)(w, nil)
	})
	r := rounds{count: 2, load: load{connections: 1, time: 10 * time.Millisecond}}
	slow := server("slow", at, []request{get("/")})
	_, err := slow.measure(t.Context(), r.load)
	require.ErrorIs(t, err, errNothingDone)
	s, err := r.solo(t.Context(), slow)
	require.NoError(t, err)
	assert.Positive(t, s.rate)
}

func TestMixes_have_a_tenth_of_writes(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	all, writes := 0, 0
	for _, part := range mixture {
		all += part.share
		if sc := called(part.scenario); sc.isWriting || sc.alone != "" {
			writes += part.share
		}
	}
	assert.Equal(t, 1000, all)
	assert.Equal(t, 100, writes)
}

func TestMixes_are_answered_rightly(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	for _, s := range []benchedStore{postgresIn(t.Context(), t, forgetful...), sqliteIn(t.Context(), t)} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			d := newDataset(tiny)
			_, plaza := served(t, func(t *testing.T) string {
				require.NoError(t, fill(t.Context(), s.full, d))
				return s.full
			})
			require.NoError(t, warm(plaza.at, []request{login(d, 0)}), "users have several tokens from the first login on")
			row, err := benchMix(t.Context(), s, plaza, d, 3*time.Second)
			require.NoError(t, err)
			assert.Positive(t, row.closed)
			assert.Len(t, row.all(), int(row.lasting/time.Duration(float64(time.Second)/row.rate)), "all that was due is answered")
			for part, times := range row.took {
				if len(row.all()) > 500 && mixture[part].share >= 35 {
					assert.NotEmpty(t, times, mixture[part].scenario)
				}
			}
			assert.Empty(t, checked(t, s.full))
			if runtime.GOOS == "linux" {
				assert.Positive(t, row.memory)
				assert.LessOrEqual(t, row.memory, row.peak)
			}
		})
	}
}

func TestWhat_waits_for_a_server_that_halts_is_charged_to_it(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	const halt = 200 * time.Millisecond
	var asked atomic.Int64
	at := speaking(t, func(w http.ResponseWriter, _ *http.Request) {
		if asked.Add(1) == 150 { // the first 100 warm up
			<-time.After(halt)
		}
		saying(http.StatusOK, `{"data": "river"}`)(w, nil)
	})
	m := &mixer{dataset: newDataset(tiny), requests: make([][]request, len(mixture))}
	for part := range m.requests {
		m.requests[part] = []request{get("/")}
	}
	took, err := m.atRate(t.Context(), at, mixRow{rate: 500, lasting: time.Second, connections: 1})
	require.NoError(t, err)
	all := mixRow{took: took}.all()
	assert.Len(t, all, 500)
	waited, _ := slices.BinarySearch(all, halt/10)
	assert.GreaterOrEqual(t, len(all)-waited, 90, "what was due while the server halted, one every 2 ms, waited as well")
	ended, end := context.WithCancel(t.Context())
	end()
	_, err = m.atRate(ended, at, mixRow{rate: 500, lasting: time.Second, connections: 1})
	assert.ErrorIs(t, err, context.Canceled)
}

func TestA_start_is_timed_and_a_profile_taken(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	url, plaza := served(t, tinySQLite)
	took, err := timeStart(t, program(t.Context(), t), "sqlite:"+filepath.Join(t.TempDir(), "other.db"))
	require.NoError(t, err)
	assert.Positive(t, took)
	p, err := profileOf(t.Context(), plaza, "SQLite", called("304"), newDataset(tiny))
	require.NoError(t, err)
	assert.Contains(t, p.top, "plaza/")
	assert.Empty(t, p.path, "no folder is named to keep it in")
	assert.NotEmpty(t, url)
}

func TestImports_of_one_kind_have_what_they_need(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	runs, err := importApart(t.Context(), t, program(t.Context(), t), "sqlite:"+filepath.Join(t.TempDir(), "plaza.db"), newApart(tiny))
	require.NoError(t, err)
	require.Len(t, runs, 2)
	for _, run := range runs {
		assert.Equal(t, 1000, run.records, run.kind)
		assert.Positive(t, run.rate(run.records), run.kind)
	}
}

func TestReports_tell_of_mixes_memory_and_what_was_missed(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	path := filepath.Join(t.TempDir(), reasonsFile)
	require.NoError(t, os.WriteFile(path, []byte("# Why\n\nWritten by hand.\n\n## Postgres/A\n\nThe disk\nis slow.\n\n## Postgres/B\n\nNo.\n"), 0o600))
	why, err := readReasons(path)
	require.NoError(t, err)
	assert.Equal(t, map[string]string{"Postgres/A": "The disk\nis slow.", "Postgres/B": "No."}, why)
	none, err := readReasons(path + ".missing")
	assert.NoError(t, err)
	assert.Empty(t, none)

	times := make([]time.Duration, 3000)
	for i := range times {
		times[i] = time.Duration(i+1) * time.Millisecond
	}
	took := make([][]time.Duration, len(mixture))
	took[0], took[1] = times, times[:100]
	slow := outcome{ratios: []float64{1.5}, tails: []float64{1.56}}
	r := report{scale: 1, dataset: newDataset(tiny), why: why, stores: []results{{
		benchedStore: benchedStore{name: "Postgres"},
		rows:         []row{{scenario: called("A"), outcome: slow, profile: profile{top: "plaza/adapters\n"}}, {scenario: called("E"), outcome: outcome{ratios: []float64{0.95}, tails: []float64{1.3}}}},
		alone:        []aloneRow{{called("login"), summary{rate: 61, p50: 1e6, p99: 2e6}}},
		mix:          &mixRow{closed: 1000, rate: 500, lasting: time.Minute, took: took, memory: 150 << 20, peak: 160 << 20},
		starts:       []time.Duration{100 * time.Millisecond},
		imported: &importRow{records: 1000, first: importRun{took: time.Second}, again: importRun{took: time.Second}, idle: times[:1], busy: times[:1],
			apart: []apartRun{{"demands", 16_000, importRun{took: time.Second}}, {"publications", 12_000, importRun{took: time.Second}}}},
	}}}
	text := r.text()
	for _, line := range []string{
		"| A | feed items, page 1, publications | 0 | 0 | 1.50 | 1.50–1.50 | ≥ 2.00 | missed |",
		"| 1.56, ≤ 1.3 missed |", "| 1.30, ≤ 1.3 met |",
		"| login | login | 1.00 / 2.00 ms | 61 | the hash",
		"| A | 20.0 % | 3,000 | 1501.00 ms | 2701.00 ms | 2971.00 ms | 2998.00 ms |",
		"| 304 | 9.0 % | 100 | 51.00 ms | 91.00 ms | – | – |",
		"| 150 MiB | ≤ 120 MiB | missed |", "| 100.00 ms | ≤ 250 ms | met |",
		"| 16,000 demands alone | 16,000 records/s | ≥ 15,000 | met |", "| 12,000 publications alone | 12,000 records/s | ≥ 15,000 | missed |",
		"| Postgres/A | feed items, page 1, publications | 1.50 | ≥ 2.00 | 25 % | The disk is slow. |",
		"| Postgres/A p99 | feed items, page 1, publications | 1.56 | ≤ 1.30 | 20 % | – |",
		"| Postgres/memory | resident memory after the mix | 150 MiB | ≤ 120 MiB | 25 % | – |",
		"| Postgres/import publications | import of publications alone | 12,000/s | ≥ 15,000/s | 20 % | – |",
		"### Where it goes in Postgres/A\n\n```text\nplaza/adapters\n```",
	} {
		assert.Contains(t, text, line)
	}
	assert.NotContains(t, text, "| Postgres/E")
	assert.Equal(t, 1, strings.Count(text, "### Where"))
	assert.Equal(t, map[string]float64{"Postgres/A": 1.5, "Postgres/E": 0.95}, ratiosIn(text), "only ratios to the floor are compared with the next run")
	r.stores[0] = results{benchedStore: r.stores[0].benchedStore}
	assert.Contains(t, r.text(), "All goals are met.")
}
