package e2e

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"plaza/test/postgres"
)

// crawled is a file as a crawler might leave it: with a byte order mark and line ends
// of Windows, people after what they wrote, translations before originals, ids that
// come again, a circle of categories, a line of a MiB, and some nonsense.
func crawled(r *rand.Rand) []byte {
	const day = "2026-11-01T08:00:00+08:00"
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for n := range 6000 {
		switch id := r.IntN(1500) + 1; r.IntN(7) {
		case 0:
			from := fmt.Sprintf(`,"first_original":%[1]d,"original":%[1]d`, id/3+1)
			if id%3 == 0 || id/3+1 == id {
				from = ""
			}
			say(`{"kind":"bundle","id":%d%s}`, id, from)
		case 1, 2:
			say(`{"kind":"publication","id":%d,"bundle":%d,"author":"p%d","category":%d,"title":"Text %d","language":"en","created":"%s"}`,
				id, r.IntN(1500)+1, r.IntN(60), r.IntN(40)+1, n, day)
		case 3:
			say(`{"kind":"demand","id":%d,"author":"p%d","title":"Wish %d","lat":30.2,"lng":120.1,"created":"%[4]s","closed":"%[4]s","start":"%[4]s","end":"%[4]s"}`,
				id, r.IntN(60), n, day)
		case 4:
			say(`{"kind":"news","id":"n%d","site_name":"Paper","url":"https://paper.example.org/%d","title":"News %d","released":"2026-11-01","html":"<p onclick=x>A</p>"}`, id, id, n)
		case 5:
			say(`{"kind":"node","id":%d,"author":"p%d","title":"Part %d","language":"zh-CN","created":"%s","published":%t}`, id, r.IntN(60), n, day, n%2 == 0)
		default:
			say(`{"kind":"howto","category":"guide %d","robot":"p%d","bundles":[%d],"created":"%s"}`, id, r.IntN(60), r.IntN(1500)+1, day)
		}
		if n%500 == 0 {
			say(`{"kind":"publication","id":%d,"title":"  "}`, n)
			say(`nonsense`)
		}
	}
	say(`{"kind":"news","id":"long","site_name":"Paper","url":"https://paper.example.org/long","title":"Long","released":"2026-11-01","html":"%s"}`, strings.Repeat("<b></b>", 1<<20/7))
	for n := range 50 {
		say(`{"kind":"user","id":"p%d","username":"+86-139%08d","firstname":"F%d","lastname":"L","joined":"%s"}`, n, n, n, day)
	}
	for id := 38; id > 0; id-- { // 39 and 40 are above each other, and so is what is under them
		say(`{"kind":"category","id":%d,"parent":%s,"name":"Shelf %d","slug":"shelf-%d"}`, id, map[bool]string{true: "null", false: fmt.Sprint(id / 2)}[id == 1], id, id)
	}
	say(`{"kind":"category","id":39,"parent":40,"name":"Escher","slug":"escher"}`)
	say(`{"kind":"category","id":40,"parent":39,"name":"Penrose","slug":"penrose"}`)
	return []byte("\ufeff" + strings.Join(lines, "\r\n"))
}

// bare are the tables of what was imported, without the numbers that the database gives
// and takes back.
var bare = []string{
	`SELECT source, phone, firstname, lastname, expertise, location, timezone, joined, scopes, staff FROM users ORDER BY source`,
	`SELECT id, parent_id, name, slug FROM categories ORDER BY id`,
	`SELECT * FROM bundles ORDER BY id`,
	`SELECT p.id, p.bundle_id, p.first_original_id, p.original_id, p.title, p.category_id, p.published, u.source FROM publications p JOIN users u ON u.id = p.author_id ORDER BY p.id`,
	`SELECT n.id, n.title, n.published, n.language, u.source FROM nodes n JOIN users u ON u.id = n.author_id ORDER BY n.id`,
	`SELECT d.id, d.title, d.lat, d.lng, u.source FROM demands d JOIN users u ON u.id = d.author_id ORDER BY d.id`,
	`SELECT h.category, u.source, h.bundles FROM howtos h JOIN users u ON u.id = h.robot_id ORDER BY 1, 2`,
	`SELECT source, url, title, html, released FROM news ORDER BY source`,
	`SELECT kind, id, category_id, created, updated, lat, lng FROM feed_listings ORDER BY kind, id`,
	`SELECT category_id, kind, SUM(count) FROM feed_counters GROUP BY category_id, kind HAVING SUM(count) > 0 ORDER BY 1, 2`,
	`SELECT COUNT(*) FROM imports`,
}

