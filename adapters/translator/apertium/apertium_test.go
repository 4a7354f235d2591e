package apertium_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/translator/apertium"
	"plaza/adapters/translator/provider"
	"plaza/adapters/upstream"
	"plaza/domain/locale"
	"plaza/domain/localisation"
	"plaza/test/ports"
)

func open(t *testing.T, url string, client *http.Client) localisation.Translator {
	return openFor(t, 10*time.Second, url, client)
}

func openFor(t *testing.T, deadline time.Duration, url string, client *http.Client) localisation.Translator {
	tr, err := apertium.New(provider.Settings{Connection: upstream.Connection{URL: url, Deadline: deadline, Client: client}})
	require.NoError(t, err)
	return tr
}

// pairs are the language pairs of the stand-in.
var pairs = "eng|spa spa|eng eng|zho nob|nno hbs|eng eng|hbs_HR mkd|hbs_SR mkd|hbs_BS spa|por cat|spa pes|eng ind|zlm"

// standIn behaves like APy under load: it takes the last of several texts, drops the white
// space around it and everything after ten parts, and marks unknown words.
func standIn(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	pair, texts := r.PostForm["langpair"], r.PostForm["q"]
	switch {
	case r.URL.Path != "/translate":
		w.WriteHeader(http.StatusNotFound)
		_, _ = fmt.Fprint(w, "<html><title>404: Not Found</title><body>404: Not Found</body></html>")
	case len(pair) == 0:
		refuse(w, "Missing argument langpair")
	case len(texts) == 0:
		refuse(w, "Missing argument q")
	case strings.Count(pair[0], "|") != 1:
		refuse(w, "That pair is invalid, use e.g. eng|spa")
	case !strings.Contains(" "+pairs+" ", " "+pair[0]+" "):
		refuse(w, "That pair is not installed")
	default:
		answer(w, fmt.Sprintf("<%s> %s", pair[0], made(strings.TrimSpace(texts[len(texts)-1]), r)))
	}
}

func made(s string, r *http.Request) string {
	if chars := []rune(s); len(chars) > 1000 {
		s = string(chars[:min(len(chars), 10*501)])
	}
	if r.PostForm.Get("format") != "txt" {
		s = html.EscapeString(s)
	}
	s = strings.NewReplacer("blorptak", "*blorptak", "'ve", "'*ve", ".com", "*.com", "persons", "#personaje", "gadgets", "@gadgets").Replace(s)
	return s
}

func answer(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_ = json.NewEncoder(w).Encode(map[string]any{
		"responseData": map[string]string{"translatedText": text}, "responseDetails": nil, "responseStatus": 200,
	})
}

func refusal(status int, why string) string {
	text, _ := json.Marshal(map[string]any{"status": "error", "code": status, "message": http.StatusText(status), "explanation": why})
	return string(text)
}

func refuse(w http.ResponseWriter, why string) {
	w.WriteHeader(http.StatusBadRequest)
	_, _ = w.Write([]byte(refusal(http.StatusBadRequest, why)))
}

func TestPUB06_Apertium(t *testing.T) {
	ports.TranslatorUpstream(t, ports.Upstream{
		Open: open, Provider: http.HandlerFunc(standIn), Targets: []string{"es", "hr"}, Texts: 1,
		Spoken: []ports.Spoken{
			{From: "en-US", To: "es-419", Says: "<eng|spa> x"},
			{From: "en", To: "zh-CN", Says: "<eng|zho> x"},
			{From: "nb", To: "nn-NO", Says: "<nob|nno> x"},
			{From: "no", To: "nn", Says: "<nob|nno> x"},
			{From: "hr", To: "en", Says: "<hbs|eng> x"},
			{From: "sr-Latn", To: "en", Says: "<hbs|eng> x"},
			{From: "bs", To: "en", Says: "<hbs|eng> x"},
			{From: "en", To: "hr-HR", Says: "<eng|hbs_HR> x"},
			{From: "mk", To: "sh", Says: "<mkd|hbs_SR> x"},
			{From: "mk", To: "bs", Says: "<mkd|hbs_BS> x"},
			{From: "es", To: "pt-BR", Says: "<spa|por> x"},
			{From: "ca", To: "es", Says: "<cat|spa> x"},
			{From: "fa", To: "en", Says: "<pes|eng> x"},
			{From: "id", To: "ms", Says: "<ind|zlm> x"},
			{From: "en", To: "fr", Fails: provider.ErrUnsupportedLanguage},
			{From: "sr", To: "en", Fails: provider.ErrUnsupportedLanguage},
			{From: "", To: "es", Fails: provider.ErrUnsupportedLanguage}, // it detects no language
			{From: "en-Dsrt", To: "es", Fails: provider.ErrUnsupportedLanguage},
		},
		Refusals: map[string]ports.Refusal{
			"a pair that is not there": {Status: 400, Body: refusal(400, "That pair is not installed"), Is: provider.ErrUnsupportedLanguage},
			"a pair that is none":      {Status: 400, Body: refusal(400, "That pair is invalid, use e.g. eng|spa"), Is: provider.ErrRefused},
			"no text":                  {Status: 400, Body: refusal(400, "Missing argument q"), Is: provider.ErrRefused},
			"no JSON":                  {Status: 400, Body: "<html>", Is: provider.ErrRefused},
			"another place":            {Status: 404, Body: "<html><title>404: Not Found</title>", Is: provider.ErrRefused},
			"the wrong status":         {Status: 404, Body: refusal(404, "That pair is not installed"), Is: provider.ErrRefused},
			"too long":                 {Status: 413, Is: provider.ErrTooLong},
			"an internal error":        {Status: 500, Body: refusal(500, "Internal Server Error"), Again: true},
			"a pipe that is stuck":     {Status: 503, Body: refusal(503, "internal error"), Again: true},
			"a proxy without a server": {Status: 502, Body: "<html>", Again: true},
			"a timeout on its side":    {Status: 408, Body: refusal(408, "Try again"), Again: true},
		},
	})
}

