package publication_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/publication"
)

// assertWrong asserts that the error has one sentence for each of these fields only.
func assertWrong(t *testing.T, err error, fields []string, name string) {
	t.Helper()
	if len(fields) == 0 {
		assert.NoError(t, err, name)
		return
	}
	wrong := fault.FieldsOf(err)
	assert.Len(t, wrong, len(fields), name)
	for _, field := range fields {
		assert.Len(t, wrong[field], 1, "%s: %s", name, field)
	}
}

func content() publication.Content {
	return publication.Content{Title: "Tea", Summary: "How to make it", Language: "en", Category: 4, Created: noon, Updated: noon}
}

func TestADM04_what_the_content_may_be(t *testing.T) {
	title, summary := strings.Repeat("茶", 300), strings.Repeat("茶", 20_000)
	for name, c := range map[string]struct {
		change func(*publication.Content)
		wrong  []string
	}{
		"as it is":              {change: func(*publication.Content) {}},
		"no category":           {change: func(c *publication.Content) { c.Category = 0 }},
		"the longest title":     {change: func(c *publication.Content) { c.Title = " " + title + "\n" }},
		"no summary":            {change: func(c *publication.Content) { c.Summary = "" }},
		"the longest summary":   {change: func(c *publication.Content) { c.Summary = summary }},
		"a long tag":            {change: func(c *publication.Content) { c.Language = "de-DE-u-co-phonebk-x-aaaaaaaa-bbbbb" }},
		"never updated":         {change: func(c *publication.Content) { c.Updated = time.Time{} }},
		"no title":              {func(c *publication.Content) { c.Title = "" }, []string{"title"}},
		"a blank title":         {func(c *publication.Content) { c.Title = "\u200b \u3000" }, []string{"title"}},
		"too long a title":      {func(c *publication.Content) { c.Title = title + "T" }, []string{"title"}},
		"a NUL in the title":    {func(c *publication.Content) { c.Title = "T\x00" }, []string{"title"}},
		"too long a summary":    {func(c *publication.Content) { c.Summary = summary + "T" }, []string{"summary"}},
		"spaces of the summary": {func(c *publication.Content) { c.Summary = summary + " " }, []string{"summary"}},
		"broken UTF-8":          {func(c *publication.Content) { c.Summary = "\xff" }, []string{"summary"}},
		"a negative category":   {func(c *publication.Content) { c.Category = -1 }, []string{"category"}},
		"never created":         {func(c *publication.Content) { c.Created = time.Time{} }, []string{"created"}},
		"updated before":        {func(c *publication.Content) { c.Updated = noon.Add(-time.Second) }, []string{"updated"}},
		"too long a tag":        {func(c *publication.Content) { c.Language = "de-DE-u-co-phonebk-x-aaaaaaaa-bbbbbb" }, []string{"language"}},
		"everything": {func(c *publication.Content) {
			*c = publication.Content{Summary: "\x00", Category: -1, Updated: noon.AddDate(9000, 0, 0)}
		},
			[]string{"title", "summary", "language", "category", "created", "updated"}},
	} {
		content := content()
		c.change(&content)
		_, err := publication.New(publication.Publication{ID: 1, Bundle: publication.Bundle{ID: 2}, Content: content})
		assertWrong(t, err, c.wrong, name)
		_, err = publication.NewNode(publication.Node{ID: 1, Content: content})
		assertWrong(t, err, c.wrong, name)
	}
}

func TestADM04_the_language_is_one_and_in_its_canonical_form(t *testing.T) {
	for written, kept := range map[string]string{
		"en": "en", "zh_CN": "zh-CN", "ZH-hant-tw": "zh-Hant-TW", " fr ": "fr", "iw": "he", "en-US-u-co-phonebk": "en-US-u-co-phonebk",
	} {
		c := content()
		c.Language = written
		n, err := publication.NewNode(publication.Node{ID: 1, Content: c})
		require.NoError(t, err, written)
		assert.Equal(t, kept, n.Language)
	}
	for _, none := range []string{
		"", " ", "*", "auto", "und", "English", "中文", "zh-CHS", "en,fr", "en,", "en;q=1", "en,\x00", "en\x00", "en;\xff", "x-abc",
	} {
		c := content()
		c.Language = none
		_, err := publication.NewNode(publication.Node{ID: 1, Content: c})
		assertWrong(t, err, []string{"language"}, none)
	}
}

