package contract

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var importRunRows = []row{
	{"OFF-01 staff see the runs of imports and which lines were rejected and why", importRunsListed, everyStore},
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
	staff.get(t, rejectsOf(4)).fails(404, "RESOURCE_NOT_FOUND")
	staff.get(t, rejectsOf(1)+"?page=0").invalid("page")
}
