package command_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type account struct {
	UID       int64
	Username  string
	Firstname string
	Timezone  string
	Scopes    []string
	Staff     bool
	Roles     []string
	Disabled  bool
}

func (sh *shell) account(uid string) account {
	sh.Helper()
	for _, a := range printed[[]account](sh, "user", "list", "--limit", "0") {
		if strconv.FormatInt(a.UID, 10) == uid {
			return a
		}
	}
	require.Fail(sh, "no account "+uid)
	return account{}
}

func TestAUT10_user_create(t *testing.T) {
	sh := emptyShell(t)
	uid := sh.somebody("+86-13800000009") // the first command of all
	assert.Equal(t, account{
		UID: 1, Username: "+86-13800000009", Firstname: "丽", Timezone: "UTC",
		Scopes: []string{"xfile_event", "writing_bundle", "pay_trade_order"}, Roles: []string{},
	}, sh.account(uid))

	made := printed[account](sh, "user", "create", "--username", "+34-600000009", "--password", goodPassword,
		"--timezone", "Europe/Madrid", "--scopes", "writing_bundle, xfile_event", "--staff")
	assert.Equal(t, account{
		UID: 2, Username: "+34-600000009", Timezone: "Europe/Madrid", Scopes: []string{"writing_bundle", "xfile_event"}, Staff: true,
		Roles: []string{"admin"},
	}, made)

	none := sh.run("user", "create", "--username", "+34-600000010", "--password", goodPassword, "--scopes", "").line()
	assert.Empty(t, sh.account(none).Scopes)
	assert.Equal(t, sh.account(uid), printed[account](sh, "user", "show", uid))
	assert.Contains(t, sh.run("user", "show", uid).ends(done).out, "王丽")
	sh.run("user", "show", "99").refuses(refused, "Account not found.")
}

func TestAUT10_user_create_tells_all_that_is_wrong(t *testing.T) {
	sh, _ := newUser(t)
	sh.run("user", "create", "--username", "13800000009", "--password", "short", "--scopes", "fly,xfile_event",
		"--timezone", "Mars/Olympus").refuses(misused,
		"\n--username: Enter a phone number", "\n--password: This password is too short", "\n--scopes: Unknown scope “fly”",
		"\n--timezone: Unknown time zone")
	sh.run("user", "create", "--username", "123").
		refuses(misused, "\n--password: Enter a password: use --password or the standard input.\n", "\n--username: Enter a phone number")
	sh.run("user", "create", "--password", goodPassword).refuses(misused, "--username")
	sh.run("user", "create", "--username", "+86-13800000009", "--password", goodPassword).
		refuses(refused, "username: An account with this phone number exists.")
	assert.Len(t, strings.Split(strings.TrimSpace(sh.run("user", "list").ends(done).out), "\n"), 2, "a heading and one account")
}

func TestGEN08_texts_at_the_command_line_are_of_one_line(t *testing.T) {
	sh, uid := newUser(t)
	create := []string{"user", "create", "--username", "+34-600000009", "--password", goodPassword}
	for flag, command := range map[string][]string{
		"--firstname": create, "--lastname": create, "--expertise": create, "--location": create,
		"--subject": {"order", "create", "--user", uid, "--amount", "990"}, "--as": {"user", "disable", uid},
	} {
		for _, bad := range []string{"a\nb", "\u202eabc", "a\u2028b", "a\u2069", "a\ufffe", "e" + strings.Repeat("\u0316", 5)} {
			sh.run(append(command, flag, bad)...).refuses(misused, flag)
		}
	}
	for _, command := range [][]string{
		{"moderation", "hide", "event", "1"}, {"moderation", "restore", "event", "1"}, {"moderation", "decide", "1"},
		{"order", "refund", "1", "--wallet", "sandbox", "--wallet-url", "http://127.0.0.1:1"},
	} {
		sh.run(append(command, "--reason", "\u202eabc")...).refuses(misused, "reason: Characters that change the direction")
	}
	made := sh.run(append(create, "--firstname", "Suharto")...).line()
	assert.Contains(t, sh.run("user", "show", made).ends(done).out, "Suharto")
}

