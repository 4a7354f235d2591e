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
	"plaza/domain/instant"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/news"
)

var eventRows = []row{
	{"EVT-02 a new event is a blank public draft of today", newEventDefaults, oneStore},
	{"EVT-02 the category is one that exists or null", categoryExists, oneStore},
	{"EVT-02 an event happens at most a year ahead of its author's today", farEvents, oneStore},
	{"EVT-03 a patch writes the fields it carries", patchWritesWhatItCarries, oneStore},
	{"EVT-04 EVT-05 publish true publishes, publish false makes a draft, and each stays", publishAndUnpublish, everyStore},
	{"EVT-04 a blank event is not published and nothing of the patch is stored", blankIsNotPublished, everyStore},
	{"EVT-04 a published event cannot be made blank", publishedStaysSeen, oneStore},
	{"EVT-06 a patch without view_permission exposes nothing", permissionStays, everyStore},
	{"EVT-09 a deleted event is gone with all that hung on it", deletedIsGone, everyStore},
	{"EVT-20 patches at once lose nothing", patchesAtOnce, everyStore},
	{"EVT-16 the place is the one that the text names", placeOfText, oneStore},
	{"EVT-18 html_content is stored and shown as the sanitiser leaves it", sanitisedHTML, oneStore},
	{"EVT-18 title and content are never interpreted", plainTextIsPlain, everyStore},
	{"EVT-21 the worst page is bounded", worstPage, oneStore},
}

func newEventDefaults(t *testing.T, s *server) {
	ada := s.member(t)
	none := []any{}
	ada.writes(t, object{}).shows(object{
		"title": "", "content": "", "html_content": "", "category": nil, "category_name": nil, "status": 0, "view_permission": 0,
		"event_time": "2026-11-20", "city": nil, "district": nil, "province": nil, "comment_count": 0, "like_count": 0,
		"plates": none, "comments": none, "the_moment": none, "place_around": none,
	})
	ada.writes(t, object{"title": "Out", "publish": true}).shows(object{"status": 100})
	ada.post(t, events, object{"content": " \n", "html_content": "<p> </p>", "publish": true}).invalid("publish")
	assert.Equal(t, 2, ada.get(t, events).is(200).int("pagination.total_count"), "the refused one was not stored")
}

func categoryExists(t *testing.T, s *server) {
	s.shelve(t, 7, "Walks")
	ada := s.member(t)
	id := ada.writes(t, object{"category": "7"}).shows(object{"category": 7, "category_name": "Walks"}).int("data.id")
	ada.patch(t, eventPath(id), object{"category": nil}).is(200).shows(object{"category": nil, "category_name": nil})
	ada.patch(t, eventPath(id), object{"category": 7}).is(200).shows(object{"category": 7, "category_name": "Walks"})
	ada.patch(t, eventPath(id), object{"title": "Out"}).is(200).shows(object{"category": 7})
	ada.writes(t, object{"category": nil}).shows(object{"category": nil})
	for _, unknown := range []any{8, 0, -1, "uncategory", true, 7.5} {
		ada.post(t, events, object{"category": unknown}).invalid("category")
		ada.patch(t, eventPath(id), object{"category": unknown, "title": "In"}).invalid("category")
	}
	ada.reads(t, id).shows(object{"category": 7, "title": "Out"})
}

// farEvents has authors whose days differ: their clocks are 24 hours apart.
func farEvents(t *testing.T, s *server) {
	for zone, last := range map[string]string{"Pacific/Kiritimati": "2027-11-21", "Pacific/Honolulu": "2027-11-20"} {
		author := s.member(t, func(r *signin.Registration) { r.Member.Timezone = zone })
		id := author.writes(t, object{"event_time": last}).int("data.id")
		author.patch(t, eventPath(id), object{"event_time": last}).is(200)
		day, err := calendar.ParseDate(last)
		require.NoError(t, err)
		for _, far := range []string{calendar.DateOf(day.Time().AddDate(0, 0, 1)).String(), "3026-01-01", "9999-12-31"} {
			author.post(t, events, object{"event_time": far, "title": 5}).invalid("event_time", "title")
			author.patch(t, eventPath(id), object{"event_time": far}).invalid("event_time")
		}
		author.reads(t, id).shows(object{"event_time": last})
		author.writes(t, object{"event_time": "0001-01-01"})
	}
}

