package e2e

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// reconciled is what the command prints.
type reconciled struct {
	OK                          bool
	Payments, Refunds, Repaired int
	Findings                    []struct {
		Kind        string
		Transaction string `json:"transaction_id"`
		Order       int64
	}
}

// reconcileArgs are the arguments of the command.
func (s *shop) reconcileArgs(day string) []string {
	return append(append(append([]string{"order", "reconcile", "--json", "--day=" + day}, s.settings...), s.store...), "--wallet-timeout=10s")
}

// reconciles runs the command. Its status is zero if nothing differs.
func (s *shop) reconciles(t *testing.T, day string) (r reconciled, errOut string, status int) {
	t.Helper()
	out, errOut, status := run(t, nil, s.reconcileArgs(day)...)
	if out != "" {
		require.NoError(t, json.Unmarshal([]byte(out), &r), out)
	}
	return r, errOut, status
}
