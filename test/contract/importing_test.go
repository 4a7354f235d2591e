package contract

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/jsonlines"
	"plaza/application/importing"
	"plaza/domain/imported"
)

var importingRows = []row{
	{"ADM-04 what is imported is served, and follows when it is imported again", importedServed, everyStore},
}

type unwatched struct{}

func (unwatched) Progressed(importing.Source, importing.Summary) {}
func (unwatched) Rejected(importing.Source, imported.Reject)     {}
func (unwatched) Resumed(importing.Source, int64)                {}

// brings imports a file of the lines, beside which is a picture, and returns what became of them and the rejects.
func (s *server) brings(t *testing.T, lines ...string) (importing.Summary, string) {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "found.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "pot.png"), aPNG(t), 0o600))
	file, err := jsonlines.Open(path)
	require.NoError(t, err)
	defer file.Close()
	source := importing.Source{File: file, Label: path, Rejects: func(length int64) (imported.Rejects, error) {
		return jsonlines.OpenRejects(jsonlines.RejectsPath(path), "found.jsonl", length)
	}}
	summary, err := s.app.Importer.Import(t.Context(), []importing.Source{source}, unwatched{})
	require.NoError(t, err)
	rejects, err := os.ReadFile(jsonlines.RejectsPath(path))
	if !os.IsNotExist(err) {
		require.NoError(t, err)
	}
	return summary, string(rejects)
}

func importedServed(t *testing.T, s *server) {
	staff := s.staff(t)
	const day = `"created":"2026-11-01T09:00:00Z"`
	lines := []string{
		`{"kind":"publication","id":90001,"bundle":90001,"title":"How to season a pot","author":"r1","language":"en","category":9001,"cover":{"file":"pot.png"},` + day + `}`,
		`{"kind":"howto","category":"teaware","robot":"r1","bundles":[90001],` + day + `}`,
		`{"kind":"demand","id":90001,"author":"r1","title":"A pot","category":9001,"lat":30.2,"lng":120.1,"published":true,` + day +
			`,"closed":"2026-12-01T09:00:00Z","start":"2026-11-02T09:00:00Z","end":"2026-11-20T09:00:00Z"}`,
		`{"kind":"user","id":"r1","username":"+1-2025550199","firstname":"Tea","lastname":"Robot","joined":"2026-11-01T00:00:00Z"}`,
		`{"kind":"category","id":9001,"name":"Teaware","slug":"teaware"}`,
		`{"kind":"bundle","id":90001}`,
		`{"kind":"category","id":9002,"name":" ","slug":"nameless"}`,
	}
	summary, rejects := s.brings(t, lines...)
	assert.Equal(t, importing.Count{New: 6}, summary.All())
	assert.Equal(t, 1, strings.Count(rejects, "\n"))
	assert.Contains(t, rejects, `"line":7`)
	assert.Equal(t, []string{"teaware"}, staff.get(t, importedHowTos).is(200).column("data", "category"))
	listed := staff.get(t, itemsOf(9001)+"?type=publication").is(200)
	assert.Equal(t, []string{"How to season a pot"}, listed.column("data", "title"))
	for _, address := range []string{
		listed.text("data.0.cover_image"), staff.get(t, publications).is(200).text("data.0.cover_image"),
		s.anyone().get(t, cardOf("publication", 90001)).is(200).text("data.cover_image"),
	} {
		s.anyone().fetches(t, address).is(200)
	}

	again, _ := s.brings(t, lines...)
	assert.Equal(t, importing.Count{Same: 6}, again.All())
	lines[0] = strings.Replace(lines[0], "season a pot", "season a kettle", 1)
	changed, _ := s.brings(t, lines...)
	assert.Equal(t, importing.Count{Changed: 1, Same: 5}, changed.All())
	assert.Equal(t, []string{"How to season a kettle"}, staff.get(t, itemsOf(9001)+"?type=publication").is(200).column("data", "title"))
}
