package contract

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/sanitiser"
	"plaza/application/signin"
	"plaza/domain/calendar"
	"plaza/domain/event"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/news"
)

var eventTextRows = []row{
	{"EVT-16 the place is the one that the text names", placeOfText, oneStore},
	{"EVT-18 html_content is stored and shown as the sanitiser leaves it", sanitisedHTML, oneStore},
	{"EVT-18 title and content are never interpreted", plainTextIsPlain, everyStore},
	{"EVT-21 the worst page is bounded", worstPage, oneStore},
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
		{"散步", "今天在浙江省杭州市西湖区走了一天。", place("浙江省", "杭州市", "西湖区")},
		{"北京市", "海淀区", place("北京市", "北京市", "海淀区")},
		{"上海市", "杭州市,又是杭州市。", place("浙江省", "杭州市", "")},
		{"上海市", "杭州市", place("上海市", "上海市", "")},
		{"Paris", "朝阳区", place("", "", "")},
	} {
		id := ada.writes(t, object{"title": c.title, "content": c.content}).shows(c.want).int("data.id")
		ada.reads(t, id).shows(c.want)
	}
	ada.writes(t, object{"html_content": "<p>杭州市</p>"}).shows(place("", "", ""))
}

// sanitisedHTML shows what becomes of HTML on its way: that the sanitiser leaves nothing which acts is for its own tests.
func sanitisedHTML(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.writes(t, object{}).int("data.id")
	ours := `<img src="` + s.url + `/media/public/x.png"/>`
	for raw, clean := range map[string]string{
		`<p onclick="alert(1)">a</p><script>alert(1)</script>`: "<p>a</p>",
		`<img src="https://evil.example/media/public/x.png">b`: "b",
		`<img src="` + s.url + `/media/private/x.png">b`:       "b",
		ours: ours,
		"<section>在 x</section> <b>1 &lt; 2</b>": "在 x <br/><b>1 &lt; 2</b>",
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
		`<script>alert("1")</script>&lt;b&gt; &amp;amp; &#39;`, `Robert'); DROP TABLE event;--`, `{{7*7}} ${7*7} %s %00 \n \u0041`, "é \u200d👩‍👩‍👧 \u200e txet",
	} {
		wanted := object{"title": strings.TrimSpace(plain), "content": "\n " + plain + " \r\n"}
		id := ada.publishes(t, plain, object{"content": wanted["content"]})
		ada.reads(t, id).shows(wanted)
	}
}

// wide is a character of four bytes.
const wide = "𝄞"

// costly is the character that JSON makes the most of: six bytes for one. A text of one line has at most four, as in wide.
const costly = "\u0001"

// The maximum size of a page of events, in bytes. The interface gives the events of the_moment whole, so that each text stands four times
// on the page: alone, and three times as another's moment. News is the operator's own; it counts here with as much HTML as an event may
// have.
const (
	most       = len(`\u0001`)
	named      = 6*64*len(wide) + 1<<10 // names, twice in the full name, and addresses of pictures
	maxPlate   = 2*64*most + 512
	maxEntry   = 200*len(wide) + (20_000+64<<10)*most + named + event.MaxPlates*maxPlate + 1<<10
	maxComment = 2000*most + named + 256
	maxNews    = 64<<10 + 1<<10
	maxPage    = 100 * (4*maxEntry + 10*maxComment + 3*maxNews)
)

// worstPage measures what a member can make the server write at once. It fills
// the stores directly, after it has seen that such an event gets in.
func worstPage(t *testing.T, s *server) {
	ada := s.member(t, func(r *signin.Registration) {
		name := strings.Repeat(wide, 64)
		r.Member.Firstname, r.Member.Lastname, r.Member.Expertise, r.Member.Location = name, name, name, name
	})
	longest := func(chars int) string { return "x" + strings.Repeat(costly, chars-1) }
	texts := object{"title": strings.Repeat(wide, 200), "content": longest(20_000), "html_content": longest(64 << 10)}
	id := ada.publishes(t, "", texts)
	ada.reads(t, id).shows(texts)
	written, err := s.app.Stores.Events.Change(t.Context(), event.ID(id), func(e *event.Event) error {
		for range event.MaxPlates {
			if err := e.AddPlate(event.Plate{Photo: media.Key(strings.Repeat("p", 100))}, epoch); err != nil {
				return err
			}
		}
		return nil
	})
	require.NoError(t, err)
	for range 100 {
		added, err := s.app.Stores.Events.Add(t.Context(), written.Event)
		require.NoError(t, err)
		for range 10 {
			comment, err := event.NewComment(added.ID(), ada.id, longest(2000), epoch)
			require.NoError(t, err)
			_, _, err = s.app.Stores.Discussion.AddComment(t.Context(), comment)
			require.NoError(t, err)
		}
	}
	for range 3 {
		s.stores(t, news.Item{
			Title: "The lake", URL: "https://lake.example/", Released: calendar.DateOf(epoch), HTML: markup.HTML(strings.Repeat("x", 64<<10)),
		})
	}

	req, err := http.NewRequestWithContext(t.Context(), "GET", s.url+events+"?page_size=1000", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Token "+ada.key)
	start := time.Now()
	res, err := http.DefaultClient.Do(req) // as slow as it may be
	require.NoError(t, err)
	defer res.Body.Close()
	size, err := io.Copy(io.Discard, res.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode)
	assert.Less(t, size, int64(maxPage))
	assert.Greater(t, size, int64(maxPage)*9/10, "the page was not the worst")
	t.Logf("the worst page: %d bytes of at most %d in %v", size, maxPage, time.Since(start))
}
