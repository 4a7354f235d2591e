package moderation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/audit"
	"plaza/domain/fault"
	"plaza/domain/moderation"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestMOD01_a_report_has_a_reason_and_a_text_within_its_limit(t *testing.T) {
	of := moderation.Thing{Kind: moderation.Comment, ID: 7}
	for _, why := range moderation.Reasons() {
		r, err := moderation.NewReport(3, of, why, strings.Repeat("文", 2000), noon.Add(time.Nanosecond))
		require.NoError(t, err)
		assert.Equal(t, moderation.Report{By: 3, Thing: of, Reason: why, Text: strings.Repeat("文", 2000), Created: noon}, r)
		assert.Equal(t, moderation.Open, r.State())
	}
	_, err := moderation.NewReport(3, of, "ugly", strings.Repeat("文", 2001), noon)
	wrong := fault.FieldsOf(err)
	assert.Len(t, wrong, 2)
	assert.Contains(t, wrong, "reason")
	assert.Contains(t, wrong, "text")
	_, err = moderation.NewReport(3, of, moderation.Spam, "", noon)
	assert.NoError(t, err, "a text may be missing")
}

func TestMOD07_the_state_of_a_report_is_what_became_of_the_thing(t *testing.T) {
	for outcome, want := range map[moderation.Outcome]moderation.State{
		moderation.OutcomeHidden: moderation.TakenDown, moderation.OutcomeDisabled: moderation.TakenDown,
		moderation.OutcomeDismissed: moderation.Kept,
	} {
		assert.Equal(t, want, moderation.Report{Outcome: outcome}.State())
	}
}

func TestMOD06_nobody_judges_themselves(t *testing.T) {
	staff := audit.Actor{Staff: 3}
	assert.ErrorIs(t, moderation.CheckJudge(staff, 3, false), moderation.ErrOwn)
	assert.ErrorIs(t, moderation.CheckJudge(staff, 4, true), moderation.ErrOwn)
	assert.NoError(t, moderation.CheckJudge(staff, 4, false))
	assert.NoError(t, moderation.CheckJudge(audit.Actor{Person: "maria"}, 0, true), "the command line has no uid")
}

func TestMOD05_a_thing_differs_by_its_texts_and_pictures_and_not_by_where_they_are(t *testing.T) {
	then := moderation.Snapshot{Title: "Fog", HTML: "<p>Fog</p>", Tags: []string{"a"}}
	then.AddPicture(moderation.Thing{Kind: moderation.Plate, ID: 1}, "private/a.png")
	c := moderation.Case{Versions: []moderation.Version{{Snapshot: then}}}
	for what, change := range map[string]func(*moderation.Snapshot){
		"title": func(s *moderation.Snapshot) { s.Title = "Mist" }, "HTML": func(s *moderation.Snapshot) { s.HTML = "" },
		"tags": func(s *moderation.Snapshot) { s.Tags = nil }, "pictures": func(s *moderation.Snapshot) { s.Pictures = nil },
	} {
		now := moderation.Subject{Snapshot: then}
		assert.False(t, c.Changed(&now))
		change(&now.Snapshot)
		assert.True(t, c.Changed(&now), what)
	}
	moved := moderation.Subject{Snapshot: then}
	moved.Pictures = []moderation.Picture{{Name: then.Pictures[0].Name, Key: "private/b.png"}}
	assert.False(t, c.Changed(&moved))
	assert.True(t, c.Changed(nil), "deleted")
	assert.False(t, moderation.Case{}.Changed(nil), "nothing is kept")
}

func TestMOD03_a_thing_is_hidden_and_restored_once(t *testing.T) {
	for _, c := range []struct {
		was, is bool
		err     error
	}{{false, true, nil}, {true, false, nil}, {true, true, moderation.ErrHidden}, {false, false, moderation.ErrNotHidden}} {
		turned, err := moderation.Turned(c.was, c.is)
		assert.Equal(t, c.err, err)
		assert.Equal(t, c.is, turned)
	}
}
