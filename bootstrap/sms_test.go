package bootstrap_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/verification"
)

func TestAUT15_senders_are_chosen_by_their_settings(t *testing.T) {
	offered := bootstrap.Offered()
	for _, name := range []string{"sandbox", "webhook", "aliyun", "tencent", "twilio"} {
		assert.Contains(t, offered["senders"], name+" (")
		_, err := parsed(t, "--sms="+name)
		if strings.Contains(offered["paid_senders"], name) {
			require.ErrorContains(t, err, "PLAZA_SMS_BUDGET: "+name+" charges for each message")
			require.ErrorContains(t, err, "PLAZA_SMS_CODES: "+name+" charges for each message")
		}
		if name != "sandbox" {
			require.ErrorContains(t, err, "PLAZA_SMS_KEY: "+name+" needs ")
			assert.Contains(t, offered["PLAZA_SMS_KEY"], name+": ")
		}
	}
	aliyun := []string{"--sms=aliyun", "--sms-key-id=id", "--sms-key=key", "--sms-from=Plaza", "--sms-template=SMS_1:code", "--sms-budget=100"}
	c, err := parsed(t, append(aliyun, "--sms-codes=86=20")...)
	require.NoError(t, err)
	sender, err := bootstrap.NewSender(c, nil)
	require.NoError(t, err)
	assert.NotNil(t, sender)
	_, err = parsed(t, append(aliyun, "--sms-codes=86,852")...) // its numbers of other countries are another service
	require.ErrorContains(t, err, "PLAZA_SMS_CODES: aliyun sends to numbers of 86 only: leave out 852")
	_, err = parsed(t, append(aliyun, "--sms-codes=86", "--sms-template=hunter:22")...)
	require.ErrorContains(t, err, "PLAZA_SMS: aliyun: ")
	_, err = parsed(t, "--sms=pigeon")
	require.ErrorContains(t, err, "PLAZA_SMS: ")
}

func TestAUT15_there_is_no_sender_unless_one_is_chosen(t *testing.T) {
	for _, c := range []struct {
		demo bool
		want string
	}{{true, "sandbox"}, {false, "none"}} {
		config, err := parsed(t)
		require.NoError(t, err)
		config.Choose(c.demo)
		assert.Equal(t, c.want, config.SMS)
	}
	sender, err := bootstrap.NewSender(settings.Config{SMSConfig: settings.SMSConfig{SMS: "none"}}, nil)
	require.NoError(t, err)
	assert.Nil(t, sender)
}

func TestAUT15_the_budget_of_messages(t *testing.T) {
	c, err := parsed(t, "--sms-budget=500", "--sms-codes=86, 852=200")
	require.NoError(t, err)
	assert.Equal(t, verification.Budget{Messages: 500, Codes: map[string]int64{"86": 0, "852": 200}}, bootstrap.MessageBudget(c))
	for _, sender := range []string{"--sms=sandbox", "--sms=none"} {
		_, err = parsed(t, sender, "--sms-budget=500", "--sms-codes=86=500,852=501")
		require.ErrorContains(t, err, "PLAZA_SMS_CODES: 852=501 is more than PLAZA_SMS_BUDGET, which has 500 messages a day")
		assert.NotContains(t, err.Error(), "86=500")
	}
	c, err = parsed(t, "--sms-budget=", "--sms-codes=")
	require.NoError(t, err)
	assert.Equal(t, verification.Budget{}, bootstrap.MessageBudget(c), "unlimited")
}
