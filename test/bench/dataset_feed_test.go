package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"plaza/domain/geo"
)

// spot is a city, as texts name it and as it is called in full.
type spot struct {
	name, province, city string
	centre               geo.Point
}

var cities = []spot{
	{"杭州", "浙江省", "杭州市", geo.Point{Lat: 30.2741, Lng: 120.1551}},
	{"北京", "北京市", "北京市", geo.Point{Lat: 39.9042, Lng: 116.4074}},
	{"上海", "上海市", "上海市", geo.Point{Lat: 31.2304, Lng: 121.4737}},
	{"广州", "广东省", "广州市", geo.Point{Lat: 23.1291, Lng: 113.2644}},
	{"深圳", "广东省", "深圳市", geo.Point{Lat: 22.5431, Lng: 114.0579}},
	{"成都", "四川省", "成都市", geo.Point{Lat: 30.5728, Lng: 104.0668}},
}

// sprawl is how far from the centre of their city demands are, in degrees: a circle
// of 5 km around the centre has about a fifth of them.
const sprawl = 0.07

// listed is what the feed knows of a thing.
type listed struct {
	id, category     int64
	created, updated time.Time
}

// published is when the i-th thing of the kind was made and changed, and whether
// it can be seen. All can in the category that has just so many.
func (d *dataset) published(kind string, i int) (l listed, visible bool) {
	r := roll(kind, i)
	created := r.before(history)
	l = listed{
		id: int64(i + 1), category: d.shelves[kind].of(i), created: created,
		updated: created.Add(time.Duration(r.IntN(int(10*24*time.Hour/time.Microsecond))) * time.Microsecond),
	}
	return l, !r.in(50) || l.category == pinned
}

// cover has one size.
func cover(kind string, i int) string {
	path := fmt.Sprintf("https://pictures.example/%s/%08d.jpg", kind, i)
	size := map[string]string{"demand": "demand_cover_md"}[kind]
	text, err := json.Marshal(map[string]any{"path": path, "sizes": []any{map[string]any{
		"name": cmp.Or(size, "cover_sm"), "width": 480, "height": 320, "path": path + "?w=480",
	}}})
	if err != nil {
		panic(err)
	}
	return string(text)
}

func (d *dataset) authorOf(r *random) int64 { return int64(r.IntN(d.users) + 1) }

// original is the bundle that the i-th publication translates, which is that of the
// one before, for every fourth; zero: none.
func original(i int) int64 {
	if i%4 == 3 {
		return int64(i)
	}
	return 0
}

func (d *dataset) publicationRow(i int) []any {
	l, visible := d.published("publication", i)
	r, original := roll("publication texts", i), original(i)
	return []any{
		l.id, l.id, orNone(original), orNone(original), l.id, 100 * r.IntN(2), r.text(40), r.text(200), cover("publication", i),
		d.authorOf(r), pick(r, languages), orNone(l.category), visible || r.in(2), !visible, l.created, l.updated,
	}
}

func (d *dataset) nodeRow(i int) []any {
	l, visible := d.published("node", i)
	r := roll("node texts", i)
	return []any{
		l.id, orNone(l.id * int64(r.IntN(2))), r.text(40), r.text(200), cover("node", i), d.authorOf(r), pick(r, languages),
		orNone(l.category), visible, false, l.created, l.updated,
	}
}

// place is where the i-th demand is: one in forty is nowhere.
func (d *dataset) place(i int) (spot, *geo.Point) {
	r := roll("places", i)
	at := pick(r, cities)
	if r.in(40) {
		return at, nil
	}
	return at, &geo.Point{Lat: at.centre.Lat + sprawl*r.NormFloat64(), Lng: at.centre.Lng + sprawl*r.NormFloat64()}
}

func (d *dataset) demandRow(i int) []any {
	l, visible := d.published("demand", i)
	r := roll("demand texts", i)
	city, point := d.place(i)
	var lat, lng any
	if point != nil {
		lat, lng = point.Lat, point.Lng
	}
	images := []string{}
	if r.in(2) {
		images = append(images, fmt.Sprintf("https://pictures.example/demands/%d.jpg", i))
	}
	return []any{
		l.id, r.text(40), r.text(200), []string{pick(r, tags), pick(r, tags)}, cover("demand", i), images,
		d.authorOf(r), city.city, orNone(l.category), lat, lng,
		l.created.AddDate(0, 0, 30), l.created.AddDate(0, 0, 1), l.created.AddDate(0, 0, 20),
		visible, false, l.created, l.updated,
	}
}
