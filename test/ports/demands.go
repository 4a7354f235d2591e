package ports

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/demand"
	"plaza/domain/fault"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/media"
	"plaza/domain/user"
)

// Demands is the suite of demand.Repository and of the feed that it keeps.
func Demands(t *testing.T, open Open) {
	open.keeps(t, []promise{
		{"Put stores the demand under its ID, as it is", putDemand},
		{"Put replaces what was there, and its listing in the same step", replaceDemand},
		{"places come back as they went in", demandPlaces},
		{"what refers to nothing is an error, and is not stored", putDanglingDemand},
		{"Puts at once all succeed, and the feed equals the listing of what is stored", putDemandAtOnce},
		{"what goes in is private", demandPrivate},
		{"whoever has gone away is not served, and nothing is stored", demandGone},
	})
}

// request is a demand of the author's, nowhere, unless the edits say otherwise.
func request(author user.ID, id demand.ID, edits ...func(*demand.Demand)) demand.Demand {
	d := demand.Demand{
		ID: id, Title: "A request", Author: author, Published: true, Created: noon, Updated: noon,
		Closed: noon.AddDate(0, 0, 3), Start: noon.AddDate(0, 0, 1), End: noon.AddDate(0, 0, 2),
	}
	for _, edit := range edits {
		edit(&d)
	}
	return d
}

// fullRequest is a demand none of whose facts is zero.
func fullRequest(author user.ID, id demand.ID, in feed.CategoryID) demand.Demand {
	return request(author, id, func(d *demand.Demand) {
		d.Title, d.Description, d.Address = broad(64), "O'Brien \\ \"%_\"\n\t ", "西湖区 1"
		d.Tags, d.Images = []string{"b", "a", "b,c"}, []string{"https://plaza.example/2.jpg", "https://plaza.example/1.jpg"}
		d.Cover = media.Picture{Path: "https://plaza.example/c.jpg", Sizes: []media.Size{
			{Name: "demand_cover_md", Width: 640, Height: 400, Path: "https://plaza.example/md.jpg"},
		}}
		d.Category, d.Place, d.Updated = in, &geo.Point{Lat: 30.25, Lng: 120.15}, noon.Add(time.Microsecond)
	})
}

// requests are all the demands that the feed shows in the category.
func (w *fixtures) requests(in feed.CategoryID) []feed.Listable {
	w.Helper()
	return w.shelved(in, feed.Selection{Kinds: []feed.Kind{feed.Demand}}, 20)
}

func putDemand(w *fixtures) {
	author := w.somebody()
	w.category(1)
	w.keep(fullRequest(author, 1<<40, 1), request(author, 1, func(d *demand.Demand) { d.Category = 1 }))
	assert.Equal(w, []feed.Listable{
		request(author, 1, func(d *demand.Demand) { d.Category = 1 }), fullRequest(author, 1<<40, 1),
	}, w.requests(1))
	assert.Equal(w, []feed.Listing{
		{Kind: feed.Demand, ID: 1, Category: 1, Created: noon, Updated: noon},
		{Kind: feed.Demand, ID: 1 << 40, Category: 1, Created: noon, Updated: noon.Add(time.Microsecond), Point: &geo.Point{Lat: 30.25, Lng: 120.15}},
	}, w.listed())
}

func replaceDemand(w *fixtures) {
	author, other := w.somebody(), w.somebody()
	w.category(1)
	d := fullRequest(author, 1, 1)
	for _, edit := range []func(*demand.Demand){
		func(*demand.Demand) {},
		func(d *demand.Demand) { d.Author, d.Tags, d.Images, d.Cover = other, nil, nil, media.Picture{} },
		func(d *demand.Demand) { d.Place = nil },
		func(d *demand.Demand) { d.Published = false },
		func(d *demand.Demand) { d.Category, d.Place = 0, &geo.Point{Lat: -90, Lng: 180} },
		func(d *demand.Demand) { d.Published, d.Deleted = true, true },
		func(d *demand.Demand) {
			d.Deleted, d.Created, d.Updated = false, noon.Add(time.Minute), noon.Add(time.Hour)
		},
	} {
		edit(&d)
		w.keep(d)
		wantThings, wantListed := []feed.Listable{}, []feed.Listing{}
		if l, listed := d.Listing(); listed {
			wantThings, wantListed = append(wantThings, d), append(wantListed, l)
		}
		assert.Equal(w, wantListed, w.listed())
		assert.Equal(w, wantThings, w.requests(d.Category))
		assert.Empty(w, w.requests(1-d.Category), "it is in one category")
	}
}

func demandPlaces(w *fixtures) {
	author := w.somebody()
	var want []feed.Listable
	for i, p := range []geo.Point{
		{}, {Lat: 90, Lng: 180}, {Lat: -90, Lng: -180}, {Lat: 30.123456789012345, Lng: 120.98765432109876},
		{Lat: math.SmallestNonzeroFloat64, Lng: -1e-17},
	} {
		d := request(author, demand.ID(i+1), at(p.Lat, p.Lng))
		w.keep(d)
		want = append(want, d)
	}
	assert.Equal(w, want, w.requests(0))
}

func putDanglingDemand(w *fixtures) {
	author := w.somebody()
	for _, d := range []demand.Demand{
		request(0, 1), request(author+1, 1), request(author, 1, func(d *demand.Demand) { d.Category = 9 }),
		request(author, 0), request(author, -1),
	} {
		err := w.Demands.Put(w.Context(), d)
		require.Error(w, err)
		assert.Equal(w, fault.Internal, fault.KindOf(err))
	}
	assert.Empty(w, w.listed())
	w.keep(request(author, 1))
	require.Error(w, w.Demands.Put(w.Context(), request(author+1, 1)))
	assert.Equal(w, []feed.Listable{request(author, 1)}, w.requests(0))
}

func putDemandAtOnce(w *fixtures) {
	author := w.somebody()
	w.category(1)
	for _, err := range atOnce(many, func(i int) error {
		return w.Demands.Put(w.Context(), request(author, 1, at(float64(i), 0), func(d *demand.Demand) {
			d.Category, d.Updated = feed.CategoryID(i%2), noon.Add(time.Duration(i)*time.Second)
		}))
	}) {
		require.NoError(w, err)
	}
	stored := append(w.requests(0), w.requests(1)...)
	require.Len(w, stored, 1)
	l, _ := stored[0].Listing()
	assert.Equal(w, []feed.Listing{l}, w.listed())
}

func demandPrivate(w *fixtures) {
	author := w.somebody()
	w.category(1)
	d := fullRequest(author, 1, 1)
	w.keep(d)
	d.Tags[0], d.Images[0], d.Cover.Sizes[0].Name = "spoilt", "spoilt", "spoilt"
	*d.Place = geo.Point{}
	assert.Equal(w, []feed.Listable{fullRequest(author, 1, 1)}, w.requests(1))
	listed := w.listed()
	*listed[0].Point = geo.Point{}
	assert.Equal(w, &geo.Point{Lat: 30.25, Lng: 120.15}, w.listed()[0].Point)
}

func demandGone(w *fixtures) {
	author := w.somebody()
	w.keep(request(author, 1))
	w.refusedGone(demandCalls)
	assert.Equal(w, []feed.Listable{request(author, 1)}, w.requests(0))
}

var demandCalls = []call{
	{"Demands.Put", func(ctx context.Context, s Stores) error { return s.Demands.Put(ctx, request(1, newcomer)) }},
}
