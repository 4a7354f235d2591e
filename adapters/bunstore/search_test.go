package bunstore_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/page"
	"plaza/domain/user"
)

func TestUSR08_names_from_before_and_of_older_servers_are_indexed_in_the_background(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, url string) {
		s := open(t, url)
		db := rawSQL(t, url)
		series := "(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 1001) SELECT n FROM s) s"
		execute(t, db, inDialect(url, "INSERT INTO users (phone, password_hash, scopes, staff, disabled, generation, firstname, lastname, expertise, "+
			"location, timezone, joined) SELECT '+86-' || n, '', NONE, false, false, 0, 'Ana', 'Nº ' || n, '', '', 'UTC', NOW FROM "+series))
		finds := func(name user.SearchName) (n int) {
			for after := (page.Cursor{}); ; {
				p, err := s.Accounts().Search(t.Context(), user.Search{Name: name, CursorRequest: page.Behind(after, 100)})
				require.NoError(t, err)
				n += len(p.Items)
				if after = p.Next; after == (page.Cursor{}) {
					return n
				}
			}
		}
		assert.Zero(t, finds("ana"))
		for _, want := range []struct {
			more  bool
			found int
		}{{true, 1000}, {false, 1001}, {false, 1001}} {
			more, err := s.IndexNames(t.Context())
			require.NoError(t, err)
			assert.Equal(t, want.more, more)
			assert.Equal(t, want.found, finds("ana"))
		}

		rename := "UPDATE users SET firstname = COALESCE(%s, firstname), lastname = COALESCE(%s, lastname), location = 'x' WHERE id = 3"
		unindexed := func() int64 { return column[int64](t, db, "SELECT count(*) FROM users WHERE NOT names_indexed")[0] }
		execute(t, db, fmt.Sprintf(rename, "'Ana'", "NULL"))
		assert.Zero(t, unindexed(), "its name is the same")
		execute(t, db, fmt.Sprintf(rename, "'Bo'", "NULL"))
		assert.Equal(t, int64(1), unindexed())
		assert.Equal(t, 1000, finds("ana"), "nobody is found by a former name")
		_, err := s.IndexNames(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []int{1, 1000, 0}, []int{finds("bo"), finds("ana"), int(unindexed())})
		stored := column[string](t, db, "SELECT prefix FROM name_prefixes WHERE user_id = 3")
		m := user.Member{Firstname: "Bo", Lastname: "Nº 3"}
		assert.ElementsMatch(t, m.NamePrefixes(), stored)
		require.NoError(t, s.Accounts().ChangeProfile(t.Context(), 3, user.ProfileChange{Firstname: new("Cy")}))
		assert.Zero(t, unindexed(), "this program has indexed it")
	})
}
