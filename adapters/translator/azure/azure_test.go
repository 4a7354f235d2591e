package azure_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/translator/azure"
	"plaza/adapters/translator/provider"
	"plaza/adapters/upstream"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/secret"
	"plaza/test/ports"
)

const key = "0123456789abcdef0123456789abcdef"

func open(t *testing.T, url string, client *http.Client) localisation.Translator {
	tr, err := azure.New(provider.Settings{
		Connection: upstream.Connection{URL: url, Deadline: 10 * time.Second, Client: client}, Key: secret.New(key), Region: "westeurope",
	})
	require.NoError(t, err)
	return tr
}

// standIn behaves like Azure.
func standIn(w http.ResponseWriter, r *http.Request) {
	var asked []struct{ Text string }
	body := json.NewDecoder(r.Body)
	body.DisallowUnknownFields()
	query := r.URL.Query()
	from, to := query.Get("from"), query.Get("to")
	known := []string{"en", "es", "zh-Hans", "zh-Hant", "pt", "pt-pt", "nb", "sr-Latn", "sr-Cyrl"}
	err := body.Decode(&asked)
	chars := 0
	for _, a := range asked {
		chars += utf8.RuneCountInString(a.Text)
	}
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/translate":
		w.WriteHeader(http.StatusNotFound)
	case r.Header.Get("Ocp-Apim-Subscription-Key") != key || r.Header.Get("Ocp-Apim-Subscription-Region") != "westeurope":
		refuse(w, 401000)
	case query.Get("api-version") != "3.0" || query.Get("textType") != "plain":
		refuse(w, 400021)
	case from != "" && !slices.Contains(known, from):
		refuse(w, 400035)
	case !slices.Contains(known, to) || len(query["to"]) != 1:
		refuse(w, 400036)
	case err != nil || len(asked) == 0 || len(asked) > 1000:
		refuse(w, 400074)
	case chars > 50_000:
		refuse(w, 400077)
	default:
		var all []map[string]any
		for _, a := range asked {
			one := map[string]any{"translations": []map[string]string{
				{"text": fmt.Sprintf("[%s>%s] %s", from, to, a.Text), "to": to},
			}}
			if from == "" {
				one["detectedLanguage"] = map[string]any{"language": "en", "score": 1.0}
			}
			all = append(all, one)
		}
		_ = json.NewEncoder(w).Encode(all)
	}
}

func refusal(code int) string {
	return fmt.Sprintf(`{"error":{"code":%d,"message":"The request with (key) is refused."}}`, code)
}

func refuse(w http.ResponseWriter, code int) {
	w.WriteHeader(code / 1000)
	_, _ = w.Write([]byte(refusal(code)))
}

func TestPUB06_Azure(t *testing.T) {
	ports.TranslatorUpstream(t, ports.Upstream{
		Open: open, Provider: http.HandlerFunc(standIn), Texts: 1000, Key: key,
		Spoken: []ports.Spoken{
			{From: "zh-CN", To: "en-GB", Says: "[zh-Hans>en] x"},
			{From: "zh", To: "zh-HK", Says: "[zh-Hans>zh-Hant] x"},
			{From: "en", To: "pt-BR", Says: "[en>pt] x"},
			{From: "en", To: "pt-PT", Says: "[en>pt-pt] x"},
			{From: "no", To: "sr-Latn", Says: "[nb>sr-Latn] x"},
			{From: "en", To: "sr", Says: "[en>sr-Cyrl] x"},
			{From: "", To: "es", Says: "[>es] x"},
		},
		Refusals: map[string]ports.Refusal{
			"an unknown language":    {Status: 400, Body: refusal(400036), Is: provider.ErrRefused},
			"a body too long":        {Status: 400, Body: refusal(400077), Is: provider.ErrTooLong},
			"a wrong key":            {Status: 401, Body: refusal(401000), Is: provider.ErrKey},
			"a 401 without a word":   {Status: 401, Is: provider.ErrKey},
			"not allowed":            {Status: 403, Body: refusal(403000), Is: provider.ErrKey},
			"a spent free quota":     {Status: 403, Body: refusal(403001), Is: provider.ErrQuota},
			"too fast":               {Status: 429, Body: refusal(429000), Again: true},
			"too fast, second kind":  {Status: 429, Body: refusal(429001), Again: true},
			"too fast, third kind":   {Status: 429, Body: refusal(429002), Again: true},
			"a model being prepared": {Status: 408, Body: refusal(408001), Again: true},
			"an internal error":      {Status: 500, Body: refusal(500000), Again: true},
			"no service":             {Status: 503, Body: refusal(503000), Again: true},
		},
	})
}

func TestPUB06_Azure_takes_50000_characters_at_once(t *testing.T) {
	tr := open(t, "https://provider.example", &http.Client{Transport: ports.Played(standIn)})
	from, _ := locale.Parse("zh")
	to, _ := locale.Parse("es")
	got, err := tr.Translate(t.Context(), from, to, slices.Repeat([]string{strings.Repeat("湖", 20_000)}, 5))
	require.NoError(t, err)
	assert.Len(t, got, 5)
	_, err = tr.Translate(t.Context(), from, to, []string{strings.Repeat("湖", 50_001)})
	require.ErrorIs(t, err, provider.ErrTooLong)
}

func TestAzure_knows_what_a_region_is(t *testing.T) {
	_, err := azure.New(provider.Settings{Key: secret.New(key), Region: "West Europe\r\n"})
	require.ErrorContains(t, err, "azure: Region")
}
