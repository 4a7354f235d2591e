package news_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/calendar"
	"plaza/domain/fault"
	"plaza/domain/markup"
	"plaza/domain/news"
)

func newsItem() news.Item {
	return news.Item{
		SiteName: "The Lake Post", SiteLogo: "https://example.org/logo.png", URL: "https://example.org/news/1", Title: "Fog",
		Released: calendar.DateOf(time.Date(2026, 3, 14, 0, 0, 0, 0, time.UTC)), HTML: "<p>Much of it</p>",
		Category: "Weather", City: "Hangzhou", District: "Xihu", Province: "Zhejiang", Country: "China",
	}
}

func TestADM04_what_news_may_be(t *testing.T) {
	of := func(n int) string { return strings.Repeat("茶", n) }
	cases := map[string]struct {
		change func(*news.Item)
		wrong  []string
	}{
		"as it is":               {change: func(*news.Item) {}},
		"no logo":                {change: func(n *news.Item) { n.SiteLogo = "" }},
		"no text":                {change: func(n *news.Item) { n.HTML = "" }},
		"nowhere":                {change: func(n *news.Item) { n.City, n.District, n.Province, n.Country, n.Category = "", "", "", "", "" }},
		"the longest title":      {change: func(n *news.Item) { n.Title = " " + of(300) }},
		"the longest site":       {change: func(n *news.Item) { n.SiteName = of(100) + " " }},
		"the longest text":       {change: func(n *news.Item) { n.HTML = markup.HTML(strings.Repeat("x", 256<<10)) }},
		"no site":                {func(n *news.Item) { n.SiteName = "" }, []string{"site_name"}},
		"too long a site":        {func(n *news.Item) { n.SiteName = of(101) }, []string{"site_name"}},
		"no title":               {func(n *news.Item) { n.Title = "\u200b " }, []string{"title"}},
		"too long a title":       {func(n *news.Item) { n.Title = of(301) }, []string{"title"}},
		"too long a text":        {func(n *news.Item) { n.HTML = markup.HTML(strings.Repeat("x", 256<<10+1)) }, []string{"html"}},
		"too many bytes of text": {func(n *news.Item) { n.HTML = markup.HTML(of(90_000)) }, []string{"html"}},
		"a NUL in the text":      {func(n *news.Item) { n.HTML = "\x00" }, []string{"html"}},
		"no address":             {func(n *news.Item) { n.URL = "" }, []string{"url"}},
		"a path":                 {func(n *news.Item) { n.URL = "/news/1" }, []string{"url"}},
		"a logo that acts":       {func(n *news.Item) { n.SiteLogo = "data:image/svg+xml,<svg/>" }, []string{"site_logo"}},
		"a blank logo":           {func(n *news.Item) { n.SiteLogo = " " }, []string{"site_logo"}},
		"no day":                 {func(n *news.Item) { n.Released = calendar.Date{} }, []string{"released"}},
	}
	all := news.Item{SiteLogo: " ", HTML: "\xff"}
	wrong := []string{"site_name", "site_logo", "url", "title", "released", "html"}
	for name, value := range map[string]func(*news.Item) *string{
		"category": func(n *news.Item) *string { return &n.Category }, "city": func(n *news.Item) *string { return &n.City },
		"district": func(n *news.Item) *string { return &n.District }, "province": func(n *news.Item) *string { return &n.Province },
		"country": func(n *news.Item) *string { return &n.Country },
	} {
		cases["the longest "+name] = struct {
			change func(*news.Item)
			wrong  []string
		}{change: func(n *news.Item) { *value(n) = " " + of(100) + " " }}
		cases["too long: "+name] = struct {
			change func(*news.Item)
			wrong  []string
		}{func(n *news.Item) { *value(n) = of(101) }, []string{name}}
		*value(&all) = "\x00"
		wrong = append(wrong, name)
	}
	cases["everything"] = struct {
		change func(*news.Item)
		wrong  []string
	}{func(n *news.Item) { *n = all }, wrong}

	for name, c := range cases {
		n := newsItem()
		c.change(&n)
		_, err := news.New(n)
		fields := fault.FieldsOf(err)
		assert.Equal(t, len(c.wrong) == 0, err == nil, name)
		assert.Len(t, fields, len(c.wrong), name)
		for _, field := range c.wrong {
			assert.Len(t, fields[field], 1, "%s: %s", name, field)
		}
	}
}

func TestADM04_news_have_one_form(t *testing.T) {
	n := newsItem()
	n.SiteName, n.Title, n.Category, n.City = " The Lake Post", "\u3000Fog\n", "Weather ", "\tHangzhou"
	n.District, n.Province, n.Country = "Xihu ", " Zhejiang", "China\n"
	got, err := news.New(n)
	require.NoError(t, err)
	assert.Equal(t, newsItem(), got)
}
