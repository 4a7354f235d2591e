package command_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/moderation"
)

// complaint is a case as moderation reports prints it.
type complaint struct {
	ID, Object int
	AsReported []struct{ Title string } `json:"as_reported"`
	IsHidden   bool                     `json:"is_hidden"`
	DecidedAt  *string                  `json:"decided_at"`
	DecidedBy  any                      `json:"decided_by"`
	Decision   *string
}

func (sh *shell) reports(flags ...string) []complaint {
	sh.Helper()
	return printed[[]complaint](sh, append([]string{"moderation", "reports"}, flags...)...)
}

// reported stores an event of user 1, and a report of it.
func (sh *shell) reported() {
	sh.Helper()
	now, title := time.Now(), "x"
	e, err := event.New(1, event.Change{Title: &title}, calendar.DateOf(now), now)
	require.NoError(sh, err)
	report, err := moderation.NewReport(1, moderation.Thing{Kind: moderation.Event, ID: 1}, moderation.Abuse, "", now)
	require.NoError(sh, err)
	report.Owner = 1
	sh.within(func(app *bootstrap.App) {
		_, err := app.Stores.Events.Add(sh.Context(), e)
		require.NoError(sh, err)
		_, _, err = app.Stores.Moderation.Report(sh.Context(), report)
		require.NoError(sh, err)
	})
}

func TestMOD03_staff_hide_restore_and_decide_at_the_command_line(t *testing.T) {
	sh := newShell(t)
	sh.somebody("+86-13900000001")
	t.Setenv("SUDO_USER", "")
	sh.reported()
	require.Len(t, sh.reports(), 1)
	open := sh.reports()[0]
	assert.Equal(t, "x", open.AsReported[0].Title)
	assert.Contains(t, sh.run("moderation", "reports").ends(done).out, "open")
	assert.Empty(t, sh.reports("--decided"))
	assert.Empty(t, sh.reports("--kind", "comment"))
	assert.Empty(t, sh.reports("--reason", "illegal"))
	assert.Empty(t, sh.reports("--older-than", "1"))
	assert.Len(t, sh.reports("--kind", "event", "--reason", "abuse"), 1)

	id := fmt.Sprint(open.Object)
	sh.run("moderation", "hide", "event", id, "--reason", "Ad").refuses(misused, "--as NAME")
	sh.run("moderation", "hide", "user", id, "--as", "maria", "--reason", "Ad").refuses(misused, "event")
	sh.run("moderation", "hide", "event", id, "--as", "maria", "--reason", " ").refuses(misused, "reason")
	sh.run("moderation", "hide", "event", "--as", "maria", "--reason", "Ad").refuses(misused, "--address")
	sh.run("moderation", "hide", "event", id, "--address", "x", "--as", "maria", "--reason", "Ad").refuses(misused, "--address")
	sh.run("moderation", "hide", "--address", "x", "--as", "maria", "--reason", "Ad").refuses(misused, "address of a picture")
	sh.run("moderation", "hide", "--address", "/media/public/a.png", "--as", "maria", "--reason", "Ad").refuses(refused, "has this address")
	sh.run("moderation", "hide", "comment", "9999", "--as", "maria", "--reason", "Ad").refuses(refused, "not found")
	sh.run("moderation", "hide", "event", id, "--as", "maria", "--reason", "Ad").ends(done)
	sh.run("moderation", "hide", "event", id, "--as", "maria", "--reason", "Ad").refuses(refused, "hidden")
	assert.Empty(t, sh.reports())
	decided := sh.reports("--decided")[0]
	assert.True(t, decided.IsHidden)
	assert.NotNil(t, decided.DecidedAt)
	assert.Equal(t, []any{"maria", new("hidden")}, []any{decided.DecidedBy, decided.Decision})
	sh.run("moderation", "restore", "event", id, "--as", "maria", "--reason", "A mistake").ends(done)
	assert.False(t, sh.reports("--decided")[0].IsHidden)
	sh.run("moderation", "decide", fmt.Sprint(open.ID), "--as", "maria", "--reason", "No ad").refuses(refused, "decided already")
	sh.run("moderation", "decide", "99", "--as", "maria", "--reason", "No ad").refuses(refused, "Report not found")
	sh.run("moderation", "reports", "--limit", "-1").refuses(misused, "--limit")
	assert.Equal(t, []act{{"maria", "restored", "event", &id}, {"maria", "hidden", "event", &id}}, sh.acts()[:2])
}