func translate(t *testing.T, tr localisation.Translator, from, to string, texts ...string) []string {
	t.Helper()
	source, _ := locale.Parse(from)
	target, _ := locale.Parse(to)
	got, err := tr.Translate(t.Context(), source, target, texts)
	require.NoError(t, err)
	require.Len(t, got, len(texts))
	return got
}

func TestPUB06_Apertium_marks_do_not_show_and_asterisks_stay(t *testing.T) {
	tr := open(t, "https://provider.example", &http.Client{Transport: ports.Played(standIn)})
	for text, want := range map[string]string{
		"blorptak, *bold* 5*3 ** * a": "blorptak, *bold* 5*3 ** * a",
		"*":                           "*",
		"I've .com":                   "I've .com",
		"blorptak* *blorptak":         "blorptak* *blorptak",
		"\ue000 is 5*3":               "\ue000 is 5*3",
		"the persons' gadgets":        "the personaje' gadgets",
		"no 1 of persons, me@home":    "no 1 of personaje, me@home",
		"#1 of gadgets":               "#1 of gadgets",
		"a &amp; <b> & \"c\"":         "a &amp; <b> & \"c\"",
	} {
		assert.Equal(t, []string{"<eng|spa> " + want}, translate(t, tr, "en", "es", text), text)
	}
}

func TestPUB06_Apertium_gets_long_texts_in_pieces(t *testing.T) {
	var sent []string
	tr := open(t, "https://provider.example", &http.Client{Transport: ports.Played(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		text := r.PostForm.Get("q")
		assert.LessOrEqual(t, utf8.RuneCountInString(text), 1000)
		if len(sent) > 0 { // only the first goes alone
			answer(w, text)
			return
		}
		sent = append(sent, text)
		answer(w, text)
	})})
	for name, c := range map[string]struct{ text, first string }{
		"as long as may be": {strings.Repeat("湖 ", 499) + "西湖", strings.Repeat("湖 ", 499) + "西湖"},
		"by a line far back": {strings.Repeat("One. ", 110) + "\n" + strings.Repeat("Two. ", 110),
			strings.TrimSpace(strings.Repeat("One. ", 110))},
		"by lines":      {strings.Repeat("A line. And more\n", 1000), strings.TrimSpace(strings.Repeat("A line. And more\n", 1000/17))},
		"by sentences":  {"Title\n" + strings.Repeat("One two! ", 1500), "Title\n" + strings.TrimSpace(strings.Repeat("One two! ", 994/9))},
		"by words":      {"Hm. " + strings.Repeat("one ", 9000), "Hm. " + strings.TrimSpace(strings.Repeat("one ", 249))},
		"by characters": {strings.Repeat("湖🌊", 4000), strings.Repeat("湖🌊", 500)},
		"one too long":  {strings.Repeat("x", 1001), strings.Repeat("x", 1000)},
	} {
		t.Run(name, func(t *testing.T) {
			sent = nil
			assert.Equal(t, []string{c.text, "after", c.text}, translate(t, tr, "en", "es", c.text, "after", c.text))
			require.NotEmpty(t, sent)
			assert.Equal(t, c.first, sent[0])
		})
	}
}

func TestApertium_wants_an_address_and_no_more(t *testing.T) {
	_, err := apertium.New(provider.Settings{Connection: upstream.Connection{URL: "http://neighbour:2737"}})
	require.NoError(t, err)
	for _, url := range []string{"", "neighbour:2737", "ftp://neighbour"} {
		_, err = apertium.New(provider.Settings{Connection: upstream.Connection{URL: url}})
		require.ErrorContains(t, err, "apertium: URL", url)
	}
}
