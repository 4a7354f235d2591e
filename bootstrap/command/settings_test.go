package command_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestUnknown_settings_are_warned_of(t *testing.T) {
	for variable, value := range map[string]string{"PLAZA_SHOE_SIZE": "hunter22", "PLAZA_TEST_ANYTHING": "1", "PLAZA_WALLET_KEY_FILE": ""} {
		t.Setenv(variable, value)
	}
	sh := newShell(t)
	said := sh.run("migrate", "status").ends(done).err
	assert.Contains(t, said, `msg="unknown setting is ignored" variable=PLAZA_SHOE_SIZE`+"\n")
	assert.Equal(t, 1, strings.Count(said, "unknown setting"), said)
	assert.NotContains(t, said, "hunter22", "it may be a secret")
	t.Setenv("PLAZA_DATABSE_URL", "hunter22")
	t.Setenv("PLAZA_ADDR_FILE", "hunter22")
	for _, args := range [][]string{{"user", "list"}, {"serve"}} {
		said := sh.run(args...).ends(misused).err
		assert.Contains(t, said, "PLAZA_DATABSE_URL: is no setting: did you mean PLAZA_DATABASE_URL?", "%v", args)
		assert.Contains(t, said, "PLAZA_ADDR_FILE: is no setting: did you mean PLAZA_ADDR?", "%v: only secrets are read from files", args)
		assert.NotContains(t, said, "hunter22", "it may be a secret")
	}
}
