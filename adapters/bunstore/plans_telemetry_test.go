package bunstore

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/telemetry"
)

// The payments of a hundred thousand orders: nearly all are applied, a few need review, and a few prepayments are open. The
// orders themselves are left out, which saves most of the time.
const (
	manyPaidPostgres = `
SET session_replication_role = replica;
INSERT INTO prepayments (order_id, out_trade_no, end_type, app, open_id, state, request, prepay_id, code_url, mweb_url, created)
	SELECT n, 'p' || n, 0, 'official_account', '', CASE WHEN n % 10000 = 0 THEN 'live' ELSE 'paid' END, 'r', '', '', '', now() - n * interval '1 minute'
	FROM generate_series(1, 100000) n;
INSERT INTO payments (order_id, transaction_id, out_trade_no, state, amount, currency, received)
	SELECT n, 't' || n, 'p' || n, CASE WHEN n % 5000 = 0 THEN 'disputed' ELSE 'applied' END, 990, 'CNY', now() - n * interval '1 minute'
	FROM generate_series(1, 100000) n;
INSERT INTO discards (key, due) SELECT 'private/' || n, now() FROM generate_series(1, 20000) n;
INSERT INTO translation_days SELECT 'pseudo', '2000-01-01Z'::timestamptz + n * interval '1 day', n FROM generate_series(1, 10000) n;`

	manyPaidSQLite = `
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100000)
INSERT INTO prepayments (order_id, out_trade_no, end_type, app, open_id, state, request, prepay_id, code_url, mweb_url, created)
	SELECT n, 'p' || n, 0, 'official_account', '', CASE WHEN n % 10000 = 0 THEN 'live' ELSE 'paid' END, x'00', '', '', '', 1100000 - n FROM c;
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 100000)
INSERT INTO payments (order_id, transaction_id, out_trade_no, state, amount, currency, received)
	SELECT n, 't' || n, 'p' || n, CASE WHEN n % 5000 = 0 THEN 'disputed' ELSE 'applied' END, 990, 'CNY', 1100000 - n FROM c;
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 20000)
INSERT INTO discards (key, due) SELECT 'private/' || n, 0 FROM c;
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 10000)
INSERT INTO translation_days SELECT 'pseudo', n * 86400000000, n FROM c;`
)

// sampleRows is the most rows that a sample may read where there are twenty disputed payments: those, the oldest
// prepayment, a day's spending, the completion of an import, and the pictures up to where counting ends.
const sampleRows = telemetry.MaxCount + 20 + 4

func TestTelemetry_reads_only_what_it_counts(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	s, conn := filledPostgres(t, manyPaidPostgres)
	day := time.Date(2010, 1, 1, 0, 0, 0, 0, time.UTC)
	sample, err := s.Telemetry().Sample(t.Context(), telemetry.Query{Translator: "pseudo", Day: day})
	require.NoError(t, err)
	assert.Equal(t, 20, sample.Disputed)
	assert.Zero(t, sample.RefundDue)
	assert.Equal(t, telemetry.MaxCount, sample.Deletions)
	assert.EqualValues(t, 3653, sample.Spent)
	assert.NotZero(t, sample.OldestPrepayment)
	var read float64
	var used []string
	for _, scan := range explain(t, conn, s.sql.sample, "'pseudo'", "'2010-01-01Z'").scans() {
		// Pictures are counted up to a bound, in any order; the completion is one row; of the others there are none.
		if !slices.Contains([]string{"discards", "import_completion", "refunds", "findings", "reconciliations"}, scan.Relation) {
			assert.NotEqual(t, "Seq Scan", scan.Node, scan.Relation)
		}
		used = append(used, scan.Index)
		read += scan.read()
	}
	for _, index := range []string{"payments_of_state", "prepayments_oldest_live", "translation_days_pkey"} {
		assert.Contains(t, used, index)
	}
	assert.LessOrEqual(t, read, float64(sampleRows))
}

func TestTelemetry_on_SQLite_reads_only_what_it_counts(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	path := filepath.Join(t.TempDir(), "plaza.db")
	s, _ := openWithUser(t, Options{URL: "sqlite:" + path})
	withRawConn(t, path, func(ctx context.Context, db *sql.Conn) {
		_, err := db.ExecContext(ctx, manyPaidSQLite)
		require.NoError(t, err)
	})
	conn, err := s.dialect.(sqlite).reader.Conn(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	sample := sqliteRead{statement: s.sql.sample, args: []any{"pseudo", int64(3653 * 86400000000)}}
	assert.ElementsMatch(t, []string{
		"SEARCH payments USING COVERING INDEX payments_of_state (state=?)",
		"SCAN payments USING INDEX payments_still_due", "SEARCH refunds USING COVERING INDEX refunds_of_state (state=?)",
		"SCAN prepayments USING INDEX prepayments_oldest_live",
		"SCAN discards USING COVERING INDEX sqlite_autoindex_discards_1",
		"SEARCH translation_days USING INDEX sqlite_autoindex_translation_days_1 (translator=? AND day=?)",
		"SCAN import_completion", "SCAN counted", "SCAN reconciliations", "SEARCH findings USING INDEX findings_open (kind=?)",
	}, explainSQLite(t, conn, sample))
	rows, steps := run(t, conn, sample)
	assert.Equal(t, 1, rows)
	assert.LessOrEqual(t, steps, 10*sampleRows)
	found, err := s.Telemetry().Sample(t.Context(), telemetry.Query{Translator: "pseudo", Day: time.UnixMicro(3653 * 86400000000)})
	require.NoError(t, err)
	assert.Equal(t, telemetry.Sample{
		Disputed: 20, OldestPrepayment: time.UnixMicro(1_000_000).UTC(), Deletions: telemetry.MaxCount, Spent: 3653,
	}, found)
}