func TestUser_list_is_paged(t *testing.T) {
	sh := newShell(t)
	for i := range 3 {
		sh.somebody(fmt.Sprintf("+86-1380000000%d", i))
	}
	for flags, want := range map[string][]int64{
		"": {1, 2, 3}, "--limit 2 --after 2": {3}, "--limit 0": {1, 2, 3}, "--limit 1 --after 1": {2},
	} {
		var uids []int64
		for _, a := range printed[[]account](sh, append([]string{"user", "list"}, strings.Fields(flags)...)...) {
			uids = append(uids, a.UID)
		}
		assert.Equal(t, want, uids, flags)
	}
	o := sh.run("user", "list", "--limit", "2").ends(done)
	assert.Contains(t, o.out, "王丽")
	assert.Contains(t, o.err, "--after 2", "how to go on")
	sh.run("user", "list", "--limit=-1").ends(misused)
}

func TestAUT10_user_disable_enable_and_passwd(t *testing.T) {
	sh, uid := newUser(t)
	sh.run("user", "disable", uid).ends(done)
	assert.True(t, sh.account(uid).Disabled)
	assert.Contains(t, sh.run("user", "list").out, "disabled")
	sh.run("user", "enable", uid).ends(done)
	assert.False(t, sh.account(uid).Disabled)
	for _, verb := range []string{"disable", "enable", "passwd"} {
		sh.run("user", verb, "99").refuses(refused, "Account not found.")
	}
	sh.run("token", "issue", "--user", uid).ends(done)
	sh.run("user", "passwd", uid, "--password", "secret").refuses(misused, "password: This password is too short")
	sh.run("user", "passwd", uid).refuses(misused, "password: Enter a password")
	assert.True(t, sh.tokens(uid)[0].Good, "nothing was done")
	sh.runWith(goodPassword+"!\n", "user", "passwd", uid).ends(done)
	assert.False(t, sh.tokens(uid)[0].Good, "tokens of the old password are void")
}

func TestAUT14_user_scopes_and_staff(t *testing.T) {
	sh, uid := newUser(t)
	for _, step := range []struct {
		args  string
		staff bool
	}{
		{"scopes UID xfile_event,back_office", true}, {"scopes UID xfile_event", true}, {"scopes UID xfile_event --no-staff", false},
		{"scopes UID xfile_event --staff", true}, {"staff UID off", false}, {"staff UID on", true},
	} {
		sh.run(append([]string{"user"}, strings.Fields(strings.ReplaceAll(step.args, "UID", uid))...)...).ends(done)
		assert.Equal(t, step.staff, sh.account(uid).Staff, step.args)
		assert.Equal(t, []string{"xfile_event"}, sh.account(uid).Scopes, step.args)
	}
	sh.run("user", "scopes", uid, "xfile_event,back_office", "--no-staff").refuses(misused, "--no-staff")
	sh.run("user", "scopes", uid, "xfile_event,fly,swim").refuses(misused, "“fly”", "“swim”")
	sh.run("user", "staff", uid, "perhaps").refuses(misused, "on")
	for _, args := range [][]string{{"scopes", "99", "xfile_event"}, {"staff", "99", "on"}} {
		sh.run(append([]string{"user"}, args...)...).refuses(refused, "Account not found.")
	}
	assert.True(t, sh.account(uid).Staff, "nothing was done")
	sh.run("user", "staff", uid, "--roles", "moderator, cashier,moderator").ends(done)
	assert.Equal(t, []string{"moderator", "cashier"}, sh.account(uid).Roles)
	sh.run("user", "scopes", uid, "xfile_event,back_office", "--staff").ends(done)
	assert.Equal(t, []string{"moderator", "cashier"}, sh.account(uid).Roles, "OFF-03: scopes give staff no other role")
	sh.run("user", "staff", uid, "--roles", "boss").refuses(misused, "“boss”")
	sh.run("user", "staff", uid, "--roles", "").refuses(misused, "--roles")
	sh.run("user", "scopes", uid, "").ends(done)
	assert.Empty(t, sh.account(uid).Scopes)
}
