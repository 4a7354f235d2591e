package bunstore_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/domain/audit"
	"plaza/test/postgres"
)

func TestKept_stores_a_text_once_and_Keep_replaces_it(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, url string) {
		s := open(t, url)
		kept := func(content string) string {
			text, err := s.Kept(t.Context(), "x", content)
			require.NoError(t, err)
			return text
		}
		assert.Empty(t, kept(""))
		assert.Empty(t, kept(""), "nothing was stored")
		assert.Equal(t, "a", kept("a"))
		assert.Equal(t, "a", kept("b"))
		require.NoError(t, s.Keep(t.Context(), "x", "c"))
		assert.Equal(t, "c", kept(""))
		require.ErrorIs(t, s.Keep(audit.Reading(t.Context()), "x", "d"), audit.ErrReading)
		require.NoError(t, s.Keep(t.Context(), "y", "new"))
		assert.Equal(t, "c", kept("d"))
	})
}

func TestMigrate_says_what_a_role_lacks_that_may_not_create_tables(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	at := postgres.Empty(t)
	u, err := url.Parse(at)
	require.NoError(t, err)
	role := "visitor_of_" + strings.ToLower(strings.TrimPrefix(u.Path, "/"))
	db := rawSQL(t, at)
	_, err = db.ExecContext(t.Context(), "REVOKE CREATE ON SCHEMA public FROM PUBLIC; CREATE ROLE "+role)
	require.NoError(t, err)
	t.Cleanup(func() { _, _ = rawSQL(t, at).Exec("DROP ROLE " + role) })
	query := u.Query()
	query.Set("role", role)
	u.RawQuery = query.Encode()
	_, err = bunstore.Opened(t, bunstore.Options{URL: u.String()}).Migrate(t.Context())
	require.ErrorContains(t, err, "GRANT CREATE ON SCHEMA public")
	assert.ErrorContains(t, err, "42501")
}
