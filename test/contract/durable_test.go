package contract

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// durableRows show what outlives the processes, where there is something to keep
// it in.
var durableRows = []row{
	{"AUT-09 keys outlive the servers", keysOutlive, everyServer},
	{"AUT-11 failures are counted although every one was in another process", failuresOutlive, everyServer},
	{"AUT-15 codes and what is counted of them outlive the servers", codesOutlive, everyServer},
	{"PLA-04 plates outlive the servers at their signed addresses", platesOutlive, everyServer},
	{"PUB-06 translations outlive the servers", translationsOutlive, everyServer},
	{"USR-07 an export that breaks is seen as broken, and does not count", brokenExports, everyStore}, // pictures are on the disk
}

// sharingRows show what several servers must agree on, each asked by itself.
var sharingRows = []row{
	{"AUT-09 a key is good at every server and used for all of them", keysEverywhere, everyServer},
	{"AUT-10 a key that is revoked at one server is so at the others at once", revokedEverywhere, everyServer},
	{"AUT-15 every server knows the codes of the others and counts with them", codesEverywhere, everyServer},
	{"AUT-11 failures are counted across all server processes", failuresEverywhere, everyServer},
	{"EVT-02 EVT-03 what was written to one server is read from the others at once", writtenEverywhere, everyServer},
	{"PLA-04 servers share the key of signed addresses", addressesEverywhere, everyServer},
}

// again ends the servers and starts others on what they stored.
func (s *server) again(t *testing.T) {
	t.Helper()
	s.stop()
	s.run(t)
}

// path is the path of an address of these servers, on any port.
func (s *server) path(t *testing.T, address string) string {
	t.Helper()
	path, isOurs := strings.CutPrefix(address, s.url)
	require.True(t, isOurs, address)
	return path
}

// apart are the servers one by one, without what makes their requests alternate.
func (s *server) apart(t *testing.T) []*server {
	t.Helper()
	var all []*server
	for _, app := range s.apps {
		door := httptest.NewServer(app.Handler)
		t.Cleanup(door.Close)
		all = append(all, &server{url: door.URL, on: s.on, app: app, clock: s.clock, log: s.log, messages: s.messages})
	}
	require.Greater(t, len(all), 1, "there is nobody to share with")
	return all
}

func keysOutlive(t *testing.T, s *server) {
	ada := s.member(t)
	used, idle, out := s.with(s.anyone().gets(t, ada)), s.with(s.anyone().gets(t, ada)), s.with(s.anyone().gets(t, ada))
	out.post(t, logout, nil).is(204)
	s.clock.advance(29 * day)
	used.get(t, profile).is(200)
	s.again(t)
	s.clock.advance(29 * day)
	used.get(t, profile).is(200)
	idle.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
	out.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
	s.with(s.anyone().gets(t, ada)).get(t, profile).is(200)
}

func failuresOutlive(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	for range 5 {
		s.anyone().failsTimes(t, 1, ada.phone)
		s.again(t)
	}
	assert.Equal(t, 15*time.Minute, s.anyone().logsIn(t, ada.phone, password).throttled())
	s.anyone().gets(t, bob)
	s.again(t)
	s.clock.advance(15 * time.Minute)
	s.anyone().gets(t, ada)
}

func codesOutlive(t *testing.T, s *server) {
	code := s.anyone().code(t, "sign_up", newcomer(1))
	for i := range 4 {
		s.anyone().signs(t, newcomer(1), wrongFor(t, code, i)).invalid("code")
		s.again(t)
	}
	s.anyone().asks(t, "sign_up", newcomer(1)).throttled()
	s.anyone().signs(t, newcomer(1), code).is(201)
	s.again(t)
	s.anyone().signs(t, newcomer(1), code).invalid("code")
}

func codesEverywhere(t *testing.T, s *server) {
	servers := s.apart(t)
	for i, here := range servers {
		there := servers[(i+1)%len(servers)].anyone()
		code := here.anyone().code(t, "sign_up", newcomer(i))
		there.asks(t, "sign_up", newcomer(i)).throttled()
		there.signs(t, newcomer(i), code).is(201)
		here.anyone().signs(t, newcomer(i), code).invalid("code")
	}
}

func platesOutlive(t *testing.T, s *server) {
	ada := s.member(t)
	id := ada.publishes(t, "x", object{"view_permission": 200})
	path := s.path(t, ada.attaches(t, id).text("data.photo"))
	before := s.anyone().get(t, path).is(200)
	s.again(t)
	assert.Equal(t, before.body, s.anyone().get(t, path).is(200).body)
	assert.Equal(t, path, s.path(t, ada.reads(t, id).text("data.plates.0.photo")), "signed with the same key")
	s.anyone().get(t, path+"0").fails(404, "RESOURCE_NOT_FOUND")
	s.clock.advance(2 * time.Hour)
	s.anyone().get(t, path).fails(404, "RESOURCE_NOT_FOUND")
}

func keysEverywhere(t *testing.T, s *server) {
	ada := s.member(t)
	servers := s.apart(t)
	key := servers[0].anyone().gets(t, ada)
	for i := range 4 { // each keeps it alive for the other
		s.clock.advance(29 * day)
		servers[i%2].with(key).get(t, profile).is(200)
	}
}

func revokedEverywhere(t *testing.T, s *server) {
	ada := s.member(t)
	servers := s.apart(t)
	for i, here := range servers {
		key, there := here.anyone().gets(t, ada), servers[(i+1)%len(servers)]
		there.with(key).get(t, profile).is(200)
		here.with(key).post(t, logout, nil).is(204)
		there.with(key).get(t, profile).fails(401, "AUTHENTICATION_FAILED")
	}
}

func failuresEverywhere(t *testing.T, s *server) {
	ada := s.member(t)
	servers := s.apart(t)
	for i := range 5 {
		servers[i%len(servers)].anyone().failsTimes(t, 1, ada.phone)
	}
	for _, each := range servers {
		assert.Equal(t, 15*time.Minute, each.anyone().wrongly(t, ada.phone).throttled())
		each.anyone().logsIn(t, ada.phone, password).throttled()
	}
	s.clock.advance(15 * time.Minute)
	servers[0].anyone().failsTimes(t, 4, ada.phone)
	servers[1].anyone().gets(t, ada)
	servers[0].anyone().failsTimes(t, 4, ada.phone)
}

func writtenEverywhere(t *testing.T, s *server) {
	ada := s.member(t)
	servers := s.apart(t)
	for i, here := range servers {
		there := servers[(i+1)%len(servers)].with(ada.key)
		id := here.with(ada.key).post(t, events, object{"title": "x", "publish": true}).is(201).int("data.id")
		there.get(t, eventPath(id)).is(200).shows(object{"title": "x"})
		here.with(ada.key).patch(t, eventPath(id), object{"title": "y"}).is(200)
		there.get(t, eventPath(id)).is(200).shows(object{"title": "y"})
		here.with(ada.key).delete(t, eventPath(id)).is(204)
		there.get(t, eventPath(id)).fails(404, "RESOURCE_NOT_FOUND")
	}
}

func addressesEverywhere(t *testing.T, s *server) {
	ada := s.member(t)
	servers := s.apart(t)
	id := ada.publishes(t, "x", object{"view_permission": 200})
	ada.attaches(t, id)
	var paths []string
	for _, each := range servers {
		paths = append(paths, s.path(t, each.with(ada.key).get(t, eventPath(id)).is(200).text("data.plates.0.photo")))
	}
	for _, path := range paths {
		assert.Equal(t, paths[0], path)
		for _, each := range servers {
			each.anyone().get(t, path).is(200)
		}
	}
}
