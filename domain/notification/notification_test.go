package notification_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/event"
	"plaza/domain/notification"
	"plaza/domain/subscription"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

func TestNTF01_others_are_told_of_comments_likes_and_followers(t *testing.T) {
	comment := notification.OfComment(event.Comment{ID: 7, Event: 5, Author: 3, Created: noon})
	like := notification.OfLike(event.Like{Event: 5, By: 3, IsLiked: true, At: noon})
	for want, n := range map[notification.Source]notification.Notice{
		{Kind: notification.Comment, By: 3, Object: 7}: comment,
		{Kind: notification.Like, By: 3, Object: 5}:    like,
	} {
		assert.Equal(t, notification.Notice{Source: want, To: 4, Created: noon}, n.For(4))
		assert.Zero(t, n.For(3).To, "one's own acts make none")
		assert.Equal(t, noon.AddDate(0, 0, 90), n.Expires())
	}
	assert.Equal(t, notification.Notice{Source: notification.Source{Kind: notification.Follow, By: 3, Object: 4}, To: 4, Created: noon},
		notification.OfFollow(subscription.Subscription{User: 3, Followed: 4, Created: noon}))
	assert.Zero(t, notification.OfFollow(subscription.Subscription{User: 3, Category: 9, Created: noon}).To, "of a category")
}
