package imported_test

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/sanitiser"
	"plaza/domain/calendar"
	"plaza/domain/fault"
	"plaza/domain/geo"
	"plaza/domain/imported"
	"plaza/domain/markup"
	"plaza/domain/media"
	"plaza/domain/publication"
	"plaza/domain/user"
)

var (
	noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	late = time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)
	long = strings.Repeat("茶", 201)
)

// recordOf returns the record of a valid draft.
func recordOf[R imported.Record](t *testing.T, d imported.Draft) R {
	t.Helper()
	r, err := d.Record(sanitiser.New())
	require.NoError(t, err)
	made, is := r.(R)
	require.True(t, is, "%T", r)
	return made
}

// assertWrong asserts that the fault has one sentence for each of these fields only.
func assertWrong(t *testing.T, d imported.Draft, fields ...string) {
	t.Helper()
	_, err := d.Record(sanitiser.New())
	if len(fields) == 0 {
		assert.NoError(t, err)
		return
	}
	f, is := fault.As(err)
	require.True(t, is, "%+v", d)
	assert.Equal(t, fault.Invalid, f.Kind)
	assert.Len(t, f.Fields, len(fields), "%v", f.Fields)
	for _, field := range fields {
		assert.Len(t, f.Fields[field], 1, field)
	}
}

// notOfOneLine are the fields that are ids, addresses, names of a form of their own, or texts of several lines.
var notOfOneLine = []string{"ID", "Username", "Timezone", "Slug", "HTML", "Summary", "Description", "Author", "Robot", "Language",
	"SiteLogo", "URL", "Images"}

func TestADM04_titles_names_and_tags_are_of_one_line(t *testing.T) {
	tried := 0
	for _, draft := range []imported.Draft{
		userDraft(), imported.CategoryDraft{ID: 1, Name: "Tea", Slug: "tea"}, publicationDraft(), nodeDraft(), demandDraft(), newsDraft(),
		imported.HowToDraft{Category: "Tea", Robot: "r1", Created: noon},
	} {
		assertWrong(t, draft)
		for _, field := range reflect.VisibleFields(reflect.TypeOf(draft)) {
			isTexts := field.Type == reflect.TypeFor[[]string]()
			if field.Type.Kind() != reflect.String && !isTexts || slices.Contains(notOfOneLine, field.Name) {
				continue
			}
			tried++
			for _, bad := range []string{"a\nb", "\u202eabc", "a\u2028b", "a\ufffe", "e" + strings.Repeat("\u0316", 5)} {
				changed := reflect.New(reflect.TypeOf(draft)).Elem()
				changed.Set(reflect.ValueOf(draft))
				value := reflect.ValueOf(bad)
				if isTexts {
					value = reflect.ValueOf([]string{bad})
				}
				changed.FieldByIndex(field.Index).Set(value)
				name := strings.ToLower(strings.ReplaceAll(field.Name, "SiteName", "site_name"))
				assertWrong(t, changed.Interface().(imported.Draft), name)
			}
		}
	}
	assert.Equal(t, 18, tried)
	d := userDraft()
	d.Firstname, d.Lastname = strings.Repeat("e\u0301", 64), ""
	assert.Equal(t, strings.Repeat("é", 64), recordOf[imported.UserRecord](t, d).Firstname)
}

func userDraft() imported.UserDraft {
	return imported.UserDraft{ID: "u1", Username: "+86-13800000001", Joined: noon}
}

