package bench

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// scenario is one kind of work, as performance.md names it.
type scenario struct {
	name string
	what string
	goal float64 // the part of the floor's requests a second that Plaza must reach; zero: none
	// request is the i-th of an endless row of requests, the same for every server.
	request func(d *dataset, i int) request
}

// request is a request as it goes over the wire, of HTTP/1.1. Where serial is not
// zero, digits in the body begin there that must be others every time.
type request struct {
	raw    []byte
	serial int
	reread []byte // asks for what an edit has changed
}

// isWriting says whether the scenario changes what is stored.
func (s scenario) isWriting() bool { return s.name == "F" }

// called is the scenario of that name.
func called(name string) scenario {
	return scenarios[slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == name })]
}

// serialDigits is how many there are.
const serialDigits = 12

var scenarios = []scenario{
	{"A", "feed items, page 1, publications", 0.8, func(d *dataset, i int) request {
		r, s := roll("A", i), d.shelves["publication"]
		return page(max(1, s.at(r.n(s.total()))), 1)
	}},
	{"A1", "A, only the largest category", 0.8, func(*dataset, int) request { return page(largest, 1) }},
	{"B", "demands within 5 km", 0.8, near},
	{"C", "category tree with meta", 0, func(*dataset, int) request { return tree() }},
	{"D", "images by tags, all of two", 0.8, func(d *dataset, i int) request { return imagesWith("contains", d, i) }},
	{"D1", "images by tags, any of two", 0.8, func(d *dataset, i int) request { return imagesWith("overlap", d, i) }},
	{"E", "simple info of 20 users", 0.8, someone},
	{"deep", "A1, page 4000 or the last", 0, func(d *dataset, _ int) request { return page(largest, d.deepPage()) }},
	// The last, because it leaves the tables otherwise than they were loaded.
	{"F", "PATCH of an event with its token check", 0.75, edit},
}

// deepPage is far from the first, and there for sure: of everything listed at least
// nine tenths are visible.
func (d *dataset) deepPage() int {
	return max(1, min(4000, d.shelves["publication"].count(largest)*9/10/pageSize))
}

func get(path string) request {
	return request{raw: []byte("GET " + path + " HTTP/1.1\r\nHost: plaza.example\r\nAccept: application/json\r\n\r\n")}
}

func withBody(method, path, headers, body string) request {
	return request{raw: fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: plaza.example\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		method, path, headers, len(body), body)}
}

func page(category int64, number int) request {
	path := fmt.Sprintf("/api/feed/items/%d/?type=publication", category)
	if number > 1 {
		path += "&page=" + strconv.Itoa(number)
	}
	return get(path)
}

func tree() request { return get("/api/feed/categories/?type=node,publication,demand") }

// near looks around somewhere in the middle of a city.
func near(d *dataset, i int) request {
	r, s := roll("B", i), d.shelves["demand"]
	centre := pick(r, cities).centre
	return get(fmt.Sprintf("/api/feed/items/%d/?type=demand&lat=%.4f&lng=%.4f&within_distance=5",
		max(1, s.at(r.n(s.total()))), centre.Lat+r.bell(sprawl/10), centre.Lng+r.bell(sprawl/10)))
}

// imagesWith asks for two tags of an existing image.
func imagesWith(how string, d *dataset, i int) request {
	r := roll("D", i)
	image := r.n(d.images)
	return get(fmt.Sprintf("/api/user/user-image/?uid=%d&tags__%s=%s", image%d.users+1, how,
		url.QueryEscape(strings.Join(imageTags(image)[:2], ","))))
}

func someone(d *dataset, i int) request {
	r := roll("E", i)
	ids := make([]string, 20)
	for n := range ids {
		ids[n] = strconv.Itoa(r.n(d.users) + 1)
	}
	return withBody("POST", "/api/user/user-simple-info/", "", `{"uid": [`+strings.Join(ids, ", ")+`]}`)
}

// edit gives an event another title, every other one with a city in it.
func edit(d *dataset, i int) request {
	r := roll("F", i)
	author := r.n(d.tokens())
	title := "A walk along the river"
	if r.in(2) {
		title = pick(r, cities).name + " along the river"
	}
	id := author*eventsEach + r.n(eventsEach) + 1
	path, token := fmt.Sprintf("/api/xfile/event/%d/", id), "Authorization: Token "+keyOf(author).Reveal()+"\r\n"
	q := withBody("PATCH", path, token, `{"title": "`+title+" "+strings.Repeat("0", serialDigits)+`"}`)
	q.reread = []byte("GET " + path + " HTTP/1.1\r\nHost: plaza.example\r\n" + token + "\r\n")
	q.serial = len(q.raw) - len(`"}`) - serialDigits
	return q
}

// number writes the serial number into the request.
func (q request) number(serial int64) {
	if q.serial == 0 {
		return
	}
	for i := q.serial + serialDigits - 1; i >= q.serial; i-- {
		q.raw[i] = '0' + byte(serial%10)
		serial /= 10
	}
}
