package signin_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"
	"plaza/domain/locale"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/domain/verification"
)

func TestAUT15_texts_are_in_the_language_and_end_with_the_host(t *testing.T) {
	code := secret.New("012345")
	seen := map[string]bool{}
	for _, purpose := range verification.Purposes() {
		for language, isChinese := range map[string]bool{"en": false, "zh-CN": true, "zh": true, "zh-TW": false, "fr": false} {
			tag, _ := locale.Parse(language)
			said := signin.TextOf(purpose, code, tag, "plaza.example.org").Reveal()
			assert.Equal(t, isChinese, strings.Contains(said, "验证码"), language)
			assert.Equal(t, 2, strings.Count(said, "012345"))
			assert.Contains(t, said, "10")
			assert.True(t, strings.HasSuffix(said, "\n@plaza.example.org #012345"), said)
			most := map[bool]int{true: 70, false: 160}[isChinese]
			assert.LessOrEqual(t, len([]rune(said)), most, "one SMS: %s", said)
			seen[said] = true
		}
		for _, host := range []string{"", "localhost:8080", "a b", "例子.example"} {
			assert.NotContains(t, signin.TextOf(purpose, code, locale.Tag{}, host).Reveal(), "@")
		}
	}
	assert.Len(t, seen, 2*len(verification.Purposes()))

	phone, err := user.ParsePhone("+86-13800000001")
	require.NoError(t, err)
	to := verification.NumberOf(phone)
	for language, want := range map[string]string{"en": "Your Plaza account has another phone number now.", "zh-CN": "您的 Plaza 账号已更换手机号。"} {
		tag, _ := locale.Parse(language)
		m := signin.NoticeTo(to, tag)
		assert.True(t, strings.HasPrefix(m.Text.Reveal(), want), m.Text.Reveal())
		assert.LessOrEqual(t, len([]rune(m.Text.Reveal())), map[string]int{"en": 160, "zh-CN": 70}[language], "one SMS")
		assert.Equal(t, verification.PhoneChanged, m.Purpose)
		assert.Equal(t, to, m.To)
		assert.True(t, m.Code.IsZero())
		assert.NotEqual(t, m.ID, signin.NoticeTo(to, tag).ID)
	}
}