func TestADM04_drafts_of_users(t *testing.T) {
	d := userDraft()
	d.Username, d.Firstname, d.Lastname, d.Expertise, d.Location = " +86-13800000001", " 雷", "李 ", "Tea ", " Hangzhou"
	d.Joined = noon.Add(1)
	got := recordOf[imported.UserRecord](t, d)
	assert.Equal(t, "u1", got.Source)
	assert.Equal(t, "+86-13800000001", got.Phone.String())
	assert.Equal(t, user.Member{Firstname: "雷", Lastname: "李", Expertise: "Tea", Location: "Hangzhou", Timezone: "UTC", Joined: noon},
		got.Member)
	d = userDraft()
	d.ID = imported.SourceID(long[:len(long)-len("茶")])
	assertWrong(t, d)
	d.ID = imported.SourceID(long)
	assertWrong(t, d, "id")
	assertWrong(t, imported.UserDraft{Firstname: long, Lastname: long, Expertise: long, Location: long, Timezone: "Nowhere"},
		"id", "username", "firstname", "lastname", "expertise", "location", "timezone", "joined")
}

func TestADM04_drafts_of_categories_and_bundles(t *testing.T) {
	category := recordOf[imported.CategoryRecord](t, imported.CategoryDraft{ID: 2, Parent: 1, Name: " Tea", Slug: "tea"})
	assert.Equal(t, "Tea", category.Name)
	assert.EqualValues(t, []any{2, 1}, []any{int(category.ID), int(category.Parent)})
	assertWrong(t, imported.CategoryDraft{Parent: -1}, "id", "parent", "name", "slug")

	binding := recordOf[imported.BundleRecord](t, imported.BundleDraft{ID: 3, FirstOriginal: 1, Original: 2})
	assert.Equal(t, publication.Bundle{ID: 3, FirstOriginal: 1, Original: 2}, binding.Bundle)
	assertWrong(t, imported.BundleDraft{FirstOriginal: -1, Original: -1}, "id", "first_original", "original")
}

func contentDraft() imported.ContentDraft {
	return imported.ContentDraft{Title: "Tea", Author: "u1", Language: "en", Created: noon}
}

func publicationDraft() imported.PublicationDraft {
	return imported.PublicationDraft{ID: 3, Bundle: 5, ContentDraft: contentDraft()}
}

func nodeDraft() imported.NodeDraft {
	return imported.NodeDraft{ID: 3, ContentDraft: contentDraft()}
}

func demandDraft() imported.DemandDraft {
	return imported.DemandDraft{ID: 3, Title: "Tea", Author: "u1", Closed: noon, Start: noon, End: noon, Created: noon}
}

func TestADM04_drafts_of_publications_and_nodes(t *testing.T) {
	content := publication.Content{
		Title: "Tea", Summary: "How to", Language: "zh-CN", Category: 2, Published: true, Deleted: true, Created: noon,
		Updated: noon.Add(time.Hour),
	}
	draft := imported.ContentDraft{
		Title: "Tea ", Summary: "How to", Author: "u1", Language: "zh_CN", Category: 2,
		Published: true, Deleted: true, Created: noon.Add(1), Updated: noon.Add(time.Hour),
	}
	text := recordOf[imported.PublicationRecord](t, imported.PublicationDraft{
		ID: 3, Bundle: 5, Node: 7, Type: publication.MultiChapter, ContentDraft: draft,
	})
	assert.Equal(t, imported.PublicationRecord{By: "u1", Publication: publication.Publication{
		ID: 3, Bundle: publication.Bundle{ID: 5}, Node: 7, Type: publication.MultiChapter, Content: content,
	}}, text)
	node := recordOf[imported.NodeRecord](t, imported.NodeDraft{
		ID: 3, Bundle: 5, ContentDraft: draft,
	})
	assert.Equal(t, imported.NodeRecord{By: "u1", Node: publication.Node{ID: 3, Bundle: 5, Content: content}}, node)

	none := &imported.CoverDraft{}
	wrong := imported.ContentDraft{Summary: "\x00", Category: -1, Cover: none, Updated: late}
	assertWrong(t, imported.PublicationDraft{Node: -1, Type: 1, ContentDraft: wrong},
		"id", "bundle", "node", "type", "title", "summary", "cover.url", "cover.width", "cover.height", "author", "language", "category",
		"created", "updated")
	assertWrong(t, imported.NodeDraft{Bundle: -1, ContentDraft: wrong},
		"id", "bundle", "title", "summary", "cover.url", "cover.width", "cover.height", "author", "language", "category", "created", "updated")
}

