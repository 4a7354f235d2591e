package command_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap/command"
)

// inForce is a setting that plaza config prints.
type inForce struct {
	Variable, Source string
	Value            *string
}

// fileWith returns the path of a new file with the content.
func fileWith(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestConfig_prints_what_is_in_force_and_where_it_comes_from(t *testing.T) {
	key := fileWith(t, "hunter22")
	for variable, value := range map[string]string{
		"PLAZA_TOKEN_TTL": "1h", "PLAZA_TRANSLATOR_URL": "https://me:hunter22@translator.example/x?key=hunter22", "PLAZA_WALLET_KEY_FILE": key,
		"PLAZA_TRANSLATOR_KEY": "hunter22", "PLAZA_MEDIA_URL": "s3://s3.example/bucket/prefix?tls=off", "PLAZA_MEDIA_KEY_ID": "id",
		"PLAZA_MEDIA_SECRET": "hunter22", "PLAZA_TRUSTED_PROXIES": "10.0.0.0/8,::1", "PLAZA_TRANSLATOR_LANGUAGES": "en,pt-br",
		"PLAZA_LOG_FORMAT": "json", "PLAZA_DATABASE_WAIT": "", "PLAZA_TRANSLATOR_BUDGET": "500",
	} {
		t.Setenv(variable, value)
	}
	sh := emptyShell(t)
	sh.database = "postgres://plaza:hunter22@db:5432/plaza?sslpassword=hunter22"
	o := sh.run("config", "--json", "--demo", "--limit-address=5/m", "--limit-address=7/m").ends(done)
	assert.NotContains(t, o.out+o.err, "hunter22")
	assert.Contains(t, o.out, `{"variable":"PLAZA_ADDR","value":"127.0.0.1:8080","source":"default"}`)
	var all []inForce
	o.reads(&all)
	got := map[string]string{}
	for _, s := range all {
		value := "-"
		if s.Value != nil {
			value = *s.Value
		}
		got[s.Variable] = value + " from " + s.Source
	}
	for variable, want := range map[string]string{
		"PLAZA_DATABASE_URL":         "postgres://plaza:***@db:5432/plaza?*** from flag --database-url",
		"PLAZA_TOKEN_TTL":            "1h0m0s from environment",
		"PLAZA_WALLET_KEY":           "*** from file " + key,
		"PLAZA_TRANSLATOR_URL":       "https://me:***@translator.example/x?*** from environment",
		"PLAZA_TRANSLATOR_LANGUAGES": "en,pt-br from environment",
		"PLAZA_TRANSLATOR_REGION":    "- from default",
		"PLAZA_LIMIT_ADDRESS":        "7/m from flag --limit-address",
		"PLAZA_TRANSLATOR":           "pseudo from default",
		"PLAZA_MEDIA_URL":            "s3://s3.example/bucket/prefix?region=us-east-1&tls=off from environment",
		"PLAZA_TRUSTED_PROXIES":      "10.0.0.0/8,::1 from environment",
		"PLAZA_LOG_LEVEL":            "warn from flag --log-level",
		"PLAZA_DATABASE_WAIT":        "30s from default",
		"PLAZA_PUBLIC_URL":           "http://127.0.0.1:8080 from default",
	} {
		assert.Equal(t, want, got[variable], variable)
	}
	for _, variable := range command.Variables() {
		if _, ofFile := got[variable[:max(0, len(variable)-len("_FILE"))]]; !ofFile && variable != "PLAZA_AS" { // who runs a command
			assert.Contains(t, got, variable)
		}
	}
}

func TestConfig_is_a_table_for_people(t *testing.T) {
	sh := emptyShell(t)
	out := sh.run("config").ends(done).out
	assert.Regexp(t, `(?m)^SETTING +VALUE +SOURCE$`, out)
	assert.Regexp(t, `(?m)^PLAZA_TRANSLATOR +none +default$`, out)
	assert.Regexp(t, `(?m)^PLAZA_TRANSLATOR_KEY +- +default$`, out)
	assert.Regexp(t, `(?m)^PLAZA_MEDIA_URL +file:`+sh.dataDir+`/media +default$`, out)
	sh.run("config", "--token-ttl=soon", "--log-format=xml").
		refuses(misused, "--token-ttl, PLAZA_TOKEN_TTL: \"soon\" is not a duration", "PLAZA_LOG_FORMAT")
	assert.NoFileExists(t, sh.dataDir+"/plaza.db")
}
