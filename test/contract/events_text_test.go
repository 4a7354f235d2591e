package contract

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"plaza/adapters/sanitiser"
	"plaza/domain/markup"
)

var eventTextRows = []row{
	{"EVT-16 the place is the one that the text names", placeOfText, oneStore},
	{"EVT-18 html_content is stored and shown as the sanitiser leaves it", sanitisedHTML, oneStore},
	{"EVT-18 title and content are never interpreted", plainTextIsPlain, everyStore},
	{"EVT-21 each text has its limit", textLimits, oneStore},
}

// place is the fields of where an event happened; empty names are null.
func place(province, city, district string) object {
	named := object{"province": nil, "city": nil, "district": nil}
	for field, name := range map[string]string{"province": province, "city": city, "district": district} {
		if name != "" {
			named[field] = name
		}
	}
	return named
}

func placeOfText(t *testing.T, s *server) {
	ada := s.member(t)
	for _, c := range []struct {
		title, content string
		want           object
	}{
		{"杭州市西湖区散步", "", place("浙江省", "杭州市", "西湖区")},
		{"散步", "今天在浙江省杭州市西湖区走了一天。", place("浙江省", "杭州市", "西湖区")},
		{"北京市", "海淀区", place("北京市", "北京市", "海淀区")},
		{"浙江省", "", place("浙江省", "", "")},
		{"上海市", "杭州市,又是杭州市。", place("浙江省", "杭州市", "")},
		{"上海市", "杭州市", place("上海市", "上海市", "")},
		{"", "先到南京市,再到杭州市。", place("江苏省", "南京市", "")},
		{"朝阳区", "", place("", "", "")},
		{"杭州市", "朝阳区", place("浙江省", "杭州市", "")},
		{"Paris", "Along the Seine, then 東京.", place("", "", "")},
		{"", "", place("", "", "")},
	} {
		id := ada.writes(t, object{"title": c.title, "content": c.content}).shows(c.want).int("data.id")
		ada.reads(t, id).shows(c.want)
	}
	ada.writes(t, object{"html_content": "<p>杭州市</p>"}).shows(place("", "", ""))
}

// sanitisedHTML shows what becomes of HTML on its way: that the sanitiser leaves nothing
// which acts is for its own tests.
func sanitisedHTML(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.writes(t, object{}).int("data.id")
	ours := `<img src="` + s.url + `/media/public/x.png"/>`
	for raw, clean := range map[string]string{
		`<p onclick="alert(1)">a</p><script>alert(1)</script>`: "<p>a</p>",
		`<a href="javascript:alert(1)">a</a>`:                  "a",
		`<img src=x onerror=alert(1)>b`:                        "b",
		`<img src="https://evil.example/media/public/x.png">b`: "b",
		`<img src="` + s.url + `/media/private/x.png">b`:       "b",
		ours: ours,
		"<section>在 x</section> <b>1 &lt; 2</b>": "在 x <b>1 &lt; 2</b>",
	} {
		assert.Equal(t, markup.HTML(clean), sanitiser.New(s.url+"/media/public/").Sanitise(raw))
		wanted := object{"html_content": clean}
		ada.patch(t, eventPath(id), object{"html_content": raw}).is(200).shows(wanted)
		ada.reads(t, id).shows(wanted)
		again := ada.writes(t, object{"html_content": raw}).shows(wanted).int("data.id")
		ada.patch(t, eventPath(again), wanted).is(200).shows(wanted)
	}
}

func plainTextIsPlain(t *testing.T, s *server) {
	ada := s.member(t)
	for _, plain := range []string{
		`<script>alert("1")</script><b>bold</b>`, `&lt;b&gt; &amp;amp; &#39;`, `Robert'); DROP TABLE event;--`, `{{7*7}} ${7*7} %s %00 \n \u0041`,
		"line one\nline two\ttabbed", "e\u0301 é \u200d👩‍👩‍👧 \u202e txet", `"quoted" \back/slash`, "a\u2028b\u2029c",
	} {
		wanted := object{"title": strings.TrimSpace(plain), "content": "\n " + plain + " \r\n"}
		id := ada.publishes(t, plain, object{"content": wanted["content"]})
		ada.reads(t, id).shows(wanted)
		ada.get(t, events).is(200).shows(object{"0.title": wanted["title"], "0.content": wanted["content"]})
		ada.delete(t, eventPath(id)).is(204)
	}
}

// wide is a character of four bytes.
const wide = "𝄞"

func textLimits(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	for _, limited := range []struct {
		field string
		most  string
	}{
		{"title", strings.Repeat(wide, 200)},
		{"content", strings.Repeat(wide, 20_000)},
		{"html_content", strings.Repeat(wide, 16<<10)},
	} {
		fits, tooLong := object{limited.field: limited.most}, object{limited.field: limited.most + "x"}
		ada.patch(t, eventPath(id), fits).is(200).shows(fits)
		ada.patch(t, eventPath(id), tooLong).invalid(limited.field)
		ada.post(t, events, tooLong).invalid(limited.field)
		ada.reads(t, id).shows(fits)
	}
	ada.patch(t, eventPath(id), object{"title": "  " + strings.Repeat("x", 200) + "\n"}).is(200)
	// Each & is five bytes of stored markup.
	ada.patch(t, eventPath(id), object{"html_content": strings.Repeat("&", 16<<10)}).invalid("html_content")

	said := strings.Repeat(wide, 2000)
	ada.post(t, comments, object{"event": id, "content": said}).is(201).shows(object{"content": said})
	ada.post(t, comments, object{"event": id, "content": said + "x"}).invalid("content")
}
