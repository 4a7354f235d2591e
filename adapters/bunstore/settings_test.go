package bunstore_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
	"plaza/adapters/bunstore/internal/engine"
	"plaza/test/postgres"
)

// TestSettings_that_do_not_fit_are_named: what a connection sets itself is not among them but behind a
// pooler; that the others make no difference is shown by the suites of ports, whose databases have them.
func TestSettings_that_do_not_fit_are_named(t *testing.T) {
	for setting, c := range map[string]struct {
		value        string
		behindPooler bool
		says         string
	}{
		"bytea_output":                  {"escape", true, `bytea_output is "escape" and must be "hex"`},
		"intervalstyle":                 {"iso_8601", true, `intervalstyle is "iso_8601" and must be "postgres"`},
		"default_transaction_read_only": {"on", false, `default_transaction_read_only is "on" and must be "off"`},
		"session_replication_role":      {"replica", false, `session_replication_role is "replica" and must be "origin"`},
		"search_path":                   {"nowhere", false, "search_path names no schema that exists"},
	} {
		t.Run(setting, func(t *testing.T) {
			at := postgres.Empty(t)
			s, err := bunstore.Open(t.Context(), bunstore.Options{URL: at, Uncached: c.behindPooler, Connections: 1})
			require.NoError(t, err)
			require.NoError(t, s.Close())
			require.NoError(t, postgres.Set(at, setting, c.value))
			_, err = bunstore.Open(t.Context(), bunstore.Options{URL: at, Uncached: c.behindPooler})
			assert.ErrorIs(t, err, engine.ErrSettings)
			assert.ErrorContains(t, err, c.says)
		})
	}
}

// TestNew_connections_that_are_refused_are_noticed: those that are open would serve on for an hour.
func TestNew_connections_that_are_refused_are_noticed(t *testing.T) {
	at, elsewhere := postgres.Empty(t), postgres.Empty(t)
	s := bunstore.Opened(t, bunstore.Options{URL: at})
	s.OpenAtEveryPing()
	require.NoError(t, s.Ping(t.Context()))
	u, err := url.Parse(at)
	require.NoError(t, err)
	other, err := pgx.Connect(t.Context(), elsewhere)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, other.Close(context.Background())) })
	for _, takes := range []bool{false, true} {
		_, err := other.Exec(t.Context(), fmt.Sprintf("ALTER DATABASE %s ALLOW_CONNECTIONS %t",
			pgx.Identifier{strings.TrimPrefix(u.Path, "/")}.Sanitize(), takes))
		require.NoError(t, err)
		if err := s.Ping(t.Context()); takes {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, "it refuses new connections: ")
			assert.ErrorIs(t, err, engine.ErrSettings)
		}
	}
}
