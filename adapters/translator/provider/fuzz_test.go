package provider_test

import (
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"plaza/adapters/translator/apertium"
	"plaza/adapters/translator/azure"
	"plaza/adapters/translator/deepl"
	"plaza/adapters/translator/google"
	"plaza/adapters/translator/libretranslate"
	"plaza/adapters/translator/provider"
	"plaza/adapters/upstream"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/secret"
	"plaza/domain/text"
	"plaza/test/ports"
)

// statuses are those after which a request is not sent again, so that no target waits.
var statuses = []int{200, 201, 204, 301, 400, 401, 403, 404, 413, 456}

// FuzzAnswer lets a provider of each protocol answer with anything. Translations are fit to be
// shown and stored, one for each text. An error shows neither the key nor the answer.
func FuzzAnswer(f *testing.F) {
	const key = "a-key-of-no-value"
	for which, answers := range [][]string{
		{`{"data":{"translations":[{"translatedText":"uno"},{"translatedText":"dos"}]}}`, `{"error":{"errors":[{"reason":"quotaExceeded"}],"details":[{"reason":"API_KEY_INVALID"}]}}`},
		{`{"translations":[{"text":"uno"},{"text":"dos"}]}`, `{"translations":[{"text":"uno"}]}`, `{"translations":[{"text":"\u0000"},{"text":" "}]}`},
		{`[{"translations":[{"text":"uno"}]},{"translations":[{"text":"dos"}]}]`, `[{"translations":[]}]`, `{"error":{"code":400077,"message":"` + key + `"}}`},
		{`{"translatedText":["uno","dos"]}`, `{"translatedText":"uno"}`, `{"translatedText":["uno","\u200b"]}`},
		{`{"responseData":{"translatedText":"uno"}}`, `{"explanation":"That pair is not installed"}`, `{"responseData":{"translatedText":"*"}}`},
	} {
		for _, answer := range append(answers, "", "null", "[]", "<html>", "\xff", strings.Repeat("[", 5000), `{"error":{"code":1e400}}`) {
			for status := range statuses {
				f.Add(uint8(which), uint8(status), answer)
			}
		}
	}
	from, _ := locale.Parse("en")
	to, _ := locale.Parse("es")
	f.Fuzz(func(t *testing.T, which, at uint8, answer string) {
		status := statuses[int(at)%len(statuses)]
		c := upstream.Connection{URL: "https://provider.example", Deadline: time.Minute, Client: &http.Client{
			Transport: ports.Played(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(status)
				_, _ = w.Write([]byte(answer))
			}),
		}}
		var tr localisation.Translator
		var err error
		switch which % 5 {
		case 0:
			tr, err = google.New(provider.Settings{Connection: c, Key: secret.New(key)})
		case 1:
			tr, err = deepl.New(provider.Settings{Connection: c, Key: secret.New(key)})
		case 2:
			tr, err = azure.New(provider.Settings{Connection: c, Key: secret.New(key)})
		case 3:
			tr, err = libretranslate.New(provider.Settings{Connection: c, Key: secret.New(key)})
		case 4:
			tr, err = apertium.New(provider.Settings{Connection: c})
		}
		require.NoError(t, err)
		got, err := tr.Translate(t.Context(), from, to, []string{"one", "two"})
		if err != nil {
			if which%5 != 4 { // apertium has no key that an answer could repeat
				require.NotContains(t, err.Error(), key)
			}
			require.False(t, len(answer) > 30 && strings.Contains(err.Error(), answer), "%v", err)
			return
		}
		require.Equal(t, http.StatusOK, status)
		require.Len(t, got, 2)
		for _, s := range got {
			require.True(t, utf8.ValidString(s) && !strings.ContainsRune(s, 0) && !text.IsBlank(s), "%q", s)
		}
	})
}
