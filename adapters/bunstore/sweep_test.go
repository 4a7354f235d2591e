package bunstore

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore/internal/engine"
)

func TestSweeps_report_their_result(t *testing.T) {
	var results []error
	s, _ := openWithUser(t, engine.Options{
		URL: MigratedSQLite(t),
		Swept: func(began time.Time, err error) {
			assert.WithinRange(t, began, time.Now().Add(-time.Minute), time.Now())
			results = append(results, err)
		},
	})
	results = nil
	s.Sweep(t.Context(), expiredTranslations(noon)...)
	require.Len(t, results, 1)
	assert.NoError(t, results[0])
	_, err := s.Writer.ExecContext(t.Context(), "DROP TABLE translation_claims")
	require.NoError(t, err)
	s.Sweep(t.Context(), expiredTranslations(noon)...)
	require.Len(t, results, 2)
	assert.ErrorContains(t, results[1], "translation_claims")
}
