package contract

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/notification"
)

const streamPath = "/api/user/stream/"

var streamRows = []row{
	{"NTF-04 what happens comes as an event", newsCome, everyStore},
	{"NTF-04 what came since the last event comes first, once", newsSince, everyStore},
	{"NTF-04 a client that missed too much starts anew", newsReset, oneStore},
	{"NTF-04 a stream ends with its key", streamEndsWithKey, everyStore},
	{"NTF-04 a person has at most five streams", streamsAreLimited, everyStore},
	{"NTF-04 a stream that comes back takes the place of the one before", streamComesBack, everyStore},
	{"NTF-04 a server that stops tells clients when to come back", streamsAreEnded, oneStore},
	{"NTF-04 a stream is kept by no cache, and needs the scope", streamHeaders, everyServer},
}

// live is an open stream.
type live struct {
	t     *testing.T
	s     *server
	lines *bufio.Reader
	close func()
}

// streams opens a stream behind the event with the id, or from now on. It has the first comment line.
func (p person) streams(t *testing.T, last string) *live {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	res, err := dialer.Do(p.saying("Last-Event-ID", last).prepares(t, "GET", streamPath, nil).WithContext(ctx))
	require.NoError(t, err)
	t.Cleanup(func() { res.Body.Close() })
	require.Equal(t, 200, res.StatusCode)
	require.Equal(t, "text/event-stream", res.Header.Get("Content-Type"))
	l := &live{t, p.server, bufio.NewReader(res.Body), cancel}
	assert.Equal(t, ":", l.line())
	assert.Empty(t, l.line())
	assert.Equal(t, "retry: 3000", l.line())
	assert.Empty(t, l.line())
	return l
}

func (l *live) line() string {
	l.t.Helper()
	line, err := l.lines.ReadString('\n')
	if err == io.EOF && line == "" {
		return "EOF"
	}
	require.NoError(l.t, err)
	return strings.TrimSuffix(line, "\n")
}

func (s *server) deliver(t *testing.T) {
	t.Helper()
	for _, other := range s.apps[1:] {
		require.NoError(t, other.Streams.Deliver(t.Context()))
	}
}

// next is the next event: its name, its id, and its data. Servers of the test beside the first one deliver now.
func (l *live) next() (name, id string, data object) {
	l.t.Helper()
	l.s.deliver(l.t)
	_, err := fmt.Sscanf(l.line()+" "+l.line(), "id: %s event: %s", &id, &name)
	require.NoError(l.t, err)
	require.NoError(l.t, json.Unmarshal([]byte(strings.TrimPrefix(l.line(), "data: ")), &data))
	assert.Empty(l.t, l.line())
	return name, id, data
}

// brings are the names and the data of the next events.
func (l *live) brings(want ...any) (last string) {
	l.t.Helper()
	for i := 0; i < len(want); i += 2 {
		name, id, data := l.next()
		last = id
		assert.Equal(l.t, want[i], name)
		sameJSON(l.t, want[i+1], data)
	}
	return last
}

func unread(n int) object { return object{"unread_count": n} }

func newsCome(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	on := ada.publishes(t, "Fog")
	l := ada.streams(t, "")
	l.brings("unread", unread(0))
	bob.comments(t, on, "Oh")
	l.brings("notification", ada.get(t, notifications).at("data.0"), "unread", unread(1))
	ada.marksRead(t, ada.get(t, notifications).int("data.0.id"))
	l.brings("unread", unread(0))
	order := s.staff(t).post(t, newOrder, draftFor(ada)).is(201).int("data.id")
	l.brings("order", object{"id": order, "status": "open"})
	bob.follows(t, ada)
	l.brings("notification", ada.get(t, notifications).at("data.0"), "unread", unread(1))
	ada.blocks(t, bob)
	l.brings("unread", unread(0))
	ada.streams(t, "0-0-0").brings("order", object{"id": order, "status": "open"}, "unread", unread(0))
}

func newsSince(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	on := ada.publishes(t, "Fog")
	bob.comments(t, on, "Before")
	first := ada.streams(t, "")
	last := first.brings("unread", unread(1))
	first.close()
	bob.comments(t, on, "One")
	order := s.staff(t).post(t, newOrder, draftFor(ada)).is(201).int("data.id")
	two := bob.comments(t, on, "Two")
	list := ada.get(t, notifications)
	s.clock.advance(2 * time.Minute)
	second := ada.streams(t, last)
	one := second.brings("notification", list.at("data.1"))
	end := second.brings("notification", list.at("data.0"), "order", object{"id": order, "status": "open"}, "unread", unread(3))
	for _, app := range s.apps {
		assert.Less(t, app.Streams.Lag(), time.Minute, "the client was away, the server was not slow")
	}
	second.close()
	ada.streams(t, end).brings("unread", unread(3))
	ada.streams(t, one).brings("notification", list.at("data.0"), "order", object{"id": order, "status": "open"}, "unread", unread(3))
	bob.delete(t, commentPath(two)).is(204)
	ada.streams(t, one).brings("order", object{"id": order, "status": "open"}, "unread", unread(2))
}

