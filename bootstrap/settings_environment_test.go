package bootstrap_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
)

// fileWith returns the path of a new file with the content.
func fileWith(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestSecrets_are_read_from_files(t *testing.T) {
	t.Setenv("PLAZA_DATABASE_URL_FILE", fileWith(t, "postgres://me:hunter22@db/plaza\n"))
	t.Setenv("PLAZA_WALLET_KEY_FILE", fileWith(t, " key of the wallet \r\n"))
	t.Setenv("PLAZA_MEDIA_SECRET_FILE", fileWith(t, "two\nlines\n\n"))
	t.Setenv("PLAZA_TRANSLATOR_KEY", "")
	t.Setenv("PLAZA_TRANSLATOR_KEY_FILE", fileWith(t, "no newline"))
	c, err := parsed(t)
	require.NoError(t, err)
	assert.Equal(t, "postgres://me:hunter22@db/plaza", c.DatabaseURL)
	assert.Equal(t, " key of the wallet ", c.WalletKey.Reveal())
	assert.Equal(t, "two\nlines\n", c.MediaSecret.Reveal(), "one newline is the end of the line")
	assert.Equal(t, "no newline", c.TranslatorKey.Reveal(), "an empty variable is a missing one")

	c, err = parsed(t, "--database-url=memory:")
	require.NoError(t, err)
	assert.Equal(t, "memory:", c.DatabaseURL, "a flag overrides the file")
	t.Setenv("PLAZA_DATABASE_URL_FILE", "")
	c, err = parsed(t)
	require.NoError(t, err)
	assert.Equal(t, "sqlite:var/plaza.db", c.DatabaseURL, "an empty variable names no file")
}

func TestSecrets_that_can_not_be_read_are_told_together(t *testing.T) {
	t.Setenv("PLAZA_DATABASE_URL_FILE", filepath.Join(t.TempDir(), "lost"))
	t.Setenv("PLAZA_WALLET_KEY", "hunter22")
	t.Setenv("PLAZA_WALLET_KEY_FILE", fileWith(t, "hunter23"))
	t.Setenv("PLAZA_MEDIA_SECRET_FILE", fileWith(t, "\n"))
	t.Setenv("PLAZA_TRANSLATOR_KEY_FILE", fileWith(t, strings.Repeat("x", 64<<10)+"x"))
	_, err := parsed(t, "--log-level=loud")
	require.ErrorContains(t, err, "PLAZA_DATABASE_URL_FILE: open ")
	require.ErrorContains(t, err, "PLAZA_WALLET_KEY_FILE: PLAZA_WALLET_KEY is set as well; set only one of them")
	require.ErrorContains(t, err, "PLAZA_MEDIA_SECRET_FILE: ")
	require.ErrorContains(t, err, "is empty")
	require.ErrorContains(t, err, "has more than 65536 bytes")
	require.ErrorContains(t, err, "PLAZA_LOG_LEVEL: ")
	assert.NotContains(t, err.Error(), "hunter2")
	t.Setenv("PLAZA_DATABASE_URL_FILE", fileWith(t, "mysql://hunter22@db"))
	_, err = parsed(t)
	require.ErrorContains(t, err, "PLAZA_DATABASE_URL_FILE: must be postgres://", "the file is named, not the variable")
	assert.NotContains(t, err.Error(), "hunter2")
}

func TestUnknown_settings_are_warned_of(t *testing.T) {
	for variable, value := range map[string]string{"PLAZA_SHOE_SIZE": "hunter22", "PLAZA_TEST_ANYTHING": "1", "PLAZA_WALLET_KEY_FILE": ""} {
		t.Setenv(variable, value)
	}
	sh := newShell(t)
	for _, args := range [][]string{{"user", "list"}, {"migrate", "status"}, {"config"}} {
		said := sh.run(args...).ends(done).err
		assert.Contains(t, said, `msg="unknown setting is ignored" variable=PLAZA_SHOE_SIZE`+"\n", "%v", args)
		assert.Equal(t, 1, strings.Count(said, "unknown setting"), "%v: %s", args, said)
		assert.NotContains(t, said, "hunter22", "it may be a secret")
	}
	t.Setenv("PLAZA_DATABSE_URL", "hunter22")
	t.Setenv("PLAZA_ADDR_FILE", "hunter22")
	for _, args := range [][]string{{"user", "list"}, {"serve"}} {
		said := sh.run(args...).ends(misused).err
		assert.Contains(t, said, "PLAZA_DATABSE_URL: is no setting: did you mean PLAZA_DATABASE_URL?", "%v", args)
		assert.Contains(t, said, "PLAZA_ADDR_FILE: is no setting: did you mean PLAZA_ADDR?", "%v: only secrets are read from files", args)
		assert.NotContains(t, said, "hunter22", "it may be a secret")
	}
	var out, errOut bytes.Buffer
	require.Equal(t, done, bootstrap.Run([]string{"version"}, &out, &errOut))
	assert.Empty(t, errOut.String(), "a command without settings")
}
