package bunstore_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/access"
	"plaza/domain/personaldata"
	"plaza/domain/user"
)

// An erasure finds a person's records before it locks out imports, which may give them to another author meanwhile.
func TestUSR07_records_that_have_another_author_by_now_stay(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	at := bunstore.MigratedPostgres(t)
	s, db := open(t, at), rawSQL(t, at)
	people := make([]user.ID, 2)
	for i := range people {
		phone, err := user.ParsePhone(fmt.Sprint("+86-1380000000", i))
		require.NoError(t, err)
		people[i], err = s.Accounts().Open(t.Context(), access.Account{Phone: phone}, user.Member{Timezone: "UTC", Joined: noon})
		require.NoError(t, err)
	}
	for id := range 2 {
		_, err := db.Exec(`
			INSERT INTO nodes (id, title, summary, author_id, language, published, deleted, created, updated)
			VALUES ($1, 'A title', '', $2, 'en', TRUE, FALSE, $3, $3)`, 7+id, people[0], noon)
		require.NoError(t, err)
	}
	other := aside(t, db, "SELECT pg_advisory_xact_lock(hashtextextended('imports', 0))",
		fmt.Sprintf("UPDATE nodes SET author_id = %d WHERE id = 8", people[1]))
	erased := make(chan error, 1)
	go func() {
		_, err := s.PersonalData().Erase(t.Context(), people[0], personaldata.Nodes, 10)
		erased <- err
	}()
	awaitWaiting(t, db)
	require.NoError(t, other.Commit())
	require.NoError(t, <-erased)
	assert.Equal(t, []int{8}, column[int](t, db, "SELECT id FROM nodes"))
}