func newsReset(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	on := ada.publishes(t, "Fog")
	bob.comments(t, on, "First")
	last := ada.streams(t, "").brings("unread", unread(1))
	for range notification.MaxNews {
		bob.comments(t, on, "Oh")
	}
	hundred := ada.streams(t, last)
	for range notification.MaxNews {
		name, _, _ := hundred.next()
		require.Equal(t, "notification", name)
	}
	hundred.brings("unread", unread(101))
	bob.comments(t, on, "One more")
	end := ada.streams(t, last).brings("reset", object{}, "unread", unread(102))
	ada.streams(t, end).brings("unread", unread(102))
	for _, old := range []string{"x", "-1-0-0", "0-99999999-0", "1", "1-2", "1-2-3-4"} {
		s.member(t).streams(t, old).brings("reset", object{}, "unread", unread(0))
	}
}

func streamEndsWithKey(t *testing.T, s *server) {
	ada, bob, eve := s.member(t), s.member(t), s.member(t)
	stays, l, narrowed := bob.streams(t, ""), ada.streams(t, ""), eve.streams(t, "")
	for _, l := range []*live{stays, l, narrowed} {
		l.brings("unread", unread(0))
	}
	ada.post(t, "/api/auth/logout/", nil).is(204)
	s.staff(t).does(t, "scopes/", eve, object{"scopes": []string{"pay_trade_order"}, "roles": []string{}}).is(200)
	for range 5 { // a part of the streams is checked each time
		s.deliver(t)
	}
	assert.Equal(t, "EOF", l.line())
	assert.Equal(t, "EOF", narrowed.line())
	ada.get(t, streamPath).is(401)
	s.member(t).follows(t, bob)
	name, _, _ := stays.next()
	assert.Equal(t, "notification", name)
}

func streamsAreLimited(t *testing.T, s *server) {
	ada := s.member(t)
	var open []*live
	for range notification.MaxStreams {
		open = append(open, ada.streams(t, ""))
	}
	ada.get(t, streamPath).fails(429, "THROTTLED")
	s.member(t).streams(t, "").brings("unread", unread(0))
	open[0].close()
	require.Eventually(t, func() bool { return ada.get(t, streamPath).status == 200 }, time.Minute, 10*time.Millisecond)
}

func streamComesBack(t *testing.T, s *server) {
	ada := s.member(t)
	first := ada.streams(t, "")
	last := first.brings("unread", unread(0))
	for range notification.MaxStreams - 1 {
		ada.streams(t, "").brings("unread", unread(0))
	}
	second := ada.streams(t, last)
	second.brings("unread", unread(0))
	s.member(t).get(t, streamPath+"?last_event_id="+last).is(200)
	ada.get(t, streamPath).fails(429, "THROTTLED")
	for range 5 { // a part of the streams is checked each time
		s.deliver(t)
	}
	assert.Equal(t, "EOF", first.line())
	s.member(t).follows(t, ada)
	name, _, _ := second.next()
	assert.Equal(t, "notification", name)
	ada.get(t, streamPath+"?last_event_id="+last).fails(429, "THROTTLED")
}

func streamsAreEnded(t *testing.T, s *server) {
	ada := s.member(t)
	early := ada.streams(t, "")
	s.app.Streams.Stop()
	for _, l := range []*live{early, ada.streams(t, "")} {
		var retries []string
		for line := ""; line != "EOF"; line = l.line() {
			if after, isRetry := strings.CutPrefix(line, "retry: "); isRetry {
				retries = append(retries, after)
			}
		}
		assert.Len(t, retries, 1)
		assert.NotContains(t, retries, "3000")
	}
}

func streamHeaders(t *testing.T, s *server) {
	ada := s.member(t)
	a := ada.get(t, streamPath).is(200)
	assert.Equal(t, "no-store", a.header.Get("Cache-Control"))
	assert.Empty(t, a.header.Get("Content-Encoding"))
	ada.get(t, streamPath+"?last_event_id=a&last_event_id=b").invalid("last_event_id")
	ada.send(t, "HEAD", streamPath, nil).is(200)
}
