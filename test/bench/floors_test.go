package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/bootstrap"
	"plaza/test/postgres"
)

// tiny is the scale of tests.
const tiny = 0.0005

// tinyPostgres is what the template of test databases is made by, so that it must
// be one function.
func tinyPostgres(ctx context.Context, url string) error { return fill(ctx, url, newDataset(tiny)) }

var quiet = slog.New(slog.DiscardHandler)

func TestFloors_answer_just_as_Plaza_does(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	for name, make := range tinyStores() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := make(t)
			app, plaza := serveApp(t, url, quiet)
			assert.Empty(t, findings(t, app), "the dataset is not what the program would have written")
			floor := startFloor(t, url)
			d := newDataset(tiny)
			for _, sc := range scenarios {
				if sc.alone == "" {
					_, _, err := sc.prepare(tried(sc, 10), d, plaza, floor)
					assert.NoError(t, err, sc.name)
				}
			}
			assert.Empty(t, findings(t, app), "the edits have left what the program would not have")
		})
	}
}

// tried are the different ones among the first requests of a scenario.
func tried(sc scenario, first int) (some []request) {
	all := requestsOf(sc, newDataset(tiny), first)
	for _, q := range all {
		if !bytes.Equal(q.raw, all[0].raw) || len(some) == 0 {
			some = append(some, q)
		}
	}
	return some
}

// findings are what plaza check finds; a few tell enough.
func findings(t *testing.T, app *bootstrap.App) (found []string) {
	t.Helper()
	require.NoError(t, app.Database().Check(t.Context(), false, func(f bunstore.Finding) { found = append(found, f.What) }))
	return found[:min(len(found), 10)]
}

// shown is what must appear in some answer of a scenario, for the comparison of its
// answers to mean something.
var shown = map[string]string{
	"A": "data.title data.cover_images.sizes.cover_sm.path data.bundle.original_id pagination.next",
	"B": "data.distance data.author.expertise data.images data.tags data.auto_covers.sizes.demand_cover_md.path data.service_address",
	"C": "data.meta.feed_updated_at data.children.parent.meta.feeds_count data.children.name data.slug",
	"D": "data.tags data.img", "D1": "data.tags data.img",
	"E": "data.avatars.sizes.lg.path data.expertise data.timezone_utc_offset",
	"F": `data.city data.category_name data.plates.photo data.comments.user.username data.the_moment.user.avatar
		data.the_moment.plates.photo data.the_moment.category_name data.place_around.country data.like_count data.user.online`,
	"deep": "data.title pagination.previous",
	"304":  "data.title",
	"event": `data.city data.category_name data.plates.photo data.comments.user.username data.the_moment.user.avatar
		data.the_moment.plates.photo data.the_moment.category_name data.place_around.country data.like_count data.user.username`,
	"list": `data.city data.category_name data.plates.photo data.comments.user.username data.the_moment.user.avatar
		data.the_moment.category_name data.place_around.country data.like_count data.user.username pagination.total_count`,
	"feed": `data.localized.title data.localized.content data.localized.__translator.title data.localized.__source_language
		data.cover_images.sizes.cover_sm.path pagination.next`,
	"comment": "data.user.username data.content data.create_time",
}

func TestDatasets_show_what_there_is_to_be_shown(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	url := postgres.New(t, tinyPostgres)
	_, plaza := serveApp(t, url, quiet)
	w, err := dial(plaza)
	require.NoError(t, err)
	defer w.Close()
	for _, sc := range scenarios {
		if shown[sc.name] == "" {
			continue
		}
		found := map[string]bool{}
		for _, q := range tried(sc, 60) {
			q.number(serials.Add(1))
			a, err := w.send(q)
			require.NoError(t, err, sc.name)
			var content any
			require.NoError(t, json.Unmarshal(a.body, &content))
			noteFields(found, "", content)
		}
		for path := range strings.FieldsSeq(shown[sc.name]) {
			assert.True(t, found[path], "%s never shows %s", sc.name, path)
		}
	}
}

