package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
