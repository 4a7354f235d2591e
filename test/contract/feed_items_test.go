package contract

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"plaza/domain/demand"
	"plaza/domain/feed"
	"plaza/domain/geo"
	"plaza/domain/publication"
)

var feedItemRows = []row{
	{"FED-05 demands are listed within the distance, which counts for them alone", demandsListedNear, everyStore},
	{"FED-05 what says no place is refused", noPlace, oneStore},
	{"FED-06 items of all types are merged with the newest first", itemsMerged, everyStore},
	{"FED-07 a demand has exactly the interface's fields", demandHasItsFields, oneStore},
	{"FED-08 a publication has exactly the interface's fields", publicationHasItsFields, oneStore},
	{"FED-09 a node has its fields", nodeHasItsFields, oneStore},
}

var lake = geo.Point{Lat: 30.25, Lng: 120.15}

const degree = 111.19508 // kilometres, on the meridian

// north is the point so many kilometres north of another.
func north(of geo.Point, km float64) geo.Point {
	return geo.Point{Lat: of.Lat + km/degree, Lng: of.Lng}
}

// aroundTheLake puts demands into the category at the lake and ever further from it, the nearest last, and one that is nowhere.
func (s *server) aroundTheLake(t *testing.T, in feed.CategoryID) {
	t.Helper()
	li := s.li(t)
	for i, km := range []float64{501, 499, 21, 19, 5.01, 4.99, 0} {
		s.clock.advance(time.Minute)
		at := north(lake, km)
		s.storesDemand(t, li, 100+i, in, func(d *demand.Demand) { d.Title, d.Place = fmt.Sprint(km), &at })
	}
	s.clock.advance(time.Minute)
	s.storesDemand(t, li, 200, in, func(d *demand.Demand) { d.Title = "nowhere" })
}

const atTheLake = "type=demand&lat=30.25&lng=120.15"

func demandsListedNear(t *testing.T, s *server) {
	s.shelve(t, 4, "Walks")
	s.aroundTheLake(t, 4)
	for query, want := range map[string][]string{
		atTheLake:                                          {"0", "4.99"},
		atTheLake + "&within_distance=5.02":                {"0", "4.99", "5.01"},
		atTheLake + "&within_distance=2e1":                 {"0", "4.99", "5.01", "19"},
		atTheLake + "&within_distance=500":                 {"0", "4.99", "5.01", "19", "21", "499"},
		"type=demand&lat=-30.25&lng=120.15":                {},
		"type=demand,node&lat=-30&lng=0&within_distance=1": {"nowhere", "0", "4.99", "5.01", "19", "21", "499", "501"},
		"lat=x&lng=999&within_distance=far":                {"nowhere", "0", "4.99", "5.01", "19", "21", "499", "501"},
		"type=demand&lat=&lng=":                            {"nowhere", "0", "4.99", "5.01", "19", "21", "499", "501"},
		"type=demand&within_distance=5":                    {"nowhere", "0", "4.99", "5.01", "19", "21", "499", "501"},
	} {
		a := s.anyone().get(t, itemsOf(4)+"?"+query).is(200)
		assert.Equal(t, want, a.titles(), query)
		assert.Equal(t, len(want), a.int("pagination.total_count"), query)
		assert.Equal(t, map[string]int{"4": len(want)}, s.anyone().counts(t, "?"+query), query)
	}
	assert.Nil(t, s.anyone().get(t, itemsOf(4)+"?"+atTheLake+"&type=node").is(200).at("data.0.distance"))
	assert.Empty(t, s.anyone().get(t, itemsOf("uncategory")+"?"+atTheLake).is(200).list("data"))
}

func noPlace(t *testing.T, s *server) {
	s.shelve(t, 4, "Walks")
	for query, fields := range map[string][]string{
		"lat=30": {"lng"}, "lng=120&lat=%20&within_distance=9": {"lat"}, "lat=90.001&lng=0": {"lat"}, "lat=120&lng=200": {"lat", "lng"},
		"lat=NaN&lng=Inf": {"lat", "lng"}, "lat=0x1p1&lng=0": {"lat"}, "lat=1e400&lng=0": {"lat"},
		"lat=1&lng=1&within_distance=0": {"within_distance"}, "lat=1&lng=1&within_distance=500.001": {"within_distance"},
		"lat=91&within_distance=far": {"lat", "lng", "within_distance"},
	} {
		s.anyone().get(t, categories+"?type=demand&"+query).invalid(fields...)
		s.anyone().get(t, itemsOf(4)+"?type=demand&page=0&"+query).invalid(append(fields, "page")...)
	}
}