// noteFields finds the paths of all values that are not empty.
func noteFields(found map[string]bool, path string, content any) {
	switch v := content.(type) {
	case map[string]any:
		for name, value := range v {
			noteFields(found, strings.TrimPrefix(path+"."+name, "."), value)
		}
	case []any:
		for _, value := range v {
			noteFields(found, path, value)
		}
	default:
		if v != nil && v != "" && v != false && v != 0.0 {
			found[path] = true
		}
	}
}

func TestA_floor_that_does_less_is_found_out(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	url := postgres.New(t, tinyPostgres)
	_, plaza := serveApp(t, url, quiet)
	floor := startFloor(t, url)
	require.NoError(t, execute(t.Context(), url, "CREATE SCHEMA less; CREATE TABLE less.presence AS SELECT user_id, now() AS seen FROM presence"))
	behind := startFloor(t, url+"&search_path=less,public")
	everybody := requestsOf(called("E"), newDataset(tiny), 5)
	assert.NoError(t, compare(plaza, floor, everybody))
	assert.ErrorIs(t, compare(plaza, behind, everybody), errUnlike)
}

func TestMeasurements_count_what_is_answered(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	url := postgres.New(t, tinyPostgres)
	d := newDataset(tiny)
	_, plaza := serveApp(t, url, quiet)
	load := load{connections: 3, time: 100 * time.Millisecond}
	m, err := server("views", plaza, requestsOf(called("F"), d, 50)).patiently(t.Context(), load)
	require.NoError(t, err)
	assert.Positive(t, m.rate)
	assert.LessOrEqual(t, m.p50, m.p99)
	_, err = server("nothing", plaza, []request{get("/api/feed/items/99999/")}).patiently(t.Context(), load)
	assert.ErrorContains(t, err, "404")
}

func TestDatasets_have_their_sizes(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	d := newDataset(1)
	assert.Equal(t, []int{200_000, 1_000_000, 500_000, 1_000_000, 1_000_000}, []int{d.users, d.publications, d.demands, d.images, d.events})
	s := d.shelves["publication"]
	assert.Equal(t, []int{100_000, 1000}, []int{s.count(largest), s.count(pinned)})
	counts, seen := map[int64]int{}, 0
	small := newDataset(0.01).shelves["publication"]
	for i := range small.total() {
		counts[small.of(i)]++
	}
	for category, n := range counts {
		assert.Equal(t, small.count(int(category)), n)
		seen += n
	}
	assert.Equal(t, 10_000, seen)
	for category := range categories + 1 {
		assert.Positive(t, thousand().shelves["publication"].count(category), "category %d of the small dataset", category)
	}
}

func TestReports_know_noise_from_differences(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	o := func(ratio float64) outcome { return outcome{ratios: []float64{ratio - 0.1, ratio, ratio + 0.1}} }
	r := report{dataset: newDataset(tiny), stores: []results{{benchedStore: benchedStore{name: "Postgres"}, rows: []row{
		{scenario: called("A"), outcome: o(0.85)}, {scenario: called("B"), outcome: o(0.95)}, {scenario: called("F"), outcome: o(0.4)},
	}}, {benchedStore: benchedStore{name: "SQLite"}, rows: []row{{scenario: called("A"), outcome: o(0.7)}}}}}
	text := r.text()
	before := ratiosIn(text)
	assert.Equal(t, map[string]float64{"Postgres/A": 0.85, "Postgres/B": 0.95, "Postgres/F": 0.4, "SQLite/A": 0.7}, before)
	for name, want := range map[float64]string{0.85: "met", 0.95: "met, noise", 0.4: "missed"} {
		assert.Equal(t, want, verdict(name, 0.8))
	}
	assert.Equal(t, "–, noise", verdict(1.05, 0))
	r.before = before
	for ratio, want := range map[float64]string{0.78: "0.85, noise", 0.76: "0.85, noise", 0.5: "0.85, worse", 1: "0.85, better"} {
		assert.Equal(t, want, r.since("Postgres/A", o(ratio)))
	}
	assert.Equal(t, "–", r.since("SQLite/F", o(1)))
}