func TestADM04_drafts_of_demands(t *testing.T) {
	d := demandDraft()
	d.Description, d.Tags, d.Images = "Green", []string{" a", "a"}, []string{"https://example.org/1"}
	d.Address, d.Category, d.Lat, d.Lng, d.Published, d.End, d.Updated = "Lake Road 1", 2, new(30.0), new(-180.0), true, noon.Add(2),
		noon.Add(time.Hour)
	got := recordOf[imported.DemandRecord](t, d)
	assert.Equal(t, &geo.Point{Lat: 30, Lng: -180}, got.Place)
	assert.Equal(t, []string{"a"}, got.Tags)
	assert.Equal(t, noon, got.End)
	assert.Equal(t, "u1", got.By)
	assert.True(t, got.Published)
	assert.Nil(t, recordOf[imported.DemandRecord](t, demandDraft()).Place, "nowhere")

	for _, c := range []struct {
		lat, lng *float64
		wrong    []string
	}{
		{new(0.0), new(0.0), nil},
		{new(math.NaN()), new(math.Inf(1)), []string{"lat", "lng"}},
		{nil, new(0.0), []string{"lat"}},
		{new(0.0), nil, []string{"lng"}},
	} {
		d := demandDraft()
		d.Lat, d.Lng = c.lat, c.lng
		assertWrong(t, d, c.wrong...)
	}
	assertWrong(t, imported.DemandDraft{
		Description: "\x00", Tags: []string{""}, Images: []string{""}, Address: long + long, Category: -1, Lat: new(91.0), Lng: new(181.0),
		Cover: &imported.CoverDraft{}, Updated: late,
	}, "id", "title", "description", "tags", "images", "address", "category", "lat", "lng", "author", "cover.url", "cover.width",
		"cover.height", "closed", "start", "end", "created", "updated")
}

func TestADM04_drafts_of_how_tos(t *testing.T) {
	got := recordOf[imported.HowToRecord](t, imported.HowToDraft{Category: " Tea", Robot: "r1", Bundles: []publication.BundleID{5, 6, 5},
		Created: noon})
	assert.Equal(t, imported.HowToRecord{By: "r1", HowTo: publication.HowTo{
		Category: "Tea", Bundles: []publication.BundleID{5, 6}, Created: noon, Updated: noon,
	}}, got)
	assertWrong(t, imported.HowToDraft{Robot: imported.SourceID(long), Bundles: []publication.BundleID{-1}, Updated: late},
		"category", "robot", "bundles", "created", "updated")
}

func newsDraft() imported.NewsDraft {
	return imported.NewsDraft{ID: "n1", SiteName: "The Lake Post", URL: "https://example.org/1", Title: "Fog", Released: calendar.DateOf(noon)}
}

func TestADM04_drafts_of_news(t *testing.T) {
	d := newsDraft()
	d.HTML, d.City = `<p onclick="alert(1)">Fog</p><script>alert(2)</script>`, " Hangzhou"
	got := recordOf[imported.NewsRecord](t, d)
	assert.EqualValues(t, "<p>Fog</p>", got.HTML)
	assert.Equal(t, "n1", got.Source)
	assert.Equal(t, "Hangzhou", got.City)
	assert.Zero(t, got.Item.ID, "that is for the store")

	assertWrong(t, imported.NewsDraft{SiteLogo: "/", HTML: "\x00", Category: long, City: long, District: long, Province: long, Country: long},
		"id", "site_name", "site_logo", "url", "title", "released", "html", "category", "city", "district", "province", "country")
}

// texted returns a draft with the HTML for each kind that may have one.
func texted(html string) map[string]imported.Draft {
	p, n, d := publicationDraft(), nodeDraft(), newsDraft()
	p.HTML, n.HTML, d.HTML = html, html, html
	return map[string]imported.Draft{"publication": p, "node": n, "news": d}
}