func (a answer) entities() []string {
	a.t.Helper()
	all := []string{}
	kinds, numbers := a.column("data", "entity_type"), a.column("data", "entity_id")
	for i := range kinds {
		all = append(all, kinds[i]+" "+numbers[i])
	}
	return all
}

func itemsMerged(t *testing.T, s *server) {
	ada := s.member(t)
	s.storesCategory(t, 4, 0, "Walks")
	s.storesCategory(t, 5, 4, "By night")
	s.minutesLater(
		func() { s.storesPublication(t, ada, 9, 4) },
		func() { s.storesItem(t, ada, 2, 4); s.storesItem(t, ada, 10, 4) },
		func() { s.storesNode(t, ada, 1, 4) },
		func() { s.storesNode(t, ada, 3, 5) },
		func() { s.storesDemand(t, ada, 4, 0) },
	)
	s.storesPublication(t, ada, 9, 4, func(p *publication.Publication) { p.Created = epoch.Add(time.Minute) }) // updated since
	want := []string{"node 1", "demand 2", "demand 10", "node 2", "node 10", "publication 2", "publication 10", "publication 9"}
	assert.Equal(t, want, s.anyone().get(t, itemsOf(4)).is(200).entities())
	assert.Equal(t, []string{"node 3"}, s.anyone().get(t, itemsOf(5)).is(200).entities())
	assert.Equal(t, []string{"demand 4"}, ada.get(t, itemsOf("uncategory")).is(200).entities())
}

func demandHasItsFields(t *testing.T, s *server) {
	ada := s.member(t)
	s.shelve(t, 4, "Walks")
	s.storesDemand(t, ada, 7, 4, func(d *demand.Demand) {
		d.Title, d.Description, d.Tags = "A boat", "For an hour", []string{"lake", "boat"}
		d.Cover, d.Images = cover("demand_cover_md"), []string{"https://covers.example/1.jpg"}
		d.Address, d.Place, d.Updated = "Pier 3", &lake, epoch.Add(time.Hour+500*time.Millisecond)
	})
	ada.get(t, itemsOf(4)+"?type=demand").is(200).golden("feed-demands", facts{"<ada>": ada.id})
	s.storesDemand(t, ada, 7, 4)
	s.anyone().get(t, itemsOf(4)).is(200).shows(object{
		"0.tags": []any{}, "0.images": []any{}, "0.auto_cover": "", "0.auto_covers": object{"path": "", "sizes": object{}},
		"0.service_address": nil, "0.distance": nil,
	})
}

func publicationHasItsFields(t *testing.T, s *server) {
	ada := s.member(t)
	s.shelve(t, 4, "Walks")
	s.storesPublication(t, ada, 7, 4, longPublication)
	s.clock.advance(-time.Minute)
	s.storesPublication(t, ada, 8, 4)
	s.anyone().get(t, itemsOf(4)).is(200).golden("feed-publications", facts{"<ada>": ada.id})
	translated := s.anyone().saying("x-language-locale", "de").get(t, itemsOf(4)).is(200)
	assert.False(t, translated.has("data.0.localized"), "not here")
}

// longPublication changes a publication so that it has everything.
func longPublication(p *publication.Publication) {
	p.Title, p.Summary, p.Language = "雾", "湖上的雾", "zh-CN"
	p.Bundle = publication.Bundle{ID: 70, FirstOriginal: 50, Original: 60}
	p.Node, p.Type, p.Cover = 77, publication.MultiChapter, cover("cover_sm")
	p.Updated = p.Created.Add(90*time.Minute + time.Microsecond)
}

func nodeHasItsFields(t *testing.T, s *server) {
	ada := s.member(t)
	s.shelve(t, 4, "Walks")
	s.storesNode(t, ada, 7, 4, func(n *publication.Node) {
		n.Bundle, n.Cover, n.Updated = 70, cover("cover_sm"), epoch.Add(time.Hour)
	})
	s.clock.advance(-time.Minute)
	s.storesNode(t, ada, 8, 4)
	s.anyone().get(t, itemsOf(4)).is(200).golden("feed-nodes", facts{"<ada>": ada.id})
}
