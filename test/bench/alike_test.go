//go:build soak

package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/bootstrap"
	"plaza/test/postgres"
)

// tinyPostgres is what the template of test databases is made by, so that it must
// be one function.
func tinyPostgres(ctx context.Context, url string) error { return fill(ctx, url, newDataset(tiny)) }

var quiet = slog.New(slog.DiscardHandler)

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

func TestFloors_answer_just_as_Plaza_does(t *testing.T) {
	url := postgres.New(t, tinyPostgres)
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
	assert.Zero(t, untold(t, url))
}

func TestDatasets_on_SQLite_are_what_the_program_would_have_written(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "tiny.db")
	require.NoError(t, fill(t.Context(), url, newDataset(tiny)))
	app, _ := serveApp(t, url, quiet)
	assert.Empty(t, findings(t, app))
	row, err := benchCircle(t.Context(), benchedStore{full: url, tidy: func() error { return nil }})
	require.NoError(t, err)
	assert.Positive(t, row.within)
}

// untold is how many comments and likes by others the authors of events were not notified of.
func untold(t *testing.T, database string) (count int) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), database)
	require.NoError(t, err)
	defer conn.Close(context.WithoutCancel(t.Context()))
	require.NoError(t, conn.QueryRow(t.Context(), `
		SELECT COUNT(*) FROM (
			SELECT 'comment' AS kind, event_id, author_id AS actor_id, id AS object_id FROM comments
			UNION ALL SELECT 'like', event_id, user_id, event_id FROM likes) done
		JOIN events e ON e.id = done.event_id AND e.author_id <> done.actor_id
		LEFT JOIN notifications n ON n.owner_id = e.author_id AND n.kind = done.kind AND n.actor_id = done.actor_id
			AND n.object_id = done.object_id
		WHERE n.id IS NULL`).Scan(&count))
	return count
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
	"D": "data.tags data.img",
	"E": "data.avatars.sizes.lg.path data.expertise data.timezone_utc_offset",
	"F": `data.city data.category_name data.plates.photo data.comments.user.username data.the_moment.user.avatar
		data.the_moment.plates.photo data.the_moment.category_name data.place_around.country data.like_count data.user.online`,
	"304": "data.title",
	"event": `data.city data.category_name data.plates.photo data.comments.user.username data.the_moment.user.avatar
		data.the_moment.plates.photo data.the_moment.category_name data.place_around.country data.like_count data.user.username`,
	"list": `data.city data.category_name data.plates.photo data.comments.user.username data.the_moment.user.avatar
		data.the_moment.category_name data.place_around.country data.like_count data.user.username pagination.total_count`,
	"timeline": `data.city data.category_name data.comments.user.username data.the_moment.user.avatar
		data.the_moment.category_name data.place_around.country data.like_count data.user.username cursor.next`,
	"feed": `data.localized.title data.localized.content data.localized.__translator.title data.localized.__source_language
		data.cover_images.sizes.cover_sm.path pagination.next`,
	"comment": "data.user.username data.content data.create_time",
}

func TestDatasets_show_what_there_is_to_be_shown(t *testing.T) {
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

// toolOf is the path of an installed tool. Without it the test cannot run.
func toolOf(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skipf("%s is not set; test/tools.sh installs what it names", variable)
	}
	return path
}

func TestPeers_answer_just_as_Plaza_does(t *testing.T) {
	database := postgres.New(t, tinyPostgres)
	p := startDjango(t.Context(), t, toolOf(t, djangoVariable), database)
	assert.Regexp(t, `Django [0-9]+\.[0-9]+`, p.about, "it says its version")
	app, plaza := serveApp(t, database, quiet)
	for _, sc := range peered {
		assert.NoError(t, compare(plaza, p.at, tried(called(sc), 20)), sc)
	}
	assert.Empty(t, findings(t, app), "the peer has left what the program would not have")
	assert.Zero(t, untold(t, database))
	_, other := serveApp(t, postgres.New(t, otherPostgres), quiet)
	assert.ErrorIs(t, compare(other, p.at, tried(called("A1"), 1)), errUnlike, "other rows are found out")
}

// otherPostgres has another dataset than the tests' own.
func otherPostgres(ctx context.Context, url string) error { return fill(ctx, url, thousand()) }
