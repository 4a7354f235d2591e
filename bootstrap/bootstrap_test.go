package bootstrap_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/argon2id"
	"plaza/bootstrap"
	"plaza/bootstrap/settings"
)

func TestMain(m *testing.M) {
	bootstrap.HashCheaply()
	status := m.Run()
	os.RemoveAll(bootstrap.DemoFolder)
	os.Exit(status)
}

func TestHashing(t *testing.T) { assert.Equal(t, argon2id.OWASP, bootstrap.Hashing) }

// parsed returns the checked settings of the flags.
func parsed(t *testing.T, flags ...string) (settings.Config, error) {
	t.Helper()
	var command struct{ settings.Config }
	p, err := settings.NewParser(&command, bootstrap.Offered())
	require.NoError(t, err)
	_, err = p.Parse(flags)
	require.NoError(t, err, "wrong settings do not stop the parser")
	return bootstrap.Check(command.Config)
}
