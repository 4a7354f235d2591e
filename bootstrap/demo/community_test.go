package demo_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/event"
	"plaza/domain/feed"
	"plaza/domain/notification"
	"plaza/domain/page"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

// The demo's first person follows people who have written in the last days, also for their contacts, has a few unread
// notifications of every kind, and followers of whom some are contacts. One person blocks another one.
func TestADM04_the_demo_shows_a_community(t *testing.T) {
	const yuan = user.ID(1)
	w := loaded(t)
	timeline, err := w.diary.Timeline(t.Context(), actor(yuan), page.Behind(page.Cursor{}, 6))
	require.NoError(t, err)
	assert.NotZero(t, timeline.Next, "it has more than one page")
	authors, permissions := map[user.ID]bool{}, map[event.Permission]bool{}
	for _, shown := range timeline.Items {
		assert.Less(t, today().Sub(shown.State().Created), 8*24*time.Hour, shown.Text().Title)
		authors[shown.Author()], permissions[shown.State().Permission] = true, true
	}
	assert.Len(t, authors, 3)
	assert.Equal(t, map[event.Permission]bool{event.Public: true, event.Contact: true}, permissions)

	list, err := w.ports.Notifications.List(t.Context(), yuan, page.Behind(page.Cursor{}, page.MaxSize))
	require.NoError(t, err)
	assert.Len(t, list.Items, page.MaxSize, "others have been read")
	unread := map[notification.Kind]int{}
	for _, n := range list.Items {
		if !n.IsRead {
			unread[n.Kind]++
		}
	}
	assert.Equal(t, map[notification.Kind]int{notification.Comment: 1, notification.Follow: 1, notification.Like: 6}, unread)
	for _, a := range w.accounts() {
		n, err := w.ports.Notifications.Unread(t.Context(), a.User)
		require.NoError(t, err)
		assert.LessOrEqual(t, n, 20, "%d has looked at them", a.User)
	}

	followers, err := w.ports.Subscriptions.List(t.Context(), subscription.Query{Followed: yuan})
	require.NoError(t, err)
	var ids []user.ID
	for _, s := range followers.Items {
		ids = append(ids, s.User)
	}
	relations, err := w.ports.Subscriptions.Relations(t.Context(), yuan, ids)
	require.NoError(t, err)
	assert.Equal(t, map[user.ID]subscription.Relation{
		11: subscription.Stranger, 6: subscription.Contact, 3: subscription.Stranger, 2: subscription.Contact,
	}, relations)

	const beatriz, meera = user.ID(11), user.ID(12)
	blocked, err := w.ports.Blocks.List(t.Context(), meera, page.Request{})
	require.NoError(t, err)
	require.Len(t, blocked.Items, 1)
	assert.Equal(t, beatriz, blocked.Items[0].Whom)
}

func TestFED11_the_demo_has_texts_to_read_in_several_languages(t *testing.T) {
	w := loaded(t)
	for id, want := range map[int64][]string{2: {"zh", "es", "fr"}, 9: {"fr", "es"}, 24: {"zh"}} {
		opened, err := w.store.Feed().Card(t.Context(), feed.Publication, id)
		require.NoError(t, err)
		assert.NotEmpty(t, opened.HTML)
		var languages []string
		for _, other := range opened.Translations {
			languages = append(languages, other.Language)
			in, err := w.store.Feed().Card(t.Context(), feed.Publication, other.ID)
			require.NoError(t, err)
			assert.NotEmpty(t, in.HTML, other.Title)
		}
		assert.Equal(t, want, languages)
	}
}