func patchWritesWhatItCarries(t *testing.T, s *server) {
	s.shelve(t, 7, "Walks")
	ada := s.member(t)
	id := ada.publishes(t, "One", object{"content": "first"})
	want := object{
		"title": "One", "content": "first", "html_content": "", "event_time": "2026-11-20",
		"view_permission": 0, "category": nil, "status": 100, "create_time": "2026-11-20T12:00:00.000000Z",
	}
	for field, value := range (object{
		"title": "Two", "content": " second\n", "html_content": "<p>third</p>", "event_time": "2024-02-29",
		"view_permission": 200, "category": 7,
	}) {
		s.clock.advance(time.Second)
		want[field] = value
		want["last_modified"] = instant.Timestamp(s.clock.Now()).String()
		ada.patch(t, eventPath(id), object{field: value}).is(200).shows(want)
		ada.reads(t, id).shows(want)
	}
	ada.patch(t, eventPath(id), object{}).is(200).shows(want)
	ada.patch(t, eventPath(id), object{"title": "\t Three \u00a0"}).is(200).shows(object{"title": "Three"})
}

func publishAndUnpublish(t *testing.T, s *server) {
	ada, eve := s.member(t), s.member(t)
	for _, seen := range []object{{"title": "x"}, {"content": "x"}, {"html_content": "<p>x</p>"}} {
		id := ada.writes(t, seen).int("data.id")
		eve.get(t, eventPath(id)).is(404)
		for range 2 { // Draft becomes Normal, Normal stays
			ada.patch(t, eventPath(id), object{"publish": true}).is(200).shows(object{"status": 100})
		}
		eve.reads(t, id).shows(object{"status": 100})
		for range 2 { // makes a draft, leaves a draft
			ada.patch(t, eventPath(id), object{"publish": false}).is(200).shows(object{"status": 0})
			eve.get(t, eventPath(id)).is(404)
		}
		ada.patch(t, eventPath(id), object{"title": "y"}).is(200).shows(object{"status": 0})
		ada.patch(t, eventPath(id), object{"publish": true}).is(200)
		ada.patch(t, eventPath(id), object{"title": "z"}).is(200).shows(object{"status": 100})
	}
	id := ada.writes(t, object{}).int("data.id")
	ada.attaches(t, id)
	ada.patch(t, eventPath(id), object{"publish": true}).is(200).shows(object{"status": 100})
	assert.Len(t, eve.reads(t, id).list("data.plates"), 1, "a picture is enough to show")
}

func blankIsNotPublished(t *testing.T, s *server) {
	ada := s.member(t)
	kept := object{"title": "", "content": "", "html_content": "", "event_time": "2026-11-20", "status": 0, "view_permission": 0}
	id := ada.writes(t, object{}).shows(kept).int("data.id")
	for _, blank := range []object{
		{}, {"content": "\u00a0\n"}, {"title": "\u3164"}, {"html_content": "<p>&nbsp;</p><br>"}, {"html_content": "<script>alert(1)</script>"},
	} {
		blank["publish"], blank["event_time"], blank["view_permission"] = true, "2020-01-01", 200
		ada.patch(t, eventPath(id), blank).invalid("publish")
		ada.reads(t, id).shows(kept)
	}
}

func publishedStaysSeen(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	ada.patch(t, eventPath(id), object{"title": " ", "content": " ", "event_time": "2020-01-01"}).invalid("title", "content")
	ada.patch(t, eventPath(id), object{"title": "\u3164", "html_content": "<p></p>"}).invalid("title", "html_content")
	ada.reads(t, id).shows(object{"title": "x", "content": "", "event_time": "2026-11-20", "status": 100})
	ada.patch(t, eventPath(id), object{"title": "", "content": "y"}).is(200).shows(object{"title": "", "content": "y"})
	ada.patch(t, eventPath(id), object{"content": "", "publish": false}).is(200).shows(object{"content": "", "status": 0})
}

