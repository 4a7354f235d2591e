package bunstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/media"
	"plaza/domain/quota"
	"plaza/domain/ratelimit"
	"plaza/domain/user"
	"plaza/domain/userimage"
	testserver "plaza/test/postgres"
)

// titled returns an event that is not stored, a draft unless it is published.
func titled(t *testing.T, author user.ID, publish bool) *event.Event {
	t.Helper()
	e, err := event.New(author, event.Change{Title: new("An event"), Publish: &publish}, calendar.DateOf(noon), noon)
	require.NoError(t, err)
	return e
}

func TestGEN14_quotas_cost_no_round_trip(t *testing.T) {
	var counted counter
	s, who := openWithUser(t, Options{URL: testserver.Empty(t), trace: &counted})
	for name, l := range map[string]quota.Limits{"no quotas": {}, "quotas": {Drafts: 100, Comments: 100, Pictures: 1000}} {
		events := s.Events().Within(l)
		shown, err := events.Add(t.Context(), titled(t, who, true))
		require.NoError(t, err)
		read, err := events.Get(t.Context(), shown.ID())
		require.NoError(t, err)
		key := func(of string) media.Key { return media.Key("public/" + name + of) }
		generous := ratelimit.Limits{ratelimit.Event: {Count: 1000, Period: time.Hour}}
		charge := generous.Charge(int64(who), ratelimit.Event, noon)
		hide := func(e *event.Event) error { return e.Apply(event.Change{Publish: new(false)}, noon) }
		attach := func(e *event.Event) error { return e.AddPlate(key("plate"), 10, noon) }
		for _, c := range []struct {
			call  string
			trips int64
			make  func() error
		}{
			{"a draft", 1, func() error { _, err := events.Add(t.Context(), titled(t, who, false), charge); return err }},
			{"a published event", 1, func() error { _, err := events.Add(t.Context(), titled(t, who, true), charge); return err }},
			{"unpublishing", 1, func() error { _, err := events.ChangeRead(t.Context(), read, hide, charge); return err }},
			{"a comment", 1, func() error {
				_, err := events.AddComment(t.Context(), event.Comment{Event: read.ID(), Author: who, Content: "One", Created: noon}, charge)
				return err
			}},
			{"a plate: what is read, BEGIN, what is written, COMMIT", 4, func() error { _, err := events.Change(t.Context(), read.ID(), attach, charge); return err }},
			{"an image: BEGIN and what is written, COMMIT", 2, func() error {
				_, err := s.Images().Within(l).Add(t.Context(), userimage.New(who, key("image"), 1, 1, 10, userimage.Tags{}, noon), charge)
				return err
			}},
			{"an avatar: BEGIN and what is written, COMMIT", 2, func() error {
				return s.Accounts().Within(l).SetAvatar(t.Context(), who, media.Picture{Key: key("avatar")}, 10, charge)
			}},
		} {
			before := counted.n.Load()
			require.NoError(t, c.make(), c.call)
			assert.Equal(t, c.trips, counted.n.Load()-before, "%s: %s", name, c.call)
		}
		before := counted.n.Load()
		require.NoError(t, s.Room(l).CheckPictures(t.Context(), who))
		assert.Equal(t, map[string]int64{"no quotas": 0, "quotas": 1}[name], counted.n.Load()-before, "before a picture is decoded")
	}
}
