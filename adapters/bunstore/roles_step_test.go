package bunstore

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/migrations"
	testserver "plaza/test/postgres"
)

func TestOFF03_accounts_that_were_of_staff_become_admins(t *testing.T) {
	for name, on := range map[string]struct {
		files fs.FS
		url   func() string
	}{
		"sqlite":   {migrations.SQLite, func() string { return "sqlite:" + t.TempDir() + "/plaza.db" }},
		"postgres": {migrations.Postgres, func() string { return testserver.Empty(t) }},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && name == "postgres" {
				t.Skip("make test-all runs this")
			}
			before, all, url := map[string]string{}, map[string]string{}, on.url()
			require.NoError(t, fs.WalkDir(on.files, name, func(path string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				text, err := fs.ReadFile(on.files, path)
				step := strings.TrimSuffix(d.Name(), ".sql")
				if all[step] = string(text); step < "0016" {
					before[step] = string(text)
				}
				return err
			}))
			s := program(t, url, before)
			_, err := s.Migrate(t.Context())
			require.NoError(t, err)
			for _, staff := range []string{"true", "false"} {
				do(t, s, `INSERT INTO users (phone, password_hash, scopes, staff, disabled, generation, firstname, lastname, expertise, location,
					timezone, joined) SELECT '`+staff+`', '', scopes, `+staff+`, false, 0, '', '', '', '', '', joined FROM (`+
					map[string]string{"sqlite": "SELECT '[]' AS scopes, 0 AS joined", "postgres": "SELECT '{}'::text[] AS scopes, now() AS joined"}[name]+`) q`)
			}
			s = program(t, url, all)
			_, err = s.Migrate(t.Context())
			require.NoError(t, err)
			var roles []string
			require.NoError(t, s.Writer.NewRaw("SELECT CAST(roles AS text) FROM users ORDER BY phone").Scan(t.Context(), &roles))
			assert.Equal(t, map[string][]string{"sqlite": {"[]", `["admin"]`}, "postgres": {"{}", "{admin}"}}[name], roles)
		})
	}
}
