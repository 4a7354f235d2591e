package command_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type issued struct {
	ID      int64
	Key     string
	User    int64
	Scopes  []string
	Created time.Time
	Used    time.Time
	Expires time.Time
	Good    bool
}

func (sh *shell) tokens(uid string) []issued {
	sh.Helper()
	return printed[[]issued](sh, "token", "list", "--user", uid)
}

func TestAUT10_token_issue_list_and_revoke(t *testing.T) {
	sh, uid := newUser(t)
	assert.Empty(t, sh.tokens(uid))

	key := sh.run("token", "issue", "--user", uid).line()
	assert.Regexp(t, `^plz_[A-Za-z0-9_-]{43}$`, key)
	second := printed[issued](sh, "token", "issue", "--user", uid, "--scopes", "xfile_event", "--ttl", "24h")
	assert.NotEmpty(t, second.Key)
	assert.NotEqual(t, key, second.Key)

	all := sh.tokens(uid)
	require.Len(t, all, 2)
	assert.Equal(t, second.ID, all[0].ID, "the latest first")
	assert.Equal(t, []string{"xfile_event"}, all[0].Scopes)
	assert.Equal(t, 24*time.Hour, all[0].Expires.Sub(all[0].Used))
	assert.Equal(t, 720*time.Hour, all[1].Expires.Sub(all[1].Used), "as long as a login's")
	for _, token := range all {
		assert.Empty(t, token.Key)
		assert.True(t, token.Good)
	}
	table := sh.run("token", "list", "--user", uid).ends(done).out
	assert.Equal(t, 3, strings.Count(table, "\n"))
	assert.NotContains(t, table, key)

	o := sh.run("token", "revoke", key).ends(done)
	assert.NotContains(t, o.out+o.err, key)
	require.Len(t, sh.tokens(uid), 1)
	id := fmt.Sprint(second.ID)
	sh.run("token", "revoke", id).ends(done)
	assert.Empty(t, sh.tokens(uid))
	for _, gone := range []string{key, id} {
		sh.run("token", "revoke", gone).refuses(refused, "Token not found.")
	}
	o = sh.run("token", "revoke", key[:20])
	o.refuses(misused, "neither")
	assert.NotContains(t, o.err, key[:20])
}

func TestAUT08_token_issue_refuses(t *testing.T) {
	sh, uid := newUser(t)
	sh.run("token", "issue", "--user", uid, "--scopes", "fly").refuses(misused, "--scopes: Unknown scope “fly”.")
	sh.run("token", "issue", "--user", uid, "--scopes", "back_office").
		refuses(misused, "--scopes: This account does not have the scope “back_office”.")
	for _, verb := range []string{"issue", "list"} {
		sh.run("token", verb, "--user", "99").refuses(refused, "Account not found.")
	}
	for _, ttl := range []string{"1s", "month"} {
		sh.run("token", "issue", "--user", uid, "--ttl="+ttl).refuses(misused, "--ttl: ")
	}
	assert.Empty(t, sh.tokens(uid))
	sh.run("user", "disable", uid).ends(done)
	assert.Contains(t, sh.run("token", "issue", "--user", uid).ends(done).err, "is disabled")
	assert.False(t, sh.tokens(uid)[0].Good)
}
