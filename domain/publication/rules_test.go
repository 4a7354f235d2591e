package publication_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"plaza/domain/fault"
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

func TestADM04_what_is_kept_is_kept_as_it_is(t *testing.T) {
	east := time.FixedZone("", 8*60*60)
	rapid.Check(t, func(t *rapid.T) {
		c := publication.Content{
			Title:   rapid.StringMatching(`[ a茶\x{200b}\x{a0}\n]{0,8}`).Draw(t, "title"),
			Summary: rapid.StringMatching(`[ a茶]{0,8}`).Draw(t, "summary"),
			Language: rapid.SampledFrom([]string{"en", "zh_CN", " iw", "sh", "i-klingon", "zh-cmn-Hans-CN", "en-x-abc", "sgn-BE-FR"}).Draw(t,
				"language"),
			Category: 4, Created: noon.Add(time.Duration(rapid.IntRange(0, 3000).Draw(t, "created"))).In(east),
		}
		if rapid.Bool().Draw(t, "was updated") {
			c.Updated = noon.Add(time.Duration(rapid.IntRange(3000, 9000).Draw(t, "updated"))).In(east)
		}
		once, err := publication.New(publication.Publication{ID: 1, Bundle: publication.Bundle{ID: 1}, Content: c})
		if err != nil {
			return
		}
		again, err := publication.New(once)
		require.NoError(t, err)
		require.Equal(t, once, again)
		node, err := publication.NewNode(publication.Node{ID: 1, Content: c})
		require.NoError(t, err)
		require.Equal(t, once.Content, node.Content, "one rule for both")
	})
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOf(rapid.Map(rapid.Int64Range(1, 9), func(n int64) publication.BundleID { return publication.BundleID(n) }))
		once, err := publication.NewHowTo(publication.HowTo{
			Category: rapid.StringMatching(` ?a茶? ?`).Draw(t, "category"), Bundles: ids.Draw(t, "bundles"), Created: noon,
		})
		require.NoError(t, err)
		again, err := publication.NewHowTo(once)
		require.NoError(t, err)
		require.Equal(t, once, again)
	})
}
