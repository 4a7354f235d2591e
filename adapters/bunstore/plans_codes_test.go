package bunstore

import (
	"cmp"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/user"
	"plaza/domain/verification"
)

// attackedUses are 50,000 tries of one number from one address in an hour, and as many requests, with the networks of the
// address.
const attackedUses = "INSERT INTO code_uses (use, number, prefix, source, at)" +
	" SELECT CASE n %% 2 WHEN 0 THEN 'tried' ELSE 'requested' END, '8613800000001', '861380000'," +
	" CASE n / 2 %% 4 WHEN 0 THEN '2001:db8:1::/48' WHEN 1 THEN '2001:db8:1:200::/56' ELSE '2001:db8:1:2a3::/64' END, %s FROM %s"

// mostRead returns the rows that the limits may read at most.
func mostRead(limits []verification.Limit) (most int) {
	for _, l := range limits {
		most += l.Max
	}
	return most
}

// useThatFills returns the statement that finds the use of the attacked number that fills the limit, and its parameters.
func useThatFills(t *testing.T, use verification.Use, l verification.Limit) (statement string, args []any) {
	t.Helper()
	phone, err := user.ParsePhone("+86-13800000001")
	require.NoError(t, err)
	ofGroup := map[verification.Grouping]string{verification.ByNumber: "useOfNumber", verification.ByPrefix: "useOfPrefix"}
	now := time.UnixMicro(0)
	group := l.Grouping.Group(verification.NumberOf(phone), netip.MustParseAddr("2001:db8:1:2a3::"))
	return constants[cmp.Or(ofGroup[l.Grouping], "useOfSource")].Postgres, []any{use, group, now.Add(-l.Window), now, l.Max - 1}
}

var codeLimits = map[verification.Use][]verification.Limit{
	verification.Requested: verification.RequestLimits(), verification.Tried: verification.TryLimits(),
}

func TestAUT15_limits_of_codes_read_what_they_count_on_Postgres(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	_, conn := filledPostgres(t, fmt.Sprintf(attackedUses, "to_timestamp(n * 0.018)", "generate_series(1, 200000) n"))
	for use, limits := range codeLimits {
		most := mostRead(limits)
		rows := 0.0
		for _, l := range limits {
			statement, values := useThatFills(t, use, l)
			args := make([]string, len(values))
			for i, value := range values {
				args[i] = fmt.Sprintf("'%v'", value)
				if at, is := value.(time.Time); is {
					args[i] = "'" + at.Format(time.RFC3339Nano) + "'"
				}
			}
			for _, scan := range explain(t, conn, statement, args...).scans() {
				assert.NotEqual(t, "Seq Scan", scan.Node)
				rows += scan.read()
			}
		}
		assert.LessOrEqual(t, rows, float64(most), use)
	}
}

func TestAUT15_limits_of_codes_read_what_they_count_on_SQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	t.Parallel()
	s, conn := filledSQLite(t, fmt.Sprintf(attackedUses, "n * 18000",
		"(WITH RECURSIVE s (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s LIMIT 200000) SELECT n FROM s)"))
	for use, limits := range codeLimits {
		most := mostRead(limits)
		all := 0
		for _, l := range limits {
			statement, args := useThatFills(t, use, l)
			for i, arg := range args {
				if at, is := arg.(time.Time); is {
					args[i] = s.Dialect.Instant(at)
				}
			}
			_, steps := run(t, conn, sqliteRead{statement: statement, args: args})
			all += steps
		}
		assert.LessOrEqual(t, all, 12*most, use)
	}
}
