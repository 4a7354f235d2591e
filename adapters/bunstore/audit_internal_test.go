package bunstore

import (
	"plaza/adapters/bunstore/staff"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/audit"
)

// No test can make a database fail only at the commit.
func TestA_record_whose_commit_fails_is_not_written(t *testing.T) {
	s := Opened(t, engine.Options{URL: MigratedSQLite(t)})
	r := audit.OnAccount(audit.AccountDisabled, 0)
	r.At, r.By.Person = time.Unix(1, 0), "Ana"
	ctx := audit.With(t.Context(), r)
	for _, committed := range []bool{false, true} {
		joining := staff.AuditEntry(ctx)
		require.NotNil(t, joining)
		require.NoError(t, s.WriteAside(ctx, joining.Last))
		joining.Ended(committed)
		assert.Equal(t, committed, audit.Carried(ctx).ID != 0)
	}
}
