package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/notification"
	"plaza/test/postgres"
)

// follow sends the comments that the stream tells of, and keeps the id of the last event, until the stream ends.
func follow(t *testing.T, url, key string, last *string) <-chan string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/user/stream/", nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Token "+key)
	req.Header.Set("Last-Event-ID", *last)
	res, err := (&http.Client{Transport: &http.Transport{}}).Do(req)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, res.StatusCode)
	told := make(chan string, 1000)
	go func() {
		defer close(told)
		defer res.Body.Close()
		id, event := "", ""
		for lines := bufio.NewScanner(res.Body); lines.Scan(); {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "id":
				id = value
			case "event":
				event = value
			case "data":
				var news struct{ Comment struct{ Content string } }
				if *last = id; assert.NoError(t, json.Unmarshal([]byte(value), &news)) && event == "notification" {
					told <- news.Comment.Content
				}
			}
		}
	}()
	return told
}

// killed is how many servers of streams are killed: more than the streams that a person may have at once. All that is said meanwhile is
// not more than a stream brings: else it would say that the client is to read the lists anew.
const killed = notification.MaxStreams + 1

func TestNTF04_nothing_is_missed_and_nothing_told_twice_when_the_server_of_a_stream_is_killed(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs this")
	}
	settings := []string{"--data-dir=" + t.TempDir(), "--database-url=" + postgres.Empty(t), unlimited}
	w := people(t, rand.Uint64(), settings)
	writes := serve(t, settings...)
	missesNothing(t, w, writes.url, writes.url, func() *running { return serve(t, settings...) })
}

// missesNothing has the first of the people told of comments that are written at one URL: by streams of servers that begin and are
// killed, one after the other, and then by one of the server at the other URL.
func missesNothing(t *testing.T, w *shared, writes, last string, begin func() *running) {
	t.Helper()
	author, other := w.writers[0].key, w.writers[1].key
	to := newCaller(writes)
	status, raw, err := to.send(author, http.MethodPost, eventsPath, map[string]any{"title": "Fog", "publish": true})
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, status, "%s", raw)
	var made struct{ Data struct{ ID int64 } }
	require.NoError(t, json.Unmarshal(raw, &made))
	var said, told []string
	say := func(n int) {
		for range n {
			said = append(said, fmt.Sprint("Nº ", len(said)))
			status, raw, err := to.send(other, http.MethodPost, "/api/activity/comment/",
				map[string]any{"event": made.Data.ID, "content": said[len(said)-1]})
			require.NoError(t, err)
			require.Equal(t, http.StatusCreated, status, "%s", raw)
		}
	}
	at := "0-0-0"
	for range killed {
		streams := begin()
		news := follow(t, streams.url, author, &at)
		say(5)
		told = append(told, <-news)
		go func() { _ = streams.cmd.Process.Kill() }()
		say(10) // while the server dies, and while there is no stream
		streams.ends(t)
		for one := range news {
			told = append(told, one)
		}
	}
	news := follow(t, last, author, &at)
	for len(told) < len(said) {
		told = append(told, <-news)
	}
	assert.Equal(t, said, told)
}
