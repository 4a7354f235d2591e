package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/postgres"
)

// crawled is a file as a crawler might leave it: with a byte order mark and line ends of Windows, people after what they wrote,
// translations before originals, ids that come again, a circle of categories, a line of a MiB, and some nonsense.
func crawled(r *rand.Rand) []byte {
	const day = "2026-11-01T08:00:00+08:00"
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for n := range crawledLines {
		switch id := r.IntN(1500) + 1; r.IntN(5) {
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
			say(`{"kind":"node","id":%d,"author":"p%d","title":"Part %d","language":"zh-CN","created":"%s","published":%t}`, id, r.IntN(60), n, day, n%2 == 0)
		default:
			say(`{"kind":"howto","category":"guide %d","robot":"p%d","bundles":[%d],"created":"%s"}`, id, r.IntN(60), r.IntN(1500)+1, day)
		}
		if n%500 == 0 {
			say(`nonsense`)
		}
	}
	say(`{"kind":"news","id":"long","site_name":"Paper","url":"https://paper.example.org/long","title":"Long","released":"2026-11-01","html":"%s"}`, strings.Repeat("<b></b>", 1<<20/7))
	for n := range crawledUsers {
		say(`{"kind":"user","id":"p%d","username":"+86-139%08d","firstname":"F%d","lastname":"L","joined":"%s"}`, n, n, n, day)
	}
	for id := 38; id > 0; id-- { // 39 and 40 are above each other, and so is what is under them
		say(`{"kind":"category","id":%d,"parent":%d,"name":"Shelf %[1]d","slug":"shelf-%[1]d"}`, id, id/2)
	}
	say(`{"kind":"category","id":39,"parent":40,"name":"Escher","slug":"escher"}`)
	say(`{"kind":"category","id":40,"parent":39,"name":"Penrose","slug":"penrose"}`)
	return []byte("\ufeff" + strings.Join(lines, "\r\n"))
}

type imported struct {
	folder string
	env    []string
	dead   func()
}

func importedTo(t *testing.T, store string, file []byte) imported {
	t.Helper()
	at := imported{folder: t.TempDir(), dead: func() {}}
	url := "sqlite:" + filepath.Join(at.folder, "plaza.db")
	if store == "Postgres" {
		url = postgres.Empty(t)
		at.dead = func() { abandoned(t, url) }
	}
	at.env = []string{"PLAZA_DATABASE_URL=" + url, "PLAZA_DATA_DIR=" + at.folder}
	require.NoError(t, os.WriteFile(at.path(), file, 0o600))
	return at
}

func (at imported) path() string { return filepath.Join(at.folder, "crawl.jsonl") }

// outcome is what an import of the file prints of its records, and the rejects.
func (at imported) outcome(t *testing.T) (kinds map[string]map[string]int64, rejects string) {
	t.Helper()
	out, said, status := run(t, at.env, "import", "--json", at.path())
	require.Equal(t, 1, status, said)
	var summary struct{ Kinds map[string]map[string]int64 }
	require.NoError(t, json.Unmarshal([]byte(out), &summary))
	text, err := os.ReadFile(filepath.Join(at.folder, "crawl.rejects.jsonl"))
	require.NoError(t, err)
	return summary.Kinds, string(text)
}

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
			whole, torn := importedTo(t, store, file), importedTo(t, store, file)
			began := time.Now()
			_, want := whole.outcome(t)
			took := time.Since(began)
			for range manyKills {
				torn.killed(t, time.Duration(rand.Int64N(int64(took))))
			}
			// The rejects of a run that had ended by itself are there, and a new one begins.
			_, got := torn.outcome(t)
			assert.Equal(t, want, got)
			// A record that is stored otherwise would be changed by another import.
			same, _ := whole.outcome(t)
			again, _ := torn.outcome(t)
			assert.Equal(t, same, again)
			assert.Zero(t, again["publication"]["new"])
			out, said, status := run(t, torn.env, "check")
			assert.Zero(t, status, out+said)
		})
	}
}
