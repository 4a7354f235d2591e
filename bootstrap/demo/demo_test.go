package demo_test

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"
	"plaza/bootstrap/demo"
	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/page"
	"plaza/domain/secret"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

func TestKnownAccountsLogIn(t *testing.T) {
	w := loadedAlone(t)
	door := doorOf(w.ports)
	logins, err := demo.Logins()
	require.NoError(t, err)
	require.Len(t, logins, 4)
	for i, name := range []string{"+86-13800000001", "+86-13800000002", "+34-600000003", "+1-2025550104"} {
		assert.Equal(t, name, logins[i].Username)
		assert.Equal(t, "plaza-demo", logins[i].Password)
		assert.Equal(t, []string{"沈予安", "顾清", "Inés Vidal Montaner", "Nora Ashcombe"}[i], logins[i].Name)
		key, err := door.Login(t.Context(), signin.Login{
			Username: name, Password: secret.New(logins[i].Password), From: netip.MustParseAddr("192.0.2.1"),
		}, nil)

		require.NoError(t, err, name)
		who, err := door.Authenticate(t.Context(), key)
		require.NoError(t, err, name)
		assert.Equal(t, user.ID(i+1), who.ID, name)
		want := access.DefaultScopes()
		if i+1 == 4 {
			want = access.AllScopes()
		}
		assert.Equal(t, want, who.Scopes, name)
	}
}

func TestRelations(t *testing.T) {
	w := loaded(t)
	relation := func(viewer, author user.ID) subscription.Relation {
		found, err := w.ports.Subscriptions.Relations(t.Context(), viewer, []user.ID{author})
		require.NoError(t, err)
		return found[author]
	}
	follows := func(who, whom user.ID) bool {
		return slices.ContainsFunc(w.subscriptions(who), func(s subscription.Subscription) bool { return s.Followed == whom })
	}
	assert.Equal(t, subscription.Contact, relation(1, 2))
	assert.Equal(t, subscription.Contact, relation(2, 1))
	assert.True(t, follows(3, 1))
	assert.False(t, follows(1, 3))
	assert.Equal(t, subscription.Stranger, relation(3, 1))
	assert.Greater(t, len(w.of(1, 2)), len(w.of(3, 2)), "a contact sees more than a stranger")
}

func TestEventsInEveryState(t *testing.T) {
	w := loaded(t)
	for _, id := range []user.ID{1, 2, 3} {
		counts := map[event.StatusPermission]int{}
		for _, shown := range w.of(id, id) {
			s := shown.State()
			counts[event.StatusPermission{Status: s.Status, Permission: s.Permission}]++
		}
		for _, state := range event.VisibleStates(subscription.Self) {
			assert.Positive(t, counts[state], "uid %d has no event with %+v", id, state)
		}
	}
	assert.Greater(t, len(w.of(3, 1)), page.DefaultSize, "a stranger sees a second page of uid 1's events")
}
