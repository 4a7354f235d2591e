package bunstore

import (
	"path/filepath"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// completions returns the statements that complete a key, by their names.
func completions(t *testing.T, s *Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	textsIn(reflect.ValueOf(s.sql.keySteps), func(name, text string) { all[name] = text })
	require.Len(t, all, 5)
	return all
}

func TestGEN13_a_key_is_completed_by_its_index(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	s, conn := filledPostgres(t, populousOrders)
	for name, statement := range completions(t, s) {
		t.Run(name, func(t *testing.T) {
			args := []string{"1", "'k77'", `'\x00'`}
			if name == "completeSubscription" {
				args = append(args, "'subscription'", "5")
			}
			for _, scan := range explain(t, conn, statement, args...).scans() {
				if scan.Node != "ModifyTable" {
					assert.Equal(t, "idempotency_keys_pkey", scan.Index, scan.Relation)
					assert.LessOrEqual(t, scan.read(), 1.0)
				}
			}
		})
	}
}

func TestGEN13_a_key_of_SQLite_is_completed_by_its_index(t *testing.T) {
	s, _ := openWithUser(t, Options{URL: "sqlite:" + filepath.Join(t.TempDir(), "plaza.db")})
	conn, err := s.dialect.(sqlite).reader.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	parameters := map[string]int{"completeSubscription": 5, "completeEvent": 3, "completePlate": 3, "completeComment": 3, "completeImage": 3}
	for name, statement := range completions(t, s) {
		for _, access := range explainSQLite(t, conn, sqliteRead{statement: statement, args: make([]any, parameters[name])}) {
			assert.Contains(t, access, "SEARCH ", name)
		}
	}
}
