package contract

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var plateRows = []row{
	{"PLA-01 plates are attached and removed", plateAttached, everyStore},
	{"PLA-01 the last thing that a published event shows stays", lastPlateStays, oneStore},
	{"PLA-01 key then event then body", orderOfPlateChecks, oneStore},
	{"PLA-02 golden plate", goldenPlate, oneStore},
	{"PLA-02 a plate comes as base64 or data URI or form", plateUploads, oneStore},
	{"PLA-04 a plate has a signed address that works", signedAddress, oneStore},
	{"PLA-04 a signed address is good for two hours at most", addressExpires, oneStore},
	{"PLA-04 a private picture is not at the public address", privateStaysPrivate, oneStore},
}

const plates = "/api/xfile/plate/"

func platePath(id int) string { return fmt.Sprintf("%s%d/", plates, id) }

// attaches puts a picture on an event of the person's.
func (p person) attaches(t *testing.T, event int) answer {
	t.Helper()
	return p.post(t, plates, object{"event": event, "photo": aPNG(t)}).is(201)
}

var plateFields = []string{"id", "user", "user_name", "photo", "create_time"}

func plateAttached(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.writes(t, object{"title": "A lake"}).int("data.id")
	var ids []int
	s.minutesLater(func() { ids = append(ids, ada.attaches(t, id).int("data.id")) }, func() {
		a := ada.attaches(t, id)
		a.hasFields("data", plateFields)
		ids = append(ids, a.int("data.id"))
	})
	event := ada.reads(t, id)
	assert.Equal(t, words(ids...), event.column("data.plates", "id"))
	assert.Equal(t, "2026-11-20T12:02:00.000000Z", event.text("data.last_modified"))
	event.hasFields("data.plates.0", plateFields)
	s.clock.advance(time.Minute)
	assert.Empty(t, ada.delete(t, platePath(ids[0])).is(204).body)
	event = ada.reads(t, id)
	assert.Equal(t, words(ids[1]), event.column("data.plates", "id"))
	assert.Equal(t, "2026-11-20T12:03:00.000000Z", event.text("data.last_modified"))
	ada.delete(t, platePath(ids[0])).fails(404, "RESOURCE_NOT_FOUND")
}

func lastPlateStays(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.writes(t, object{}).int("data.id")
	only := ada.attaches(t, id)
	ada.patch(t, eventPath(id), object{"publish": true}).is(200)
	ada.delete(t, platePath(only.int("data.id"))).fails(409, "CONFLICT")
	s.anyone().fetches(t, only.text("data.photo")).is(200)
	ada.patch(t, eventPath(id), object{"content": "Mist"}).is(200)
	ada.delete(t, platePath(only.int("data.id"))).is(204)
}

func orderOfPlateChecks(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "x")
	s.anyone().post(t, plates, "{").fails(401, "NOT_AUTHENTICATED")
	s.with("x").post(t, plates, object{"event": 99999}).fails(401, "AUTHENTICATION_FAILED")
	s.with(s.issue(t, ada, 0, "writing_bundle")).post(t, plates, "{").fails(403, "PERMISSION_DENIED")
	s.anyone().delete(t, platePath(99999)).fails(401, "NOT_AUTHENTICATED")
	bob.post(t, plates, object{"event": id, "photo": "no picture"}).fails(403, "PERMISSION_DENIED")
	bob.post(t, plates, object{"event": id}).fails(403, "PERMISSION_DENIED")
	ada.post(t, plates, object{"event": id}).invalid("photo")
	ada.post(t, plates, object{"event": 99999}).invalid("event", "photo")
	ada.post(t, plates, object{"event": "x", "photo": 5}).invalid("event", "photo")
}

func goldenPlate(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	ada.attaches(t, id).golden("plate", facts{"<ada>": ada.id})
	var shown answer
	shown.t, shown.body = t, []byte(marshalled(t, object{"data": ada.reads(t, id).at("data.plates.0")}))
	shown.golden("plate", facts{"<ada>": ada.id})
}

