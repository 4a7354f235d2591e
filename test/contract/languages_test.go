package contract

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/catalogue"
)

var languageRows = []row{
	{"GEN-16 errors are in the language that the client prefers", errorLanguages, oneStore},
	{"GEN-16 everything but the sentences is the same in every language", sameInEveryLanguage, oneStore},
}

// noEvent is the sentence of an unknown event by its language.
var noEvent = map[string]string{"en": "Event not found.", "zh-Hans": "事件不存在。"}

func errorLanguages(t *testing.T, s *server) {
	ada := s.member(t)
	for header, language := range map[string]string{
		"en": "en", "zh": "zh-Hans", "zh-CN,zh;q=0.9,en;q=0.8": "zh-Hans", "en-GB,en;q=0.9,zh;q=0.8": "en", "fr, ZH-sg;q=0.2": "zh-Hans",
		"zh-TW": "en", "zh-Hant": "en", "zh-HK, en;q=0.5": "en", "zh-Hant-CN": "en", "zh-Hans-TW": "zh-Hans", "zh-TW, zh;q=0.1": "zh-Hans",
		"en;q=0.3, zh;q=0.4": "zh-Hans", "zh;q=0": "en", "zh;q=0, *": "en", "en;q=0, *": "zh-Hans", "*": "en", "*, zh;q=0.9": "en", "": "en",
		"zh;q=0.5, en;q=0.5": "zh-Hans", "en, zh": "en", "zh;q=2": "en", "zh;q=x, en;q=0.1": "en", ";;,q=1,\u00fc": "en", "yue": "en",
		strings.Repeat("x,", 300) + "zh": "en", strings.Repeat("fr,", 19) + "zh": "zh-Hans", strings.Repeat("fr,", 20) + "zh": "en", "zh" +
			strings.Repeat(",fr", 171): "en",
	} {
		a := ada.saying("Accept-Language", header).get(t, eventPath(99)).is(404)
		assert.Equal(t, language, a.header.Get("Content-Language"), header)
		assert.Equal(t, noEvent[language], a.text("data.detail"), header)
		assert.Equal(t, []string{"Accept-Language"}, a.header.Values("Vary"), header)
	}
	a := ada.get(t, eventPath(99)).is(404)
	assert.Equal(t, noEvent["en"], a.text("data.detail"))
	assert.Equal(t, []string{"Accept-Language"}, a.header.Values("Vary"))
	fine := ada.saying("Accept-Language", "zh").get(t, profile).is(200)
	assert.Empty(t, fine.header.Get("Content-Language")+fine.header.Get("Vary"), "errors alone")
}

func sameInEveryLanguage(t *testing.T, s *server) {
	ada := s.member(t)
	for _, c := range []struct {
		method, path string
		body         any
		sentence     string
	}{
		{"POST", simpleInfo, object{}, "此项必填。"},
		{"POST", events, object{"title": strings.Repeat("x", 5000), "view_permission": "7"}, "此项不能超过"},
		{"POST", subscriptions, object{"followed_category": 99}, "分类不存在。"},
		{"POST", events, "{", "请求体不是有效的 JSON。"},
		{"POST", login, object{"username": ada.phone, "password": "not-this-one"}, "登录名或密码错误。"},
		{"POST", login, object{"username": ada.phone, "password": "x", "scope": []string{"“%d”"}}, "未知的权限““%d””。"},
		{"GET", "/api/nothing/", nil, "此路径不存在"},
		{"HEAD", "/api/nothing/", nil, ""},
		{"PUT", events, nil, "不支持 PUT 方法，此路径支持 POST"},
	} {
		chinese, english := ada.saying("Accept-Language", "zh").send(t, c.method, c.path, c.body), ada.send(t, c.method, c.path, c.body)
		assert.Equal(t, english.status, chinese.status)
		assert.Contains(t, string(chinese.body), c.sentence)
		assert.NotRegexp(t, `\p{Han}`, string(english.body), "also of faults that requests share")
		assert.Equal(t, "zh-Hans", chinese.header.Get("Content-Language"))
		for _, name := range []string{"Vary", "Allow", "Content-Type", "Cache-Control"} {
			assert.Equal(t, english.header.Values(name), chinese.header.Values(name), "%s of %s", name, c.path)
		}
		if c.method != http.MethodHead {
			assert.Equal(t, english.names(), chinese.names())
			assert.Equal(t, english.at("code"), chinese.at("code"))
			assert.ElementsMatch(t, slices.Collect(maps.Keys(english.at("data").(object))), slices.Collect(maps.Keys(chinese.at("data").(object))))
		}
	}
	s.stop()
	assert.Contains(t, s.log.String(), "This path does not exist.")
	assert.NotContains(t, s.log.String(), "此路径不存在", "operators read English")
}

// written is a sentence in the body of an English error.
var written = regexp.MustCompile(`"([A-Z“][^"\\]* [^"\\]*\.)"`)

// requireTranslated asserts that every language has the sentences of the error.
func requireTranslated(t *testing.T, body []byte) {
	t.Helper()
	for _, said := range written.FindAllSubmatch(body, -1) {
		require.NotEqual(t, string(said[1]), catalogue.Translate(catalogue.Languages()[1], string(said[1])), "GEN-16")
	}
}
