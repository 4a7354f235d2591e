package command_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const telephone = "+86-13800000001"

func TestAUT15_sms_test_says_what_becomes_of_a_message(t *testing.T) {
	for _, c := range []struct {
		status int
		said   string
	}{
		{http.StatusOK, ""},
		{http.StatusForbidden, "Refused: the settings of the sender are wrong"},
		{http.StatusTooManyRequests, "Busy: nothing was sent. Try again later."},
		{http.StatusBadGateway, "Unknown: the message was perhaps sent."},
	} {
		var got []string
		gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			assert.NoError(t, err)
			got = append(got, string(body))
			w.WriteHeader(c.status)
		}))
		sh := emptyShell(t)
		o := sh.run("sms", "test", telephone, "--language=zh-CN", "--sms=webhook", "--sms-url="+gateway.URL,
			"--sms-key=whsec_"+strings.Repeat("A", 32), "--sms-budget=1", "--sms-codes=86", "--sms-host=app.example")
		gateway.Close()
		require.Len(t, got, 1, "sent once")
		code := regexp.MustCompile(`"code":"(\d{6})"`).FindStringSubmatch(got[0])
		require.NotNil(t, code, got[0])
		assert.Contains(t, got[0], `"to":"+8613800000001"`)
		assert.Contains(t, got[0], `@app.example #`+code[1])
		assert.Contains(t, got[0], "验证码", "in the language")
		if c.status == http.StatusOK {
			assert.Contains(t, o.ends(done).out, "webhook has accepted the message with the code "+code[1])
		} else {
			o.refuses(refused, c.said, "webhook: ")
			assert.NotContains(t, o.err, code[1])
		}
		assert.NoFileExists(t, sh.dataDir+"/plaza.db")
	}
}

func TestAUT15_sms_test_sends_nothing_with_wrong_arguments(t *testing.T) {
	sh := emptyShell(t)
	sh.run("sms", "test", telephone).refuses(misused, "PLAZA_SMS names no sender")
	sh.run("sms", "test", telephone, "--sms=twilio").refuses(misused, "PLAZA_SMS_KEY: twilio needs", "PLAZA_SMS_BUDGET")
	sh.run("sms", "test", "13800000001", "--sms=sandbox").refuses(misused, "phone number")
	sh.run("sms", "test", telephone, "--sms=sandbox", "--language=klingonish").refuses(misused, "--language")
	sh.run("sms", "test", telephone, "--sms=sandbox", "--sms-codes=852").refuses(misused, "PLAZA_SMS_CODES")
	sh.run("sms", "test", "+86-85298765432", "--sms=sandbox").refuses(misused, "Codes are sent to mobile numbers only")
	assert.Contains(t, sh.run("sms", "test", telephone, "--sms=sandbox").ends(done).out, "sandbox has accepted the message")
}

func TestAUT18_user_phone_tells_the_former_number(t *testing.T) {
	t.Setenv("SUDO_USER", "maria")
	var got []string
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		assert.NoError(t, err)
		got = append(got, string(body))
		w.WriteHeader(http.StatusForbidden)
	}))
	defer gateway.Close()
	sh := newShell(t)
	uid := sh.somebody("+86-13900000001")
	flags := []string{"--sms=webhook", "--sms-url=" + gateway.URL, "--sms-key=whsec_" + strings.Repeat("A", 32), "--sms-budget=1",
		"--sms-codes=86"}
	sh.run("user", "phone", uid, "+86-13900000002").ends(done)
	assert.Empty(t, got, "there is no sender")
	sh.run(append([]string{"user", "phone", uid, "+86-13900000003", "--language=klingonish"}, flags...)...).refuses(misused, "--language")
	o := sh.run(append([]string{"user", "phone", uid, "+86-13900000004", "--language=zh-CN"}, flags...)...).ends(done)
	require.Len(t, got, 1, "the command waits for it")
	assert.JSONEq(t, `{"to": "+8613900000002", "purpose": "phone_changed", "text": "您的 Plaza 账号已更换手机号。如非本人操作，请立即联系客服。"}`, got[0])
	assert.Contains(t, o.err, "a message was not sent")
	assert.NotContains(t, o.err, "13900000002")
}
