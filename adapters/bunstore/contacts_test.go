package bunstore_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/access"
	"plaza/domain/subscription"
	"plaza/domain/user"
)

func TestEVT08_contacts_are_those_who_follow_each_other_whatever_happens_at_once(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, at string) {
		s, db := open(t, at), rawSQL(t, at)
		people := make([]user.ID, 2*20)
		for i := range people {
			phone, err := user.ParsePhone(fmt.Sprintf("+86-138000000%02d", i))
			require.NoError(t, err)
			id, err := s.Accounts.Open(t.Context(), access.Account{Phone: phone},
				user.Member{Firstname: fmt.Sprint(i), Timezone: "UTC", Joined: noon})
			require.NoError(t, err)
			people[i] = id
		}
		follow := func(by, whom user.ID) subscription.ID {
			wanted, err := subscription.ToUser(by, whom, noon)
			assert.NoError(t, err)
			made, _, err := s.Subscriptions.Follow(t.Context(), wanted)
			assert.NoError(t, err)
			return made.ID
		}
		both := func(fns ...func()) {
			var all sync.WaitGroup
			for _, fn := range fns {
				all.Go(fn)
			}
			all.Wait()
		}
		contacts := func() (rows int) {
			require.NoError(t, db.QueryRow("SELECT COUNT(*) FROM contacts").Scan(&rows))
			return rows
		}
		for i := 0; i < len(people); i += 2 {
			both(func() { follow(people[i], people[i+1]) }, func() { follow(people[i+1], people[i]) })
		}
		assert.Equal(t, len(people), contacts(), "two who follow each other at once")
		for i := 0; i < len(people); i += 2 {
			mine, theirs := follow(people[i], people[i+1]), follow(people[i+1], people[i])
			require.NoError(t, s.Subscriptions.Remove(t.Context(), people[i], mine))
			both(func() { follow(people[i], people[i+1]) }, func() {
				assert.NoError(t, s.Subscriptions.Remove(t.Context(), people[i+1], theirs))
			})
		}
		assert.Zero(t, contacts(), "one begins to follow while the other ends it")
		assert.Empty(t, checked(t, s, false))
	})
}
