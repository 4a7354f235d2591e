package contract

import (
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/application/importing"
)

var feedCardRows = []row{
	{"FED-11 an opened item is the item of lists with its text and its translations", itemOpened, everyStore},
	{"FED-11 what is not listed can not be opened", unlistedStaysShut, everyStore},
	{"FED-11 title and content are translated and the text is not", openedItemLocalised, oneStore},
}

// cardOf is the address of an opened item.
func cardOf(kind string, id any) string { return fmt.Sprintf("/api/feed/item/%s/%v/", kind, id) }

// lineOf is the line of a publication or a node with the rest of its fields.
func lineOf(kind string, id int, language, rest string) string {
	return fmt.Sprintf(`{"kind":%q,"id":%d,"title":"%[1]s %[2]d","author":"r1","language":%q,"created":"2026-11-01T09:00:00Z"%s}`, kind, id, language, rest)
}

const robotLine = `{"kind":"user","id":"r1","username":"+1-2025550199","firstname":"Tea","lastname":"Robot","joined":"2026-11-01T00:00:00Z"}`

// bringsTexts imports a text with its translations, parts and a request.
func (s *server) bringsTexts(t *testing.T) {
	t.Helper()
	bundle := func(id int, rest string) string { return fmt.Sprintf(`{"kind":"bundle","id":%d%s}`, id, rest) }
	summary, rejects := s.brings(t, robotLine,
		bundle(70, ""), bundle(71, `,"first_original":70,"original":70`), bundle(72, `,"first_original":70,"original":71`), bundle(80, `,"original":70`),
		lineOf("publication", 1, "en", `,"bundle":70,"summary":"Of tea","html":"<p>Tea &amp; water</p>"`),
		lineOf("publication", 3, "es", `,"bundle":71,"node":1`), lineOf("publication", 2, "fr", `,"bundle":72`), lineOf("publication", 4, "en", `,"bundle":80`),
		lineOf("publication", 5, "es", `,"bundle":71,"deleted":true`), lineOf("publication", 6, "es", `,"bundle":71,"published":false`),
		lineOf("node", 1, "es", `,"bundle":71,"html":"<p>Agua</p>"`), lineOf("node", 2, "en", ""),
		`{"kind":"demand","id":1,"author":"r1","title":"A pot","tags":["pot"],"lat":30.2,"lng":120.1,"created":"2026-11-01T09:00:00Z"`+
			`,"closed":"2026-12-01T09:00:00Z","start":"2026-11-02T09:00:00Z","end":"2026-11-20T09:00:00Z"}`)
	assert.Empty(t, rejects)
	assert.Equal(t, importing.Count{New: 14}, summary.All())
}

func itemOpened(t *testing.T, s *server) {
	s.bringsTexts(t)
	translation := func(id int, language string) any {
		return object{"id": json.Number(strconv.Itoa(id)), "language": language, "title": fmt.Sprint("publication ", id)}
	}
	one, two, three := translation(1, "en"), translation(2, "fr"), translation(3, "es")
	more := map[string]object{
		"publication 1": {"html_content": "<p>Tea &amp; water</p>", "translations": []any{two, three}},
		"publication 2": {"html_content": "", "translations": []any{one, three}},
		"publication 3": {"html_content": "", "translations": []any{one, two}},
		"publication 4": {"html_content": "", "translations": []any{}},
		"node 1":        {"html_content": "<p>Agua</p>", "translations": []any{one, two, three}},
		"node 2":        {"html_content": "", "translations": []any{}},
		"demand 1":      {},
	}
	list := s.anyone().get(t, itemsOf("uncategory")).is(200).list("data")
	assert.Len(t, list, len(more))
	for _, item := range list {
		want := maps.Clone(item.(object))
		kind, id := want["entity_type"].(string), want["entity_id"]
		maps.Copy(want, more[fmt.Sprint(kind, " ", id)])
		assert.Equal(t, object{"data": want}, s.anyone().get(t, cardOf(kind, id)).is(200).json(), "%s %v", kind, id)
	}
}

func unlistedStaysShut(t *testing.T, s *server) {
	ada := s.member(t)
	s.storesItem(t, ada, 1, 0)
	s.unlists(t, ada, 2, 0)
	event := ada.publishes(t, "An event")
	for _, path := range []string{cardOf("xfile", event), cardOf("origin", 1), cardOf("Publication", 1), cardOf("%20", 1)} {
		s.anyone().get(t, path).fails(404, "RESOURCE_NOT_FOUND")
	}
	for _, kind := range []string{"publication", "node", "demand"} {
		s.anyone().get(t, cardOf(kind, 1)).is(200)
		for id := 2; id <= 5; id++ {
			assert.Equal(t, "Item not found.", ada.get(t, cardOf(kind, id)).fails(404, "RESOURCE_NOT_FOUND").text("data.detail"))
		}
	}
}

func openedItemLocalised(t *testing.T, s *server) {
	s = s.on.translating(t)
	s.bringsTexts(t)
	chinese := s.anyone().saying("x-language-locale", "zh_CN")
	for _, kind := range []string{"publication", "node"} {
		a := chinese.get(t, cardOf(kind, 1)).is(200).shows(object{"title": kind + " 1", "localized.title": "⟦zh-CN⟧ " + kind + " 1"})
		for _, own := range []string{"x", a.text("data.language")} {
			assert.False(t, s.anyone().saying("x-language-locale", own).get(t, cardOf(kind, 1)).is(200).has("data.localized"), own)
		}
	}
	assert.False(t, chinese.get(t, cardOf("demand", 1)).is(200).has("data.localized"))
}