func permissionStays(t *testing.T, s *server) {
	ada, eve := s.member(t), s.member(t)
	for _, permission := range []int{100, 200} {
		id := ada.writes(t, object{"title": "x", "view_permission": permission}).int("data.id")
		for _, change := range []object{{"title": "y"}, {"publish": true}, {"event_time": "2026-01-01"}, {}} {
			ada.patch(t, eventPath(id), change).is(200).shows(object{"view_permission": permission})
			eve.get(t, eventPath(id)).is(404)
		}
	}
	doc, err := theDocument()
	require.NoError(t, err)
	body := doc.Paths.Value(events + "{id}/").Patch.RequestBody.Value.Content.Get("application/json").Schema.Value
	require.Contains(t, body.Properties, "view_permission")
	assert.Nil(t, body.Properties["view_permission"].Value.Default, "a generated client would send it")
}

func deletedIsGone(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	stays, goes := ada.publishes(t, "stays"), ada.publishes(t, "goes")
	comment := bob.comments(t, goes, "Oh")
	bob.put(t, likePath(goes)).is(204)
	bob.comments(t, stays, "Ah")
	bob.reads(t, stays).shows(object{"the_moment.0.title": "goes"})

	assert.Empty(t, ada.delete(t, eventPath(goes)).is(204).body)
	bob.delete(t, commentPath(comment)).fails(404, "RESOURCE_NOT_FOUND")
	for _, p := range []person{ada, bob} {
		p.get(t, eventPath(goes)).fails(404, "RESOURCE_NOT_FOUND")
		p.get(t, commentsOn(goes)).fails(404, "RESOURCE_NOT_FOUND")
		list := p.get(t, eventsOf(ada)).is(200)
		assert.Equal(t, []string{"stays"}, list.titles())
		assert.Equal(t, 1, list.int("pagination.total_count"))
	}
	assert.Equal(t, []string{"stays"}, ada.get(t, events).is(200).titles())
	assert.Equal(t, []string{"stays"}, ada.get(t, events+"new-comment-event/").is(200).titles())
	bob.reads(t, stays).shows(object{"the_moment": []any{}, "comment_count": 1})
}

func patchesAtOnce(t *testing.T, s *server) {
	s.shelve(t, 7, "Walks")
	ada := s.member(t)
	changes := []object{
		{"title": "in 杭州市"}, {"content": "all day"}, {"html_content": "<p>long</p>"}, {"event_time": "2026-11-01"},
		{"view_permission": 100}, {"category": 7}, {"publish": true}, {"title": "in 杭州市", "event_time": "2026-11-01"},
	}
	for range 5 {
		id := ada.writes(t, object{"content": "something"}).int("data.id")
		atOnce(16, func(i int) { ada.patch(t, eventPath(id), changes[i%len(changes)]).is(200) })
		ada.reads(t, id).shows(object{
			"title": "in 杭州市", "content": "all day", "html_content": "<p>long</p>", "event_time": "2026-11-01",
			"view_permission": 100, "category": 7, "status": 100, "city": "杭州市", "province": "浙江省",
		})
	}
}

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

	start := time.Now()
	res, err := http.DefaultClient.Do(ada.prepares(t, "GET", events+"?page_size=1000", nil)) // as slow as it may be
	require.NoError(t, err)
	defer res.Body.Close()
	size, err := io.Copy(io.Discard, res.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode)
	assert.Less(t, size, int64(maxPage))
	assert.Greater(t, size, int64(maxPage)*9/10, "the page was not the worst")
	t.Logf("the worst page: %d bytes of at most %d in %v", size, maxPage, time.Since(start))
}