func contents(t *testing.T, driver, source string) (tables []string) {
	t.Helper()
	db, err := sql.Open(driver, source)
	require.NoError(t, err)
	defer db.Close()
	for _, query := range bare {
		rows, err := db.QueryContext(t.Context(), query)
		require.NoError(t, err, query)
		columns, err := rows.Columns()
		require.NoError(t, err)
		var text strings.Builder
		for rows.Next() {
			values := make([]any, len(columns))
			into := make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			require.NoError(t, rows.Scan(into...))
			fmt.Fprintln(&text, values...)
		}
		require.NoError(t, rows.Err())
		tables = append(tables, text.String())
	}
	return tables
}

// imported is a database, and the folder with the file that goes into it.
type imported struct {
	folder, driver, source string
	env                    []string
	dead                   func()
}

func importedTo(t *testing.T, store string, file []byte) imported {
	t.Helper()
	at := imported{folder: t.TempDir(), driver: "sqlite", dead: func() {}}
	at.source = filepath.Join(at.folder, "plaza.db")
	url := "sqlite:" + at.source
	if store == "Postgres" {
		url = postgres.Empty(t)
		at.driver, at.source = "pgx", url
		db, err := sql.Open("pgx", url)
		require.NoError(t, err)
		t.Cleanup(func() { db.Close() })
		at.dead = func() { abandoned(t, db) }
	}
	at.env = []string{"PLAZA_DATABASE_URL=" + url, "PLAZA_DATA_DIR=" + at.folder}
	require.NoError(t, os.WriteFile(at.path(), file, 0o600))
	return at
}

func (at imported) path() string { return filepath.Join(at.folder, "crawl.jsonl") }

func (at imported) rejects(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(at.folder, "crawl.rejects.jsonl"))
	require.NoError(t, err)
	return string(text)
}

// killed imports the file, and kills the import after the time, unless it has ended by
// then.
func (at imported) killed(t *testing.T, after time.Duration) {
	t.Helper()
	cmd := command(t, context.Background(), "import", at.path())
	cmd.Env = append(cmd.Env, at.env...)
	require.NoError(t, cmd.Start())
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait()
	at.dead()
}

func TestADM04_an_import_that_is_killed_ends_like_one_that_is_not(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	file := crawled(rand.New(rand.NewPCG(2026, 11)))
	for _, store := range []string{"SQLite", "Postgres"} {
		t.Run(store, func(t *testing.T) {
			whole := importedTo(t, store, file)
			began := time.Now()
			_, said, status := run(t, whole.env, "import", whole.path())
			took := time.Since(began)
			require.Equal(t, 1, status, said)
			want := contents(t, whole.driver, whole.source)

			torn := importedTo(t, store, file)
			for range manyKills {
				torn.killed(t, time.Duration(rand.Int64N(int64(took))))
			}
			// The rejects of a run that had ended by itself are there, and a new one begins.
			_, said, status = run(t, torn.env, "import", torn.path())
			require.Equal(t, 1, status, said)
			got := contents(t, torn.driver, torn.source)
			for n, query := range bare {
				assert.Equal(t, want[n], got[n], query)
			}
			assert.Equal(t, whole.rejects(t), torn.rejects(t))
			out, said, status := run(t, torn.env, "check")
			assert.Zero(t, status, out+said)
		})
	}
}
