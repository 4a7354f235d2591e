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

func TestServe_greets_with_the_back_office(t *testing.T) {
	l, err := bootstrap.Listen(settings.Config{Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0"})
	require.NoError(t, err)
	defer l.Close()
	for where, url := range map[string]string{"admin": l.AdminURL(), "public": l.URL()} {
		var out bytes.Buffer
		greet(&out, l, settings.Config{BackOffice: where}, false)
		assert.Contains(t, out.String(), "  Back office     "+url+"/back-office/\n")
	}
	var out bytes.Buffer
	greet(&out, l, settings.Config{BackOffice: "off"}, false)
	assert.NotContains(t, out.String(), "Back office")
}

func TestServe_greets_with_the_pages_of_the_sandboxes(t *testing.T) {
	l, err := bootstrap.Listen(settings.Config{Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0"})
	require.NoError(t, err)
	defer l.Close()
	var out bytes.Buffer
	greet(&out, l, settings.Config{
		Wallet: "sandbox", WalletURL: "http://box", SMSConfig: settings.SMSConfig{SMS: "sandbox", SMSURL: "http://box/sms/"},
	}, false)
	assert.Contains(t, out.String(), "  Wallet sandbox  http://box/\n  SMS sandbox     http://box/sms/\n")
}
