package command

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/settings"
)

func TestServe_greets_on_a_terminal_alone(t *testing.T) {
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("this system has no terminals for tests: %v", err)
	}
	defer terminal.Close()
	file, err := os.CreateTemp(t.TempDir(), "")
	require.NoError(t, err)
	defer file.Close()
	text, json := settings.Config{LogFormat: "text"}, settings.Config{LogFormat: "json"}
	assert.True(t, greets(text, terminal))
	assert.False(t, greets(json, terminal))
	assert.False(t, greets(text, file))
	assert.False(t, greets(text, &bytes.Buffer{}))
}
