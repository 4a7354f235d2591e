package memory

import (
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/access"
)

// Attempts from ever new addresses must not fill the memory.
func TestAUT_11_failures_that_expired_are_forgotten(t *testing.T) {
	f := &New().failures
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	most := 0
	for i := range 60_000 {
		a := access.Attempt{Source: access.SourceOf(netip.AddrFrom4([4]byte{byte(i >> 24), byte(i >> 16), byte(i >> 8), byte(i)}))}
		now = now.Add(time.Minute)
		require.NoError(t, f.begin(a, now))
		if i%100 == 0 {
			f.uncount(a)
			f.recordLogin(a, now)
		}
		most = max(most, len(f.all)+len(f.usual))
	}
	// With an attempt per minute, the hour of the longest limit and 30 days of logins still count.
	living := 60 + int(access.UsualFor/(100*time.Minute))
	assert.LessOrEqual(t, most, living)
}