func plateUploads(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x")
	for name, a := range map[string]answer{
		"base64":   ada.post(t, plates, object{"event": id, "photo": aPNG(t)}),
		"text":     ada.post(t, plates, object{"event": fmt.Sprint(id), "photo": aGIF(t)}),
		"data URI": ada.post(t, plates, object{"event": id, "photo": inBase64("data:image/jpeg;base64,", aJPEG(t))}),
		"form":     ada.sends(t, plates, form{[][2]string{{"event", fmt.Sprint(id)}}, "photo", aPNG(t)}),
	} {
		a.is(201).shows(object{"user": ada.id, "user_name": "Ada Berg", "create_time": "2026-11-20T12:00:00.000000Z"})
		shown := s.anyone().fetches(t, a.text("data.photo")).is(200)
		want := "image/png" // of a PNG or GIF that is smaller so
		if name == "data URI" {
			want = "image/jpeg"
		}
		assert.Equal(t, want, shown.header.Get("Content-Type"), name)
		assert.NotEmpty(t, shown.body, name)
	}
}

// expiryOf is until when a signed address says that it is good.
func expiryOf(t *testing.T, address string) time.Time {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	unix, err := strconv.ParseInt(u.Query().Get("expires"), 10, 64)
	require.NoError(t, err)
	return time.Unix(unix, 0).UTC()
}

func signedAddress(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x", object{"view_permission": 200})
	address := ada.attaches(t, id).text("data.photo")
	assert.Contains(t, address, s.url+"/media/private/")
	for _, c := range []*client{s.anyone(), s.with("x")} { // who has the address has the picture
		shown := c.fetches(t, address).is(200)
		assert.Regexp(t, `\bprivate\b`, shown.header.Get("Cache-Control"))
		assert.NotRegexp(t, `\b(public|immutable)\b`, shown.header.Get("Cache-Control"))
		assert.Equal(t, "nosniff", shown.header.Get("X-Content-Type-Options"))
		assert.Equal(t, "image/png", shown.header.Get("Content-Type"))
	}
	assert.Equal(t, address, ada.reads(t, id).text("data.plates.0.photo"))
}

func addressExpires(t *testing.T, s *server) {
	ada := s.member(t)
	s.clock.advance(20 * time.Minute)
	id := ada.publishes(t, "x")
	address := ada.attaches(t, id).text("data.photo")
	expires := expiryOf(t, address)
	left := expires.Sub(s.clock.Now())
	assert.True(t, left > 0 && left <= 2*time.Hour, "%v", left)
	assert.Equal(t, expires, expires.Truncate(time.Hour), "rounded to the hour")
	s.clock.advance(left - time.Second)
	shown := s.anyone().fetches(t, address).is(200)
	assert.Contains(t, shown.header.Get("Cache-Control"), "max-age=1", "nobody keeps it longer than the address is good")
	s.clock.advance(time.Second)
	s.anyone().fetches(t, address).fails(404, "RESOURCE_NOT_FOUND")
	ada.fetches(t, address).fails(404, "RESOURCE_NOT_FOUND")
	s.anyone().fetches(t, ada.reads(t, id).text("data.plates.0.photo")).is(200)
}

func privateStaysPrivate(t *testing.T, s *server) {
	ada := s.member(t)
	address := ada.attaches(t, ada.publishes(t, "x")).text("data.photo")
	bare, query, _ := strings.Cut(address, "?")
	public := ada.post(t, images, object{"img": aPNG(t)}).is(201).text("data.img")
	_, name, _ := strings.Cut(bare, "/media/private/")
	_, publicName, _ := strings.Cut(public, "/media/public/")
	for _, path := range []string{
		"/media/public/" + name, "/media/public/private/" + name, "/media/public/..%2Fprivate%2F" + name, "/media/public/%2e%2e/private/" + name,
		"/media/" + name, "/media/portrait/" + name, "/media/private/public/" + publicName,
	} {
		for _, c := range []*client{s.anyone(), ada.client} {
			c.get(t, path).fails(404, "RESOURCE_NOT_FOUND")
			c.get(t, path+"?"+query).is(404)
		}
	}
	s.anyone().fetches(t, strings.Replace(public, "/public/", "/private/", 1)).fails(404, "RESOURCE_NOT_FOUND")
	s.anyone().fetches(t, public).is(200)
}
