package bunstore

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
	"plaza/domain/audit"
)

// No test can make a database fail only at the commit.
func TestA_record_whose_commit_fails_is_not_written(t *testing.T) {
	s, err := Open(t.Context(), engine.Options{URL: MigratedSQLite(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	ctx := audit.With(t.Context(), audit.OnAccount(audit.AccountDisabled, 5))
	for _, committed := range []bool{false, true} {
		joining := s.auditEntry(ctx)
		require.NotNil(t, joining)
		require.NoError(t, s.WriteAside(ctx, joining.Last))
		joining.Ended(committed)
		_, written := audit.Written(ctx)
		assert.Equal(t, committed, written)
	}
}
