package bunstore_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPools(t *testing.T) {
	for name, want := range map[string][]string{"SQLite": {"reader", "writer"}, "Postgres": {"requests"}} {
		t.Run(name, func(t *testing.T) {
			s := open(t, databases[name](t))
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
}
