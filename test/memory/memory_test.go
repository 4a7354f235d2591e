package memory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/media"
	"plaza/domain/moderation"
	"plaza/domain/page"
	"plaza/domain/quota"
	"plaza/domain/user"
	"plaza/domain/userimage"
	"plaza/test/memory"
	"plaza/test/ports"
)

func open(*testing.T) ports.Stores { return within(memory.New(), quota.Limits{}) }

func within(s *memory.Store, l quota.Limits) ports.Stores {
	return ports.Stores{
		Ports:    s.WithQuotas(l),
		Within:   func(l quota.Limits) ports.Stores { return within(s, l) },
		Listings: func(*testing.T) []feed.Listing { return s.Listings() },
	}
}

func TestPorts(t *testing.T) { ports.All(t, open) }

func TestMedia(t *testing.T) {
	ports.Media(t, func(*testing.T) media.Store {
		return memory.NewMedia("https://plaza.example/base", []byte("0123456789abcdef"))
	})
}

// The ports select events for counts only. A page that selects events must still have the
// counted ones (FED-10).
func TestFED_10_events_are_on_the_pages_that_count_them(t *testing.T) {
	s := memory.New()
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	author, err := s.Accounts.Open(t.Context(), access.Account{}, user.Member{Joined: now})
	require.NoError(t, err)
	c := event.Change{Title: new("An event"), Publish: new(true), Permission: new(event.Public)}
	e, err := event.New(author, c, calendar.DateOf(now), now)
	require.NoError(t, err)
	e, err = s.Events.Add(t.Context(), e)
	require.NoError(t, err)

	events := feed.Selection{Kinds: []feed.Kind{feed.Event}}
	_, metas, err := s.Feed.Metas(t.Context(), events)
	require.NoError(t, err)
	p, err := s.Feed.Page(t.Context(), 0, events, page.Request{})
	require.NoError(t, err)
	assert.Equal(t, metas[0].Count, p.Total)
	assert.Equal(t, []feed.Item{{Listable: e}}, p.Items)
}

func TestMOD_05_what_a_decided_case_keeps_goes(t *testing.T) {
	s := memory.New()
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	owner, err := s.Accounts.Open(t.Context(), access.Account{}, user.Member{Joined: now})
	require.NoError(t, err)
	kept := func() (versions []int) {
		found, err := s.Moderation.Cases(t.Context(), moderation.Query{IsDecided: true, CursorRequest: page.Behind(page.Cursor{}, 10)})
		require.NoError(t, err)
		for _, c := range found.Items {
			versions = append(versions, len(c.Versions))
		}
		return versions
	}
	decided := func(at time.Time) {
		i, err := s.Images.Add(t.Context(), userimage.New(owner, "public/a", 1, 1, 1, userimage.Tags{}, now))
		require.NoError(t, err)
		r, _, err := s.Moderation.Report(t.Context(), moderation.Report{
			By: owner, Thing: moderation.Thing{Kind: moderation.Image, ID: int64(i.ID)}, Owner: owner, Reason: moderation.Spam, Created: now,
			Copies: moderation.Copies{fmt.Sprint("image ", i.ID): media.Key(fmt.Sprint("private/", i.ID))},
		})
		require.NoError(t, err)
		_, err = s.Moderation.Decide(t.Context(), r.Case, at)
		require.NoError(t, err)
	}
	decided(now)
	decided(now.Add(moderation.KeptFor - 1))
	assert.Equal(t, []int{1, 1}, kept())
	decided(now.Add(moderation.KeptFor))
	assert.Equal(t, []int{1, 1, 0}, kept())
	due, err := s.Deletions.Claim(t.Context(), now, now.AddDate(2, 0, 0), 10)
	require.NoError(t, err)
	assert.Equal(t, []media.Key{"private/1"}, due)
}
