package google_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/adapters/translator/google"
	"plaza/adapters/translator/provider"
	"plaza/adapters/upstream"
	"plaza/domain/localisation"
	"plaza/domain/secret"
	"plaza/test/ports"
)

const key = "AIzaSyA-1111111111111111111111111111111"

func open(t *testing.T, url string, client *http.Client) localisation.Translator {
	tr, err := google.New(provider.Settings{
		Connection: upstream.Connection{URL: url, Deadline: 10 * time.Second, Client: client}, Key: secret.New(key),
	})
	require.NoError(t, err)
	return tr
}

// standIn behaves like Google: without a format it uses HTML.
func standIn(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Q      []string `json:"q"`
		Source string   `json:"source"`
		Target string   `json:"target"`
		Format string   `json:"format"`
	}
	body := json.NewDecoder(r.Body)
	body.DisallowUnknownFields()
	known := []string{"en", "es", "zh-CN", "zh-TW", "pt", "no"}
	switch err := body.Decode(&asked); {
	case r.Method != http.MethodPost || r.URL.RequestURI() != "/language/translate/v2":
		w.WriteHeader(http.StatusNotFound)
	case r.Header.Get("X-Goog-Api-Key") != key:
		refuse(w, http.StatusBadRequest, "badRequest", "API_KEY_INVALID")
	case err != nil || len(asked.Q) == 0:
		refuse(w, http.StatusBadRequest, "required", "")
	case len(asked.Q) > 128:
		refuse(w, http.StatusBadRequest, "invalid", "") // Too many text segments
	case asked.Source != "" && !slices.Contains(known, asked.Source) || !slices.Contains(known, asked.Target):
		refuse(w, http.StatusBadRequest, "invalid", "")
	default:
		var all []map[string]string
		for _, q := range asked.Q {
			text := fmt.Sprintf("[%s-%s] %s", asked.Source, asked.Target, q)
			if asked.Format != "text" {
				text = html.EscapeString(text)
			}
			all = append(all, map[string]string{"translatedText": text, "detectedSourceLanguage": "en"})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": map[string]any{"translations": all}})
	}
}

func refusal(status int, reason, detail string) string {
	text, _ := json.Marshal(map[string]any{"error": map[string]any{
		"code": status, "message": "The request with (key) is refused",
		"errors":  []map[string]string{{"message": "(key)", "domain": "usageLimits", "reason": reason}},
		"details": []map[string]string{{"reason": detail}},
	}})
	return string(text)
}

func refuse(w http.ResponseWriter, status int, reason, detail string) {
	w.WriteHeader(status)
	_, _ = w.Write([]byte(refusal(status, reason, detail)))
}

func TestPUB06_Google(t *testing.T) {
	ports.TranslatorUpstream(t, ports.Upstream{
		Open: open, Provider: http.HandlerFunc(standIn), Texts: 128, Key: key,
		Spoken: []ports.Spoken{
			{From: "zh-Hans", To: "en-GB", Says: "[zh-CN-en] x"},
			{From: "zh", To: "zh-HK", Says: "[zh-CN-zh-TW] x"},
			{From: "en", To: "pt-BR", Says: "[en-pt] x"},
			{From: "nb", To: "es", Says: "[no-es] x"},
			{From: "", To: "es", Says: "[-es] x"},
		},
		Refusals: map[string]ports.Refusal{
			"an unknown language":   {Status: 400, Body: refusal(400, "invalid", ""), Is: provider.ErrRefused},
			"a wrong key":           {Status: 400, Body: refusal(400, "badRequest", "API_KEY_INVALID"), Is: provider.ErrKey},
			"a wrong key, as once":  {Status: 400, Body: refusal(400, "keyInvalid", ""), Is: provider.ErrKey},
			"a key for other APIs":  {Status: 403, Body: refusal(403, "accessNotConfigured", ""), Is: provider.ErrKey},
			"a 403 without reasons": {Status: 403, Body: "<html>(key)", Is: provider.ErrKey},
			"a day's quota":         {Status: 403, Body: refusal(403, "dailyLimitExceeded", ""), Is: provider.ErrQuota},
			"a minute's quota":      {Status: 403, Body: refusal(403, "userRateLimitExceeded", ""), Is: provider.ErrQuota},
			"too long":              {Status: 413, Is: provider.ErrTooLong},
			"too fast":              {Status: 429, Body: refusal(429, "rateLimitExceeded", ""), Again: true},
			"an internal error":     {Status: 500, Body: refusal(500, "backendError", ""), Again: true},
			"no service":            {Status: 503, Again: true},
		},
	})
}
