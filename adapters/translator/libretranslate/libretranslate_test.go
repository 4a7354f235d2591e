package libretranslate_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"plaza/adapters/translator/libretranslate"
	"plaza/adapters/translator/provider"
	"plaza/adapters/upstream"
	"plaza/domain/localisation"
	"plaza/domain/secret"
	"plaza/test/ports"
)

const key = "00000000-1111-2222-3333-444444444444"

func open(t *testing.T, url string, client *http.Client) localisation.Translator {
	tr, err := libretranslate.New(provider.Settings{
		Connection: upstream.Connection{URL: url, Deadline: 10 * time.Second, Client: client}, Key: secret.New(key),
	})
	require.NoError(t, err)
	return tr
}

// Servers from before April 2025 name three languages otherwise.
var (
	newer = []string{"en", "es", "zh-Hans", "zh-Hant", "pt-BR", "pt", "nb"}
	older = []string{"en", "es", "zh", "zt", "pb", "pt", "nb"}
)

// standIn behaves like LibreTranslate with the languages and a batch limit of fifty.
func standIn(languages []string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet || r.URL.Path != "/languages" {
			translate(languages, w, r)
			return
		}
		var all []map[string]string
		for _, code := range languages {
			all = append(all, map[string]string{"code": code, "name": "a language"})
		}
		_ = json.NewEncoder(w).Encode(all)
	}
}

func translate(languages []string, w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Q      []string `json:"q"`
		Source string   `json:"source"`
		Target string   `json:"target"`
		Format string   `json:"format"`
		Key    string   `json:"api_key"`
	}
	body := json.NewDecoder(r.Body)
	body.DisallowUnknownFields()
	err := body.Decode(&asked)
	switch {
	case r.Method != http.MethodPost || r.URL.RequestURI() != "/translate":
		refuse(w, http.StatusNotFound, "Not Found")
	case err != nil || len(asked.Q) == 0 || asked.Format != "text":
		refuse(w, http.StatusBadRequest, "Invalid request")
	case asked.Key != key:
		refuse(w, http.StatusForbidden, "Invalid API key")
	case len(asked.Q) > 50:
		refuse(w, http.StatusBadRequest, "Invalid request: request (51) exceeds text limit (50)")
	case asked.Source != "auto" && !slices.Contains(languages, asked.Source) || !slices.Contains(languages, asked.Target):
		refuse(w, http.StatusBadRequest, asked.Target+" is not supported")
	default:
		var texts []string
		for _, q := range asked.Q {
			texts = append(texts, fmt.Sprintf("[%s>%s] %s", asked.Source, asked.Target, q))
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"translatedText": texts})
	}
}

func refuse(w http.ResponseWriter, status int, why string) {
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": why})
}

func TestPUB06_LibreTranslate(t *testing.T) {
	ports.TranslatorUpstream(t, ports.Upstream{
		Open: open, Provider: standIn(newer), Texts: 50, Key: key,
		Spoken: []ports.Spoken{
			{From: "zh-CN", To: "en", Says: "[zh-Hans>en] x"},
			{From: "zh", To: "zh-HK", Says: "[zh-Hans>zh-Hant] x"},
			{From: "en-US", To: "pt-BR", Says: "[en>pt-BR] x"},
			{From: "en", To: "no", Says: "[en>nb] x"},
			{From: "", To: "es-419", Says: "[auto>es] x"},
		},
		Refusals: map[string]ports.Refusal{
			"an unknown language": {Status: 400, Body: `{"error":"xx is not supported"}`, Says: `status 400, "xx is not supported"`, Is: provider.ErrRefused},
			"a key, repeated":     {Status: 403, Body: `{"error":"Invalid API key (key)"}`, Says: "Invalid API key (key)", Is: provider.ErrKey},
			"too fast":            {Status: 429, Body: `{"error":"Slowdown: 10 per 1 minute"}`, Again: true},
			"a broken model":      {Status: 500, Body: `{"error":"Cannot translate text"}`, Again: true},
		},
	})
}

func TestPUB06_LibreTranslate_before_April_2025(t *testing.T) {
	ports.TranslatorUpstream(t, ports.Upstream{
		Open: open, Provider: standIn(older), Texts: 50, Key: key,
		Spoken: []ports.Spoken{
			{From: "zh-CN", To: "en", Says: "[zh>en] x"},
			{From: "zh", To: "zh-HK", Says: "[zh>zt] x"},
			{From: "en-US", To: "pt-BR", Says: "[en>pb] x"},
			{From: "en-US", To: "pt-PT", Says: "[en>pt] x"},
		},
	})
}

func TestLibreTranslate_wants_https_for_a_key(t *testing.T) {
	_, err := libretranslate.New(provider.Settings{Connection: upstream.Connection{URL: "http://neighbour:5000"}})
	require.NoError(t, err)
	for name, c := range map[string]provider.Settings{
		"http":      {Connection: upstream.Connection{URL: "http://neighbour:5000", Plain: true}, Key: secret.New(key)},
		"a newline": {Connection: upstream.Connection{URL: "https://neighbour"}, Key: secret.New("a\nb")},
		"no URL":    {},
	} {
		_, err := libretranslate.New(c)
		require.Error(t, err, name)
	}
}
