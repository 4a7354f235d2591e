package bunstore_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/bunstore"
)

func TestPools(t *testing.T) {
	bunstore.OnEach(t, func(t *testing.T, url string) {
		want := []string{"requests"}
		if strings.HasPrefix(url, "sqlite:") {
			want = []string{"reader", "writer"}
		}
		s := open(t, url)
		require.NoError(t, s.Ping(t.Context()))
		var names []string
		for _, p := range s.Pools() {
			names = append(names, p.Name)
			assert.Positive(t, p.Max, p.Name)
			assert.LessOrEqual(t, p.Acquired+p.Idle, p.Max, p.Name)
		}
		assert.Equal(t, want, names)
		assert.Positive(t, s.Pools()[0].Idle, "the connection of the ping")
	})
}
