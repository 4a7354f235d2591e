package bootstrap_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/secret"
	"plaza/domain/verification"
)

// senders are settings of each sender that lack nothing but a budget and dialling codes.
var senders = map[string][]string{
	"sandbox": {},
	"webhook": {"--sms-url=https://gateway.example/sms", "--sms-key=whsec_" + strings.Repeat("A", 32)},
	"aliyun":  {"--sms-key-id=id", "--sms-key=key", "--sms-from=Plaza", "--sms-template=SMS_1:code"},
	"tencent": {"--sms-key-id=id", "--sms-key=key", "--sms-from=1400006666/Plaza", "--sms-template=1110:code,minutes"},
	"twilio":  {"--sms-key-id=AC" + strings.Repeat("0", 32), "--sms-key=key", "--sms-from=+12025550104"},
}

func TestAUT15_senders_are_chosen_by_their_settings(t *testing.T) {
	offered := bootstrap.Offered()
	for name, flags := range senders {
		assert.Contains(t, offered.Senders, name+" (")
		chosen := append([]string{"--sms=" + name}, flags...)
		if strings.Contains(offered.PaidSenders, name) {
			_, err := parsed(t, chosen...)
			require.ErrorContains(t, err, "PLAZA_SMS_BUDGET: "+name+" charges for each message", name)
			require.ErrorContains(t, err, "PLAZA_SMS_CODES: "+name+" charges for each message", name)
			codes := "--sms-codes=86,852=20"
			if name == "aliyun" { // its numbers of other countries are another service
				_, err := parsed(t, append(chosen, "--sms-budget=100", codes)...)
				require.ErrorContains(t, err, "PLAZA_SMS_CODES: aliyun sends to numbers of 86 only: leave out 852")
				codes = "--sms-codes=86=20"
			}
			chosen = append(chosen, "--sms-budget=100", codes)
		}
		c, err := parsed(t, chosen...)
		require.NoError(t, err, name)
		sender, err := bootstrap.NewSender(c, nil)
		require.NoError(t, err, name)
		assert.NotNil(t, sender, name)

		_, err = parsed(t, "--sms="+name, "--sms-budget=100", "--sms-codes=86")
		for _, flag := range flags {
			flag, _, _ = strings.Cut(strings.TrimPrefix(flag, "--"), "=")
			variable := "PLAZA_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
			require.ErrorContains(t, err, variable+": "+name+" needs ", "all that is missing is told at once")
			assert.Contains(t, offered.SenderSettings[variable], name+": ")
		}
	}
	_, err := parsed(t, "--sms=pigeon")
	require.ErrorContains(t, err, "PLAZA_SMS: ")
	_, err = parsed(t, "--sms=tencent", "--sms-key-id=id", "--sms-key=hunter 22", "--sms-from=hunter22", "--sms-template=hunter:22",
		"--sms-budget=1", "--sms-codes=86")
	require.ErrorContains(t, err, "PLAZA_SMS: tencent: ")
	assert.NotContains(t, err.Error(), "hunter")
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
	_, err = bootstrap.NewSender(settings.Config{SMSConfig: settings.SMSConfig{SMS: "twilio", SMSKey: secret.New("hunter22")}}, nil)
	require.ErrorIs(t, err, settings.ErrInvalid)
	assert.NotContains(t, err.Error(), "hunter22")
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
