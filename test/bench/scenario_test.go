package bench

import (
	"bytes"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// scenario is one kind of work.
type scenario struct {
	name string
	what string
	goal float64 // the part of the floor's requests a second that Plaza must reach; zero: it is not asked
	// request is the i-th of an endless row of requests, the same for every server.
	request func(d *dataset, i int) request

	variety     int // how many different requests there are; zero: the usual number
	isWriting   bool
	isHeavy     bool // few connections keep the processors busy
	takesKeys   bool // the requests have a token
	once        bool // no request is sent twice
	warms       bool // each request is answered once before Plaza is measured
	conditional bool // the client has the answer already
}

// request is a request as it goes over the wire, of HTTP/1.1. Where serial is not
// zero, digits in the body begin there that must be others every time.
type request struct {
	raw    []byte
	serial int
	status int    // of the answer; zero: 200
	part   []byte // of the body of the answer
	once   bool   // it must not be sent twice

	reread  []byte   // asks for what the request changes
	differs []string // fields of the answer that are others every time
}

// line is the first line of the request.
func (q request) line() []byte {
	line, _, _ := bytes.Cut(q.raw, []byte("\r\n"))
	return line
}

// called is the scenario of that name.
func called(name string) scenario {
	return scenarios[slices.IndexFunc(scenarios, func(s scenario) bool { return s.name == name })]
}

// serialDigits is how many there are.
const serialDigits = 12

// Goals. What is served from what is provably unchanged has to be faster than the floor, which reads all of it.
// A write of Plaza has a share in what the floor does without: ids, limits, the log and metrics.
const (
	keptGoal  = 2
	readGoal  = 0.75
	writeGoal = 0.7
)

var scenarios = []scenario{
	{name: "A", what: "feed items, page 1, publications", goal: keptGoal, request: anyPage},
	{name: "A1", what: "A, only the largest category", goal: keptGoal, request: func(*dataset, int) request { return page(largest, 1) }},
	{name: "304", what: "A, by a client that has the page", goal: keptGoal, request: anyPage, conditional: true},
	{name: "B", what: "demands within 5 km", request: near},
	{name: "C", what: "category tree with meta", request: func(*dataset, int) request { return tree() }},
	{name: "D", what: "images by tags", request: imagesWithTags},
	{name: "E", what: "simple info of 20 users", request: someone},
	{name: "event", what: "another's event, its day, news and comments", goal: readGoal, request: visit, takesKeys: true},
	{name: "list", what: "another's events, with the same of each", goal: readGoal, request: visitAuthor, takesKeys: true},
	{name: "timeline", what: "events of the 201 whom one follows", request: followedEvents, takesKeys: true},
	{name: "cards", what: "timeline, with the fields that a card shows", request: followedCards, takesKeys: true},
	{name: "search", what: "one to three words, in all kinds", request: searched, takesKeys: true},
	{name: "feed", what: "publications, translated, from the cache", request: translated, takesKeys: true, warms: true, isHeavy: true},
	{name: "upload", what: "upload of a photo of 800 × 600", request: upload, variety: 32, isHeavy: true},
	{name: "pay", what: "payment of an order, against the sandbox", request: pay, once: true, isHeavy: true},
	{name: "login", what: "login, nearly all of it the hash of the password", request: login, isHeavy: true},
	{name: "comment", what: "comment on another's event", request: comment, isWriting: true, takesKeys: true},
	{name: "like", what: "like of another's event", goal: writeGoal, request: like, isWriting: true, takesKeys: true, once: true},
	// The last, because it leaves the tables otherwise than they were loaded.
	{name: "F", what: "PATCH of an event with its token check", request: edit, isWriting: true, takesKeys: true},
}

// deepPage is far from the first, and there for sure: of everything listed at least
// nine tenths are visible.
func (d *dataset) deepPage() int {
	return max(1, min(4000, d.shelves["publication"].count(largest)*9/10/pageSize))
}

func get(path string) request {
	return request{raw: []byte("GET " + path + " HTTP/1.1\r\nHost: plaza.example\r\nAccept: application/json\r\n\r\n")}
}

// authorised is the header that has the key of one of the first users.
func authorised(user int) string { return "Authorization: Token " + keyOf(user).Reveal() + "\r\n" }

// getAs asks for what one of the first users may see.
func getAs(user int, path string, headers ...string) request {
	return request{raw: []byte("GET " + path + " HTTP/1.1\r\nHost: plaza.example\r\nAccept: application/json\r\n" +
		authorised(user) + strings.Join(headers, "") + "\r\n")}
}

func withBody(method, path, headers, body string) request {
	return request{raw: fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: plaza.example\r\n%sContent-Type: application/json\r\nContent-Length: "+
		"%d\r\n\r\n%s",
		method, path, headers, len(body), body)}
}

func page(category int64, number int) request {
	path := fmt.Sprintf("/api/feed/items/%d/?type=publication", category)
	if number > 1 {
		path += "&page=" + strconv.Itoa(number)
	}
	return get(path)
}

func anyPage(d *dataset, i int) request {
	r, s := roll("A", i), d.shelves["publication"]
	return page(max(1, s.at(r.IntN(s.total()))), 1)
}

func tree() request { return get("/api/feed/categories/?type=node,publication,demand") }

// near looks around somewhere in the middle of a city.
func near(d *dataset, i int) request {
	r, s := roll("B", i), d.shelves["demand"]
	centre := pick(r, cities).centre
	return get(fmt.Sprintf("/api/feed/items/%d/?type=demand&lat=%.4f&lng=%.4f&within_distance=5",
		max(1, s.at(r.IntN(s.total()))), centre.Lat+sprawl/10*r.NormFloat64(), centre.Lng+sprawl/10*r.NormFloat64()))
}

// imagesWithTags asks for two tags of an existing image.
func imagesWithTags(d *dataset, i int) request {
	image := roll("D", i).IntN(d.images)
	return get(fmt.Sprintf("/api/user/user-image/?uid=%d&tags__contains=%s", image%d.users+1,
		url.QueryEscape(strings.Join(imageTags(image)[:2], ","))))
}

func someone(d *dataset, i int) request {
	r := roll("E", i)
	ids := make([]string, 20)
	for n := range ids {
		ids[n] = strconv.Itoa(r.IntN(d.users) + 1)
	}
	return withBody("POST", "/api/user/user-simple-info/", "", `{"uid": [`+strings.Join(ids, ", ")+`]}`)
}

// edit gives an event another title, every other one with a city in it.
func edit(d *dataset, i int) request {
	r := roll("F", i)
	author := r.IntN(d.tokens())
	title := "A walk along the river"
	if r.in(2) {
		title = pick(r, cities).name + " along the river"
	}
	id := author*eventsEach + r.IntN(eventsEach) + 1
	path := fmt.Sprintf("/api/xfile/event/%d/", id)
	q := withSerial("PATCH", path, authorised(author), `{"title": "`+title+" ", `"}`)
	q.reread, q.differs = getAs(author, path).raw, []string{"title", "last_modified"}
	return q
}

// withSerial has a serial number between the two parts of its body.
func withSerial(method, path, headers, before, after string) request {
	q := withBody(method, path, headers, before+strings.Repeat("0", serialDigits)+after)
	q.serial = len(q.raw) - len(after) - serialDigits
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
