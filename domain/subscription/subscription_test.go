package subscription_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

func TestEVT08_contacts_follow_each_other(t *testing.T) {
	for _, c := range []struct {
		viewer, author  int64
		follows, isBack bool
		isBlocked       bool
		want            subscription.Relation
	}{
		{1, 1, false, false, false, subscription.Self},
		{1, 2, true, true, false, subscription.Contact},
		{1, 2, true, false, false, subscription.Stranger},
		{1, 2, false, true, false, subscription.Stranger},
		{0, 2, false, false, false, subscription.Stranger},
		{0, 0, false, false, false, subscription.Stranger}, // the zero users are not the same user
		{1, 2, false, false, true, subscription.Blocked},   // MOD-02
		{1, 2, true, true, true, subscription.Blocked},
	} {
		got := subscription.Relate(user.ID(c.viewer), user.ID(c.author), c.follows, c.isBack, c.isBlocked)
		assert.Equal(t, c.want, got, "%+v", c)
	}
}

func TestSUB04_nobody_follows_themselves(t *testing.T) {
	_, err := subscription.ToUser(5, 5, time.Now())
	f, ok := fault.As(err)
	require.True(t, ok)
	assert.Contains(t, f.Fields, "followed_user")
}

func TestSUB02_types_and_filters(t *testing.T) {
	person, err := subscription.ToUser(1, 2, time.Now())
	require.NoError(t, err)
	category := subscription.ToCategory(1, 9, time.Now())
	assert.EqualValues(t, 100, person.EntityType())
	assert.EqualValues(t, "follow_user", person.Type())
	assert.EqualValues(t, 200, category.EntityType())
	assert.EqualValues(t, "follow_category", category.Type())

	all := subscription.Query{User: 1}
	people := subscription.Query{User: 1, EntityType: subscription.User}
	categories := subscription.Query{User: 1, Type: subscription.FollowCategory}
	for _, c := range []struct {
		q                subscription.Query
		person, category bool
	}{
		{all, true, true}, {people, true, false}, {categories, false, true}, {subscription.Query{User: 2}, false, false},
		{subscription.Query{Followed: 2}, true, false}, {subscription.Query{Followed: 1}, false, false}, // SUB-05
		{subscription.Query{User: 1, Followed: 2}, true, false}, {subscription.Query{User: 2, Followed: 2}, false, false},
		{subscription.Query{}, false, false},
	} {
		assert.Equal(t, c.person, c.q.Admits(person))
		assert.Equal(t, c.category, c.q.Admits(category))
	}
}