func TestADM04_what_a_publication_may_be(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*publication.Publication)
		wrong  []string
	}{
		"as it is":          {change: func(*publication.Publication) {}},
		"many chapters":     {change: func(p *publication.Publication) { p.Type = 100 }},
		"a node":            {change: func(p *publication.Publication) { p.Node = 1 }},
		"no number":         {func(p *publication.Publication) { p.ID = 0 }, []string{"id"}},
		"a negative number": {func(p *publication.Publication) { p.ID = -1 }, []string{"id"}},
		"no bundle":         {func(p *publication.Publication) { p.Bundle.ID = 0 }, []string{"bundle"}},
		"a negative bundle": {func(p *publication.Publication) { p.Bundle.ID = -1 }, []string{"bundle"}},
		"a negative node":   {func(p *publication.Publication) { p.Node = -1 }, []string{"node"}},
		"another type":      {func(p *publication.Publication) { p.Type = 1 }, []string{"type"}},
		"type below":        {func(p *publication.Publication) { p.Type = -1 }, []string{"type"}},
		"type above":        {func(p *publication.Publication) { p.Type = 101 }, []string{"type"}},
		"everything outside": {func(p *publication.Publication) { *p = publication.Publication{Type: 1, Node: -1, Content: p.Content} },
			[]string{"id", "bundle", "node", "type"}},
		"content as well": {func(p *publication.Publication) { p.ID, p.Title = 0, "" }, []string{"id", "title"}},
	} {
		p := publication.Publication{ID: 1, Bundle: publication.Bundle{ID: 1}, Content: content()}
		c.change(&p)
		_, err := publication.New(p)
		assertWrong(t, err, c.wrong, name)
	}
}

func TestADM04_what_a_node_may_be(t *testing.T) {
	for name, c := range map[string]struct {
		node  publication.Node
		wrong []string
	}{
		"as it is":          {publication.Node{ID: 1}, nil},
		"in a bundle":       {publication.Node{ID: 1, Bundle: 1}, nil},
		"no number":         {publication.Node{}, []string{"id"}},
		"a negative number": {publication.Node{ID: -1}, []string{"id"}},
		"a negative bundle": {publication.Node{ID: 1, Bundle: -1}, []string{"bundle"}},
		"both":              {publication.Node{Bundle: -1}, []string{"id", "bundle"}},
	} {
		c.node.Content = content()
		_, err := publication.NewNode(c.node)
		assertWrong(t, err, c.wrong, name)
	}
}

func TestADM04_what_a_bundle_may_be(t *testing.T) {
	for _, c := range []struct {
		bundle publication.Bundle
		wrong  []string
	}{
		{publication.Bundle{ID: 1}, nil},
		{publication.Bundle{ID: 1, FirstOriginal: 1}, nil},
		{publication.Bundle{ID: 3, FirstOriginal: 1, Original: 2}, nil},
		{publication.Bundle{}, []string{"id"}},
		{publication.Bundle{ID: -1, Original: -1}, []string{"id", "original"}},
		{publication.Bundle{ID: 1, FirstOriginal: -1}, []string{"first_original"}},
		{publication.Bundle{ID: 1, Original: -1}, []string{"original"}},
		{publication.Bundle{ID: 1, Original: 1}, []string{"original"}},
		{publication.Bundle{FirstOriginal: -1, Original: -1}, []string{"id", "first_original", "original"}},
	} {
		got, err := publication.NewBundle(c.bundle)
		assertWrong(t, err, c.wrong, "a bundle")
		assert.Equal(t, c.bundle, got)
	}
}

// bundles returns the ids from 1 to the given number.
func bundles(n int) []publication.BundleID {
	ids := make([]publication.BundleID, n)
	for i := range ids {
		ids[i] = publication.BundleID(i + 1)
	}
	return ids
}

