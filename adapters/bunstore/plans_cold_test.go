package bunstore

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// readWhole are what statements that are not hot reads may read without an index: lists that are kept short by a limit,
// tables of few rows, and all content, when a record with a cover is erased.
var readWhole = []string{
	"SCAN counted", "SCAN i", "SCAN import_completion", "SCAN import_covers", "SCAN reconciliations",
	"SCAN publications", "SCAN nodes", "SCAN demands",
}

func TestCold_statements_of_SQLite_use_indexes(t *testing.T) {
	s, conn := filledSQLite(t)
	all := map[string][]string{}
	for _, group := range []any{
		s.sql.eventSteps, s.sql.tokenSteps, s.sql.imageSteps, s.sql.rateLimitSteps, s.sql.quotaSteps, s.sql.throttleSteps,
		s.sql.keySteps, s.sql.telemetrySteps, s.sql.personalSteps,
	} {
		partsOf(t, reflect.ValueOf(group), "", all)
	}
	require.NotEmpty(t, all)
	for name, parts := range all {
		statement := strings.Join(parts, "")
		if statement == "" { // Postgres alone needs it
			continue
		}
		for _, access := range explainSQLite(t, conn, sqliteRead{statement: statement, args: make([]any, 30)}) {
			if strings.HasPrefix(access, "SCAN ") && !strings.Contains(access, "USING") {
				assert.True(t, slices.Contains(readWhole, access), "%s: %s", name, access)
			}
		}
	}
}
