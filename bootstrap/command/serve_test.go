package command

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
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

func TestServe_greets_with_its_pages(t *testing.T) {
	l, err := bootstrap.Listen(settings.Config{Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0"})
	require.NoError(t, err)
	defer l.Close()
	sandboxes := settings.Config{
		Wallet: "sandbox", WalletURL: "http://box", SMSConfig: settings.SMSConfig{SMS: "sandbox", SMSURL: "http://box/sms/"},
	}
	for _, c := range []struct {
		config settings.Config
		has    string
	}{
		{settings.Config{BackOffice: "admin"}, "  Back office     " + l.AdminURL() + "/back-office/\n"},
		{settings.Config{BackOffice: "public"}, "  Back office     " + l.URL() + "/back-office/\n"},
		{sandboxes, "/readyz\n  Wallet sandbox  http://box/\n  SMS sandbox     http://box/sms/\n"},
	} {
		var out bytes.Buffer
		greet(&out, l, c.config, false)
		assert.Contains(t, out.String(), c.has)
	}
}
