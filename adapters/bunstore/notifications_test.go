package bunstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/adapters/bunstore/people"
	"plaza/domain/access"
	"plaza/domain/block"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/ratelimit"
	"plaza/domain/subscription"
	"plaza/domain/user"
	testserver "plaza/test/postgres"
)

// eventAndOther writes an event, and opens an account of another person than its author.
func eventAndOther(t *testing.T, s *Store, author user.ID) (*event.Event, user.ID) {
	t.Helper()
	e, err := event.New(author, event.Change{Title: new("An event"), Publish: new(true)}, calendar.DateOf(noon), noon)
	require.NoError(t, err)
	e, err = s.Events.Add(t.Context(), e)
	require.NoError(t, err)
	other, err := s.Accounts.Open(t.Context(), access.Account{}, user.Member{Timezone: "UTC", Joined: noon})
	require.NoError(t, err)
	return e, other
}

func TestNTF01_a_notification_takes_no_further_round_trip(t *testing.T) {
	t.Parallel()
	var counted counter
	s, author := openWithUser(t, engine.Options{URL: testserver.Lend(t, MigrateAt), Trace: &counted})
	e, other := eventAndOther(t, s, author)
	charge := ratelimit.Limits{ratelimit.Like: {Count: 100, Period: time.Hour}}.Charge(int64(other), ratelimit.Like, noon)
	follow, err := subscription.ToUser(other, author, noon)
	require.NoError(t, err)
	on := e.ID()
	quiet := event.Comment{Event: on, Author: author, Content: "Oh", Created: noon}
	loud := quiet
	loud.Author = other
	trips := func(name string, write func() error) int64 {
		before := counted.n.Load()
		require.NoError(t, write(), name)
		return counted.n.Load() - before
	}
	comment := func(c event.Comment) func() error {
		return func() error { _, _, err := s.Discussion.AddComment(t.Context(), c, charge); return err }
	}
	like := func(isLiked bool) func() error {
		return func() error { return s.Discussion.Like(t.Context(), event.NewLike(on, other, isLiked, noon), charge) }
	}
	assert.Equal(t, trips("a comment without", comment(quiet)), trips("a comment", comment(loud)))
	for _, isLiked := range []bool{true, false, true} {
		assert.LessOrEqual(t, trips("a like", like(isLiked)), int64(2), "what decides, and the rest")
	}
	assert.LessOrEqual(t, trips("a follow", func() error {
		_, _, err := s.Subscriptions.Follow(t.Context(), follow, charge)
		return err
	}), int64(4))
	unread, err := s.Notifications.Unread(t.Context(), author)
	require.NoError(t, err)
	assert.Equal(t, 3, unread)
}

func TestMOD02_no_notification_crosses_a_block(t *testing.T) {
	OnEach(t, func(t *testing.T, url string) {
		s, author := openWithUser(t, engine.Options{URL: url})
		_, other := eventAndOther(t, s, author)
		require.NoError(t, s.Blocks.Add(t.Context(), block.Block{By: other, Whom: author, Created: noon}))
		require.NoError(t, s.Write(t.Context(), func(tx *engine.Tx) error {
			people.Notify(tx, notification.Notice{
				Source: notification.Source{Kind: notification.Follow, By: other, Object: int64(author)}, To: author, Created: noon,
			})
			return nil
		}))
		list, err := s.Notifications.List(t.Context(), author, page.CursorRequest{})
		require.NoError(t, err)
		assert.Empty(t, list.Items)
	})
}
