package contract

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/jsonlines"
	"plaza/application/importing"
	"plaza/application/signin"
	"plaza/domain/access"
	"plaza/domain/imported"
	"plaza/domain/publication"
	"plaza/domain/user"
)

var importingRows = []row{
	{"ADM-04 what is imported is served, and follows when it is imported again", importedServed, everyStore},
	{"ADM-01 imported how-tos with the newest first", howTosListed, everyStore},
	{"ADM-01 golden imported how-tos", goldenHowTos, oneStore},
	{"ADM-03 categories are named in either way", howTosOfCategories, everyStore},
	{"OFF-01 staff see the runs of imports and which lines were rejected and why", importRunsListed, everyStore},
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

const importedHowTos = "/api/writing-admin/v1/imported-howto/"

func (s *server) staff(t *testing.T, roles ...access.Role) person {
	t.Helper()
	if len(roles) == 0 {
		roles = append(roles, access.Admin)
	}
	return s.member(t, func(r *signin.Registration) { r.Roles = roles })
}

func (s *server) imports(t *testing.T, category string, robot user.ID, created time.Duration, bundles ...publication.BundleID) {
	t.Helper()
	at := epoch.Add(created)
	h := publication.HowTo{Category: category, Robot: robot, Bundles: bundles, Created: at, Updated: at}
	s.stores(t, h)
}

func howTosListed(t *testing.T, s *server) {
	staff := s.staff(t)
	assert.Empty(t, staff.get(t, importedHowTos).is(200).list("data"))
	s.imports(t, "Tea", staff.id, time.Hour)
	s.imports(t, "Walks", staff.id, 3*time.Hour, 1, 2)
	s.imports(t, "Boats", staff.id, 2*time.Hour)
	a := staff.get(t, importedHowTos).is(200)
	assert.Equal(t, []string{"Walks", "Boats", "Tea"}, a.column("data", "category"))
	s.imports(t, "Tea", staff.id, 4*time.Hour, 9)
	again := staff.get(t, importedHowTos).is(200)
	assert.Equal(t, []string{"Tea", "Walks", "Boats"}, again.column("data", "category"))
	sameJSON(t, []int{9}, again.at("data.0.bundle_ids"))
}

func goldenHowTos(t *testing.T, s *server) {
	robot := s.known(t, user.Member{Firstname: "Tea", Lastname: "Robot"})
	s.imports(t, "Walks", robot.id, 0)
	h := publication.HowTo{Category: "Walks", Robot: robot.id, Created: epoch, Updated: epoch.Add(500 * time.Microsecond)}
	s.stores(t, h)
	h = publication.HowTo{
		Category: "Tea", Robot: robot.id, Bundles: []publication.BundleID{3, 1, 2}, Created: epoch.Add(time.Hour),
		Updated: epoch.Add(2 * time.Hour),
	}
	s.stores(t, h)
	s.staff(t).get(t, importedHowTos).is(200).golden("imported", facts{"<robot>": "Tea Robot", "<robot id>": robot.id})
}

func howTosOfCategories(t *testing.T, s *server) {
	staff, robot := s.staff(t), s.member(t)
	for i, category := range []string{"Tea", "Walks", "Boats & Oars", "Tea, green", "雾"} {
		s.imports(t, category, robot.id, time.Duration(i)*time.Minute)
	}
	all := []string{"雾", "Tea, green", "Boats & Oars", "Walks", "Tea"}
	for _, c := range []struct {
		plain, bracketed []string
		want             []string
	}{
		{[]string{""}, []string{" "}, all}, {[]string{"Tea", "Walks"}, nil, []string{"Walks", "Tea"}},
		{[]string{"Tea", "Walks"}, []string{"Boats & Oars", "雾", "Tea"}, []string{"雾", "Boats & Oars", "Walks", "Tea"}},
		{[]string{"Tea, green"}, nil, []string{"Tea, green"}}, {[]string{"Tea,Walks"}, nil, []string{}}, {[]string{"tea"}, nil, []string{}},
		{[]string{"unknown"}, []string{"Tea", ""}, []string{"Tea"}},
	} {
		q := url.Values{"category": c.plain, "category[]": c.bracketed}.Encode()
		a := staff.get(t, importedHowTos+"?"+q).is(200)
		assert.Equal(t, c.want, a.column("data", "category"), q)
		assert.Equal(t, len(c.want), a.int("pagination.total_count"), q)
	}
	unescaped := staff.get(t, importedHowTos+"?category=Tea&category[]=Walks&category[]=Tea").is(200)
	assert.Equal(t, []string{"Walks", "Tea"}, unescaped.column("data", "category"))
}

const importRuns = "/api/back-office/v1/import/"

func rejectsOf(id int) string { return fmt.Sprintf("%s%d/rejects/", importRuns, id) }

func importRunsListed(t *testing.T, s *server) {
	staff := s.staff(t)
	assert.Empty(t, staff.get(t, importRuns).is(200).list("data"))
	s.brings(t, `{"kind":"bundle","id":90001}`, "no JSON", `{"kind":"bundle","id":0}`)
	s.clock.advance(1)
	s.brings(t, `{"kind":"bundle","id":90001}`)
	a := staff.get(t, importRuns).is(200)
	sameJSON(t, []any{2, 1}, a.each("data", "id"))
	sameJSON(t, []any{0, 2}, a.each("data", "rejected"))
	a.shows(object{
		"0.state": "completed", "0.unchanged": 1, "1.state": "completed", "1.began_at": "2026-11-20T12:00:00.000000Z",
		"1.ended_at": "2026-11-20T12:00:00.000000Z", "1.lines": 3, "1.new": 1, "1.changed": 0, "1.unchanged": 0, "1.replaced": 0,
	})
	_, err := s.app.Stores.Imports.BeginRun(t.Context(), s.clock.Now(), []string{"killed.jsonl"})
	require.NoError(t, err)
	unfinished := staff.get(t, importRuns).is(200)
	unfinished.shows(object{"0.state": "unfinished", "0.began_at": "2026-11-20T12:00:00.000000Z", "0.ended_at": nil, "0.lines": 0})
	assert.Equal(t, []any{"killed.jsonl"}, unfinished.at("data.0.files"))
	assert.Equal(t, "found.jsonl", filepath.Base(a.text("data.1.files.0")))

	rejects := staff.get(t, rejectsOf(1)).is(200)
	sameJSON(t, []any{2, 3}, rejects.each("data", "line"))
	assert.NotEmpty(t, rejects.text("data.0.reason"))
	assert.NotEmpty(t, rejects.list("data.1.fields.id"))
	assert.NotContains(t, string(rejects.body), "no JSON", "the line itself is in the file of rejects")
	sameJSON(t, []any{3}, staff.get(t, rejectsOf(1)+"?page=2&page_size=1").is(200).each("data", "line"))
	assert.Empty(t, staff.get(t, rejectsOf(2)).is(200).list("data"))
}
