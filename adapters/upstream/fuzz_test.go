package upstream

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzRetryAfter reads any Retry-After: seconds as they are, a date as the time until then,
// and anything else as absent.
func FuzzRetryAfter(f *testing.F) {
	for _, header := range []string{"", "0", "7", "-1", "+7", "1.5", "1e9", "2147483647", "2147483648", "99999999999999999999",
		"Fri, 31 Dec 9999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 GMT", "Friday, 20-Nov-26 12:00:00 GMT", "\u0663", "7, 8"} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		got := retryAfter(header)
		require.GreaterOrEqual(t, got, time.Duration(0))
		if n, err := strconv.Atoi(header); err == nil && header[0] != '+' && header[0] != '-' && n < 1<<31 {
			require.Equal(t, time.Duration(n)*time.Second, got)
			return
		}
		if len(header) < len(time.ANSIC) {
			require.Zero(t, got, "%q", header)
		}
	})
}
