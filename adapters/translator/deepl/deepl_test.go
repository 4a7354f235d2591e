package deepl_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/translator/deepl"
	"plaza/adapters/translator/provider"
	"plaza/adapters/upstream"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/domain/secret"
	"plaza/test/ports"
)

const key = "279a2e9d-83b3-c416-7e2d-f721593e42a0"

func open(t *testing.T, url string, client *http.Client) localisation.Translator {
	tr, err := deepl.New(provider.Settings{
		Connection: upstream.Connection{URL: url, Deadline: 10 * time.Second, Client: client}, Key: secret.New(key),
	})
	require.NoError(t, err)
	return tr
}

// standIn behaves like DeepL.
func standIn(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Text   []string `json:"text"`
		Source string   `json:"source_lang"`
		Target string   `json:"target_lang"`
	}
	text, _ := io.ReadAll(r.Body)
	body := json.NewDecoder(strings.NewReader(string(text)))
	body.DisallowUnknownFields()
	sources := []string{"", "ZH", "EN", "PT", "ES", "NB"}
	targets := []string{"ZH-HANS", "ZH-HANT", "EN-US", "EN-GB", "PT-BR", "PT-PT", "ES", "NB"}
	switch err := body.Decode(&asked); {
	case r.Method != http.MethodPost || r.URL.RequestURI() != "/v2/translate":
		refuse(w, http.StatusNotFound, "Not found")
	case r.Header.Get("Authorization") != "DeepL-Auth-Key "+key:
		w.WriteHeader(http.StatusForbidden)
	case len(text) > 128<<10:
		refuse(w, http.StatusRequestEntityTooLarge, "Request Entity Too Large")
	case err != nil || len(asked.Text) == 0:
		refuse(w, http.StatusBadRequest, "Bad request. Reason: Parameter 'text' not specified.")
	case len(asked.Text) > 50:
		refuse(w, http.StatusBadRequest, "Too many texts.")
	case !slices.Contains(sources, asked.Source):
		refuse(w, http.StatusBadRequest, "Value for 'source_lang' not supported.")
	case !slices.Contains(targets, asked.Target):
		refuse(w, http.StatusBadRequest, "Value for 'target_lang' not supported.")
	default:
		var all []map[string]string
		for _, text := range asked.Text {
			all = append(all, map[string]string{
				"detected_source_language": "EN", "text": fmt.Sprintf("[%s>%s] %s", asked.Source, asked.Target, text),
			})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"translations": all})
	}
}

func refuse(w http.ResponseWriter, status int, why string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"message": why})
}

func TestPUB06_DeepL(t *testing.T) {
	ports.TranslatorUpstream(t, ports.Upstream{
		Open: open, Provider: http.HandlerFunc(standIn), Texts: 50, Key: key,
		Spoken: []ports.Spoken{
			{From: "zh-CN", To: "en", Says: "[ZH>EN-US] x"},
			{From: "zh-Hant", To: "en-AU", Says: "[ZH>EN-GB] x"},
			{From: "zh-CN", To: "zh-TW", Says: "[ZH>ZH-HANT] x"},
			{From: "en-GB", To: "zh", Says: "[EN>ZH-HANS] x"},
			{From: "pt-BR", To: "es-MX", Says: "[PT>ES] x"},
			{From: "es", To: "pt", Says: "[ES>PT-BR] x"},
			{From: "es", To: "pt-PT", Says: "[ES>PT-PT] x"},
			{From: "no", To: "en-GB", Says: "[NB>EN-GB] x"},
			{From: "", To: "nb", Says: "[>NB] x"},
		},
		Refusals: map[string]ports.Refusal{
			"an unknown language":        {Status: 400, Body: `{"message":"Value for 'target_lang' not supported."}`, Is: provider.ErrRefused},
			"a key":                      {Status: 403, Is: provider.ErrKey},
			"a key, repeated":            {Status: 403, Body: `{"message":"(key)"}`, Is: provider.ErrKey},
			"too long":                   {Status: 413, Is: provider.ErrTooLong},
			"a spent quota":              {Status: 456, Body: `{"message":"Quota Exceeded"}`, Is: provider.ErrQuota},
			"a spent quota without more": {Status: 456, Is: provider.ErrQuota},
			"too fast":                   {Status: 429, Body: `{"message":"Too many requests"}`, Again: true},
			"an internal error":          {Status: 500, Again: true},
			"no service":                 {Status: 503, Again: true},
		},
	})
}

func TestPUB06_DeepL_takes_128_KiB_at_once(t *testing.T) {
	tr := open(t, "https://provider.example", &http.Client{Transport: ports.Played(standIn)})
	from, _ := locale.Parse("en")
	to, _ := locale.Parse("es")
	texts := slices.Repeat([]string{strings.Repeat("西\n\"<\u2028", 2000)}, 12)
	got, err := tr.Translate(t.Context(), from, to, texts)
	require.NoError(t, err)
	assert.Len(t, got, 12)
	_, err = tr.Translate(t.Context(), from, to, []string{strings.Repeat("x", 128<<10)})
	require.ErrorIs(t, err, provider.ErrTooLong)
}

func TestDeepL_has_an_address_for_each_plan(t *testing.T) {
	for k, want := range map[string]string{key: "api.deepl.com", key + ":fx": "api-free.deepl.com"} {
		asked := ""
		tr, err := deepl.New(provider.Settings{Key: secret.New(k), Connection: upstream.Connection{Client: &http.Client{
			Transport: ports.Played(func(w http.ResponseWriter, r *http.Request) {
				asked = r.URL.Host
				w.WriteHeader(http.StatusBadRequest)
			}),
		}}})
		require.NoError(t, err)
		to, _ := locale.Parse("es")
		_, err = tr.Translate(t.Context(), locale.Tag{}, to, []string{"x"})
		require.ErrorIs(t, err, provider.ErrRefused)
		assert.Equal(t, want, asked)
	}
}