func TestADM04_the_HTML_of_drafts(t *testing.T) {
	for html, wrong := range map[string][]string{
		"":                           nil,
		strings.Repeat("x", 256<<10): nil,
		"<!--" + strings.Repeat("x", 1<<20-7) + "-->": nil, // sanitising makes it short
		strings.Repeat("x", 256<<10+1):                {"html"},
		"<!--" + strings.Repeat("x", 1<<20-6) + "-->": {"html"},
		"\xff": {"html"},
	} {
		for _, draft := range texted(html) {
			assertWrong(t, draft, wrong...)
		}
	}
	for _, draft := range texted(strings.Repeat("x", 1<<20+1)) {
		_, err := draft.Record(idle{t})
		assert.Error(t, err)
	}
}

// idle is a sanitiser that must not be called.
type idle struct{ t *testing.T }

func (i idle) Sanitise(string) markup.HTML {
	i.t.Error("what is far too long was cleaned")
	return ""
}

// covered returns a draft with the cover for each kind that may have one, with the name
// of the cover's size.
func covered(c *imported.CoverDraft) map[string]imported.Draft {
	p, n, d := publicationDraft(), nodeDraft(), demandDraft()
	p.Cover, n.Cover, d.Cover = c, c, c
	return map[string]imported.Draft{"publication cover_sm": p, "node cover_sm": n, "demand demand_cover_md": d}
}

func pictureOf(r imported.Record) media.Picture {
	switch r := r.(type) {
	case imported.PublicationRecord:
		return r.Cover
	case imported.NodeRecord:
		return r.Cover
	}
	return r.(imported.DemandRecord).Cover
}

func TestADM04_covers_are_files_or_addresses_with_width_and_height(t *testing.T) {
	for name, d := range covered(&imported.CoverDraft{URL: "https://example.org/c.jpg", Width: 30, Height: 20}) {
		r := recordOf[imported.CoverRecord](t, d)
		_, size, _ := strings.Cut(name, " ")
		assert.Equal(t, media.Picture{Path: "https://example.org/c.jpg", Sizes: []media.Size{
			{Name: size, Width: 30, Height: 20, Path: "https://example.org/c.jpg"},
		}}, pictureOf(r))
		assert.Empty(t, r.CoverFile())
	}
	for _, c := range []struct {
		cover imported.CoverDraft
		wrong []string
	}{
		{imported.CoverDraft{}, []string{"cover.url", "cover.width", "cover.height"}},
		{imported.CoverDraft{File: "c.jpg", URL: "https://example.org/c.jpg"}, []string{"cover"}},
		{imported.CoverDraft{File: "c.jpg", Width: 30}, []string{"cover"}},
		{imported.CoverDraft{File: "c.jpg", Height: 20}, []string{"cover"}},
	} {
		for _, d := range covered(&c.cover) {
			assertWrong(t, d, c.wrong...)
		}
	}
}

func TestADM04_covers_are_in_the_folder_of_their_file(t *testing.T) {
	for _, good := range []string{
		"a", "a.jpg", "a/b.jpg", "covers/2026/a b.jpg", "封面/桂花.png", ".a", "a..", "a..b/c", "a/..b", "a/...", strings.Repeat("a", 1024),
	} {
		for _, d := range covered(&imported.CoverDraft{File: good}) {
			r := recordOf[imported.CoverRecord](t, d)
			assert.Equal(t, good, r.CoverFile())
			assert.Zero(t, pictureOf(r), "no picture before the file is stored")
		}
	}
	for _, bad := range []string{
		" ", "\u200b", ".", "..", "/", "/a", "//a", "../a", "a/..", "a/../b", "a/../../b", "./a", "a/.", "a/./b", "a//b", "a/", "../", "..a",
		`a\b`, `..\a`, `C:\x`, `\\server\x`, "a\x00", "a\xff", strings.Repeat("a", 1025),
	} {
		for _, d := range covered(&imported.CoverDraft{File: bad}) {
			assertWrong(t, d, "cover.file")
		}
	}
}
