package bootstrap_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
)

// parsed returns the checked settings of the flags.
func parsed(t *testing.T, flags ...string) (settings.Config, error) {
	t.Helper()
	var command struct{ settings.Config }
	p, err := settings.NewParser(&command)
	require.NoError(t, err)
	_, err = p.Parse(flags)
	require.NoError(t, err, "wrong settings do not stop the parser")
	return bootstrap.Check(command.Config)
}
