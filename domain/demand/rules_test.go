package demand_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/demand"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/geo"
)

var noon = time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)

func request() demand.Demand {
	return demand.Demand{
		ID: 7, Title: "Walk the dog", Description: "It is small", Tags: []string{"dog"}, Images: []string{"https://example.org/dog.jpg"},
		Author: 1, Address: "Lake Road 1", Category: 4, Place: &geo.Point{Lat: 30, Lng: 120},
		Closed: noon, Start: noon, End: noon.Add(time.Hour), Created: noon, Updated: noon,
	}
}

// several returns the given number of distinct texts.
func several(form string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf(form, i)
	}
	return all
}

func TestADM04_what_a_demand_may_be(t *testing.T) {
	of := func(n int) string { return strings.Repeat("茶", n) }
	image := "https://example.org/%d.jpg"
	late := time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		change func(*demand.Demand)
		wrong  []string
	}{
		"as it is": {change: func(*demand.Demand) {}},
		"the least there is": {change: func(d *demand.Demand) {
			*d = demand.Demand{ID: 1, Title: "T", Closed: noon, Start: noon, End: noon, Created: noon}
		}},
		"the longest title":       {change: func(d *demand.Demand) { d.Title = " " + of(200) + " " }},
		"the longest description": {change: func(d *demand.Demand) { d.Description = of(20_000) }},
		"the longest address":     {change: func(d *demand.Demand) { d.Address = of(300) + " " }},
		"the longest tag":         {change: func(d *demand.Demand) { d.Tags = []string{of(64) + " "} }},
		"as many tags":            {change: func(d *demand.Demand) { d.Tags = several("%d", 50) }},
		"as many, some twice":     {change: func(d *demand.Demand) { d.Tags = append(several("%d", 50), several(" %d", 50)...) }},
		"as many images":          {change: func(d *demand.Demand) { d.Images = several(image, 100) }},
		"closed before the start": {change: func(d *demand.Demand) { d.Closed = noon.AddDate(-1, 0, 0) }},
		"closed after the end":    {change: func(d *demand.Demand) { d.Closed = noon.AddDate(1, 0, 0) }},
		"over at once":            {change: func(d *demand.Demand) { d.End = d.Start }},
		"over at once, as kept":   {change: func(d *demand.Demand) { d.Start, d.End = noon.Add(999), noon }},
		"no number":               {func(d *demand.Demand) { d.ID = 0 }, []string{"id"}},
		"a negative number":       {func(d *demand.Demand) { d.ID = -1 }, []string{"id"}},
		"a negative category":     {func(d *demand.Demand) { d.Category = -1 }, []string{"category"}},
		"no title":                {func(d *demand.Demand) { d.Title = "" }, []string{"title"}},
		"a blank title":           {func(d *demand.Demand) { d.Title = "\u200b" }, []string{"title"}},
		"too long a title":        {func(d *demand.Demand) { d.Title = of(201) }, []string{"title"}},
		"too long a description":  {func(d *demand.Demand) { d.Description = of(20_001) }, []string{"description"}},
		"a NUL in it":             {func(d *demand.Demand) { d.Description = "\x00" }, []string{"description"}},
		"too long an address":     {func(d *demand.Demand) { d.Address = of(301) }, []string{"address"}},
		"too long a tag":          {func(d *demand.Demand) { d.Tags = []string{"dog", of(65)} }, []string{"tags"}},
		"blank tags":              {func(d *demand.Demand) { d.Tags = []string{" ", "", "dog"} }, []string{"tags"}},
		"a tag too many":          {func(d *demand.Demand) { d.Tags = several("%d", 51) }, []string{"tags"}},
		"far too many tags":       {func(d *demand.Demand) { d.Tags = several("%d", 100_000) }, []string{"tags"}},
		"an image too many":       {func(d *demand.Demand) { d.Images = several(image, 101) }, []string{"images"}},
		"an image that is a path": {func(d *demand.Demand) { d.Images = []string{"/dog.jpg"} }, []string{"images"}},
		"an image that acts":      {func(d *demand.Demand) { d.Images = []string{"javascript:alert(1)"} }, []string{"images"}},
		"no closing":              {func(d *demand.Demand) { d.Closed = time.Time{} }, []string{"closed"}},
		"no start":                {func(d *demand.Demand) { d.Start = time.Time{} }, []string{"start"}},
		"no end":                  {func(d *demand.Demand) { d.End = time.Time{} }, []string{"end"}},
		"closed too late":         {func(d *demand.Demand) { d.Closed = late }, []string{"closed"}},
		"an end too late":         {func(d *demand.Demand) { d.End = late }, []string{"end"}},
		"an end before the start": {func(d *demand.Demand) { d.End = noon.Add(-time.Microsecond) }, []string{"end"}},
		"never created":           {func(d *demand.Demand) { d.Created = time.Time{} }, []string{"created"}},
		"updated before":          {func(d *demand.Demand) { d.Updated = noon.Add(-time.Second) }, []string{"updated"}},
		"everything": {func(d *demand.Demand) {
			*d = demand.Demand{Category: -1, Description: "\xff", Address: "\x00", Tags: []string{""}, Images: []string{""}, Updated: late}
		}, []string{"id", "category", "title", "description", "address", "tags", "images", "closed", "start", "end", "created", "updated"}},
	} {
		d := request()
		c.change(&d)
		_, err := demand.New(d)
		wrong := fault.FieldsOf(err)
		assert.Equal(t, len(c.wrong) == 0, err == nil, name)
		assert.Len(t, wrong, len(c.wrong), name)
		for _, field := range c.wrong {
			assert.Len(t, wrong[field], 1, "%s: %s", name, field)
		}
	}
}

func TestADM04_a_demand_has_one_form(t *testing.T) {
	d, east := request(), time.FixedZone("", 8*60*60)
	d.Title, d.Address, d.Description = " Walk\u3000", "\tLake Road 1 ", " as it is "
	d.Tags, d.Images = []string{"b", " a ", "b ", "a"}, []string{" https://example.org/2", "https://example.org/1", "https://example.org/2"}
	d.Closed, d.Start, d.End = noon.Add(1).In(east), noon.Add(2).In(east), noon.Add(1001).In(east)
	d.Created, d.Updated = noon.Add(3).In(east), time.Time{}
	tags := d.Tags
	got, err := demand.New(d)
	require.NoError(t, err)
	want := request()
	want.Title, want.Address, want.Description = "Walk", "Lake Road 1", " as it is "
	want.Tags, want.Images = []string{"b", "a"}, []string{"https://example.org/2", "https://example.org/1"}
	want.End = noon.Add(time.Microsecond)
	assert.Equal(t, want, got)
	assert.Equal(t, []string{"b", " a ", "b ", "a"}, tags, "the argument is not changed")
}

func TestFED10_only_what_is_published_and_not_deleted_is_listed(t *testing.T) {
	noon := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	for _, published := range []bool{true, false} {
		for _, deleted := range []bool{true, false} {
			for _, place := range []*geo.Point{nil, {Lat: 30, Lng: 120}} {
				d := demand.Demand{
					ID: 7, Category: 4, Place: place, Published: published, Deleted: deleted,
					Created: noon, Updated: noon.Add(time.Hour), Start: noon.Add(2 * time.Hour),
				}
				l, listed := d.Listing()
				assert.Equal(t, published && !deleted, listed)
				if !listed {
					assert.Zero(t, l)
					continue
				}
				assert.Equal(t, feed.Listing{
					Kind: feed.Demand, ID: 7, Category: 4, Created: noon, Updated: noon.Add(time.Hour), Point: place,
				}, l)
			}
		}
	}
}