func TestADM04_what_a_how_to_may_be(t *testing.T) {
	long := strings.Repeat("茶", 100)
	for name, c := range map[string]struct {
		change func(*publication.HowTo)
		wrong  []string
	}{
		"as it is":             {change: func(*publication.HowTo) {}},
		"the longest category": {change: func(h *publication.HowTo) { h.Category = " " + long }},
		"no bundles":           {change: func(h *publication.HowTo) { h.Bundles = nil }},
		"as many as may be":    {change: func(h *publication.HowTo) { h.Bundles = bundles(1000) }},
		"some of them twice":   {change: func(h *publication.HowTo) { h.Bundles = append(bundles(1000), bundles(9)...) }},
		"no category":          {func(h *publication.HowTo) { h.Category = " " }, []string{"category"}},
		"too long a category":  {func(h *publication.HowTo) { h.Category = long + "T" }, []string{"category"}},
		"one too many":         {func(h *publication.HowTo) { h.Bundles = bundles(1001) }, []string{"bundles"}},
		"far too many":         {func(h *publication.HowTo) { h.Bundles = bundles(100_000) }, []string{"bundles"}},
		"two that are none":    {func(h *publication.HowTo) { h.Bundles = []publication.BundleID{1, 0, -1} }, []string{"bundles"}},
		"never created":        {func(h *publication.HowTo) { h.Created = time.Time{} }, []string{"created"}},
		"everything": {func(h *publication.HowTo) {
			*h = publication.HowTo{Bundles: []publication.BundleID{0}, Updated: noon.AddDate(9000, 0, 0)}
		},
			[]string{"category", "bundles", "created", "updated"}},
	} {
		h := publication.HowTo{Category: "Tea", Bundles: bundles(3), Created: noon, Updated: noon}
		c.change(&h)
		_, err := publication.NewHowTo(h)
		assertWrong(t, err, c.wrong, name)
	}
	given := []publication.BundleID{5, 3, 5, 9, 3}
	h, err := publication.NewHowTo(publication.HowTo{Category: "\tTea ", Robot: 7, Bundles: given, Created: noon.Add(1)})
	require.NoError(t, err)
	assert.Equal(t, publication.HowTo{Category: "Tea", Robot: 7, Bundles: []publication.BundleID{5, 3, 9}, Created: noon, Updated: noon}, h)
	assert.Equal(t, []publication.BundleID{5, 3, 5, 9, 3}, given, "the argument is not changed")
}

func TestADM04_content_has_one_form(t *testing.T) {
	east := time.FixedZone("", 8*60*60)
	c := content()
	c.Title, c.Summary = "\u3000 Tea\n", " How to make it"
	c.Created, c.Updated = noon.Add(1).In(east), noon.Add(1001).In(east)
	want := content()
	want.Summary, want.Updated = " How to make it", noon.Add(time.Microsecond)
	p, err := publication.New(publication.Publication{ID: 1, Bundle: publication.Bundle{ID: 1}, Content: c})
	require.NoError(t, err)
	assert.Equal(t, want, p.Content)
	n, err := publication.NewNode(publication.Node{ID: 1, Content: c})
	require.NoError(t, err)
	assert.Equal(t, want, n.Content, "one rule for both")
}

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func TestPUB03_originals(t *testing.T) {
	for b, want := range map[publication.Bundle]bool{
		{}:                                     true,
		{ID: 1}:                                true,
		{ID: 1, FirstOriginal: 1}:              true,
		{ID: 1, FirstOriginal: 1, Original: 2}: true,
		{ID: 1, Original: 2}:                   true,
		{ID: 1, FirstOriginal: 2}:              false,
		{ID: 1, FirstOriginal: 2, Original: 3}: false,
		{FirstOriginal: 2}:                     false,
	} {
		assert.Equal(t, want, b.IsOriginal(), "%+v", b)
	}
}

func TestFED10_only_what_is_published_and_not_deleted_is_listed(t *testing.T) {
	for _, published := range []bool{true, false} {
		for _, deleted := range []bool{true, false} {
			c := publication.Content{Category: 4, Published: published, Deleted: deleted, Created: noon, Updated: noon.Add(time.Hour)}
			p, n := publication.Publication{ID: 7, Content: c}, publication.Node{ID: 8, Content: c}
			assert.Equal(t, published && !deleted, c.IsVisible())
			for thing, want := range map[feed.Listable]feed.Listing{
				&p: {Kind: feed.Publication, ID: 7, Category: 4, Created: noon, Updated: noon.Add(time.Hour)},
				&n: {Kind: feed.Node, ID: 8, Category: 4, Created: noon, Updated: noon.Add(time.Hour)},
			} {
				l, listed := thing.Listing()
				assert.Equal(t, published && !deleted, listed)
				if listed {
					assert.Equal(t, want, l)
				} else {
					assert.Zero(t, l)
				}
			}
		}
	}
}
