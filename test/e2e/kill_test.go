package e2e

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/test/postgres"
)

// manyWriters write at once until the server is killed.
const manyWriters = 8

func TestNothing_acknowledged_is_lost_when_the_server_is_killed(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		killing(t, func() {}, "--data-dir="+t.TempDir(), unlimited)
	})
	t.Run("Postgres", func(t *testing.T) {
		if testing.Short() {
			t.Skip("make test-all runs this")
		}
		url := postgres.Empty(t)
		killing(t, func() { abandoned(t, url) }, "--data-dir="+t.TempDir(), "--database-url="+url, unlimited)
	})
}

// unlimited is the setting of servers to which one account writes as fast as it can.
const unlimited = "--limits=off"

// abandoned waits until the database has ended the sessions of the killed server: a
// COMMIT that has reached it is executed, although no client waits for the answer.
func abandoned(t *testing.T, url string) {
	t.Helper()
	db, err := sql.Open("pgx", url)
	require.NoError(t, err)
	defer db.Close()
	require.Eventually(t, func() bool {
		var sessions int
		err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_stat_activity "+
			"WHERE datname = current_database() AND pid <> pg_backend_pid()").Scan(&sessions)
		return err == nil && sessions == 0
	}, patience, 10*time.Millisecond)
}

// killing has a server killed again and again while eight write, and looks each time at what is left. dead is called when it is dead.
func killing(t *testing.T, dead func(), settings ...string) {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("the seed is %d", seed)
	w := people(t, seed, settings)
	r := serve(t, settings...)
	w.openTopics(t, r.url)
	for n := range manyKills {
		w.writeUntilKilled(t, r)
		dead()
		r = serve(t, settings...)
		w.verify(t, r.url)
		out, errOut, status := run(t, nil, append([]string{"check"}, settings...)...)
		require.Zero(t, status, "after kill %d: %s%s", n+1, out, errOut)
		require.Contains(t, out, "found 0 wrong")
		require.False(t, t.Failed(), "after kill %d", n+1)
	}
	t.Logf("%d kills; %d writes were acknowledged; of %d that were not, %d were there",
		manyKills, w.acknowledged.Load(), w.cutOff, w.thereAllTheSame)
}

// shared is what all writers share.
type shared struct {
	writers    []*writer
	categories []int64
	topics     []int64 // events of which everybody says something
	photo      string  // in base64

	acknowledged            atomic.Int64
	cutOff, thereAllTheSame int
}

// writer is a member who writes as fast as the server answers, and remembers what was acknowledged.
type writer struct {
	*shared
	name   string
	uid    int64
	key    string
	random *rand.Rand
	serial int
	log    map[string]*thing
	wrong  string // what should not have been answered
}

// thing is something that a writer has made. It may look like one of several
// things while, and after, a write whose end the writer doesn't know.
type thing struct {
	kind  string
	mark  string // by which it is known again
	id    int64
	looks []string
}

const (
	anEvent  = "event"
	aComment = "comment"
	gone     = "" // how it looks when it isn't there
)

// diaryEntry is how an event looks.
type diaryEntry struct {
	Title      string `json:"title"`
	Content    string `json:"content"`
	Category   *int64 `json:"category"`
	Permission int    `json:"view_permission"`
	Publish    bool   `json:"publish"`
	plates     int
}

func (e diaryEntry) look() string {
	category := int64(0)
	if e.Category != nil {
		category = *e.Category
	}
	return fmt.Sprintf("%s|%s|%d|%d|%t|%d", e.Title, e.Content, category, e.Permission, e.Publish, e.plates)
}

// writeUntilKilled has all write, and kills the server in the midst of it.
func (w *shared) writeUntilKilled(t *testing.T, r *running) {
	t.Helper()
	c := newCaller(r.url)
	defer c.client.CloseIdleConnections()
	random := w.writers[0].random
	enough, moment := w.acknowledged.Load()+40+random.Int64N(200), time.Duration(random.Int64N(int64(5*time.Millisecond)))
	var all sync.WaitGroup
	for _, writer := range w.writers {
		all.Go(func() { writer.writeAll(c) })
	}
	require.Eventually(t, func() bool { return w.acknowledged.Load() >= enough }, patience, time.Millisecond, "%s", r.log)
	<-time.After(moment)
	require.NoError(t, r.cmd.Process.Kill())
	r.ends(t)
	all.Wait()
	for _, writer := range w.writers {
		assert.Empty(t, writer.wrong, "%s", r.log)
	}
	r.assertSilentOn(t, "DATA RACE", "level=ERROR", "panic")
}

// assertSilentOn asserts that no line of the log has one of the words.
func (r *running) assertSilentOn(t *testing.T, words ...string) {
	t.Helper()
	for line := range strings.Lines(r.log.String()) {
		for _, word := range words {
			if strings.Contains(line, word) {
				assert.Fail(t, "the server logs "+word, "%s", line)
			}
		}
	}
}

// writeAll writes one thing after the other, in random order, until the server is gone or answers what it should not.
func (w *writer) writeAll(c caller) {
	for {
		acts := []func(caller) bool{
			w.writeEvent, w.editEvent, w.editEvent, w.removeEvent, w.attach,
			w.say, w.say, w.unsay,
		}
		if !acts[w.random.IntN(len(acts))](c) {
			return
		}
	}
}

// mark is a word that stands for one thing alone.
func (w *writer) mark() string {
	w.serial++
	return fmt.Sprintf("%s-%d", w.name, w.serial)
}

// some returns a thing of the kind that looks like that, or nil.
func (w *writer) some(kind string, fits func(look string) bool) *thing {
	var all []*thing
	for _, one := range w.log {
		if one.kind == kind && len(one.looks) == 1 && fits(one.looks[0]) {
			all = append(all, one)
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.SortFunc(all, func(a, b *thing) int { return strings.Compare(a.mark, b.mark) }) // the seed decides, not the map
	return all[w.random.IntN(len(all))]
}

func isThere(look string) bool { return look != gone }

// known is the thing of the mark; one that has not been there when it is new.
func (w *writer) known(kind, mark string) *thing {
	if w.log[mark] == nil {
		w.log[mark] = &thing{kind: kind, mark: mark, looks: []string{gone}}
	}
	return w.log[mark]
}

type answer struct {
	ID   int64
	Data struct{ ID int64 }
}

// change sends a write after which the thing looks different. It is true when that was acknowledged.
func (w *writer) change(c caller, it *thing, look, method, path string, body any) bool {
	it.looks = append(it.looks, look)
	status, raw, err := c.send(w.key, method, path, body)
	if err != nil {
		return false // the server is gone
	}
	var told answer
	if status/100 != 2 || len(raw) > 0 && json.Unmarshal(raw, &told) != nil {
		w.wrong = fmt.Sprintf("%s %s: %d %s", method, path, status, raw)
		return false
	}
	it.looks = []string{look}
	if it.id == 0 || method == http.MethodPost && told.Data.ID != 0 {
		it.id = told.Data.ID
	}
	w.acknowledged.Add(1)
	return true
}

func (w *writer) entry(mark string) diaryEntry {
	words := strings.Repeat(fmt.Sprint("word ", w.random.IntN(100), " "), 1+w.random.IntN(100))
	e := diaryEntry{
		Title: fmt.Sprintf("%s %d", mark, w.random.IntN(1000)), Content: strings.TrimSpace(words),
		Permission: 100 * w.random.IntN(3), Publish: w.random.IntN(2) == 0,
	}
	if n := w.random.IntN(len(w.categories) + 1); n > 0 {
		e.Category = &w.categories[n-1]
	}
	return e
}

const eventsPath = "/api/xfile/event/"

func (w *writer) writeEvent(c caller) bool {
	it := w.known(anEvent, w.mark())
	e := w.entry(it.mark)
	return w.change(c, it, e.look(), http.MethodPost, eventsPath, e)
}

func platesOf(look string) int {
	plates, _ := strconv.Atoi(look[strings.LastIndex(look, "|")+1:])
	return plates
}

func (w *writer) editEvent(c caller) bool {
	it := w.some(anEvent, isThere)
	if it == nil {
		return true
	}
	e := w.entry(it.mark)
	e.plates = platesOf(it.looks[0])
	return w.change(c, it, e.look(), http.MethodPatch, path(eventsPath, it.id), e)
}

func (w *writer) removeEvent(c caller) bool {
	it := w.some(anEvent, isThere)
	return it == nil || w.change(c, it, gone, http.MethodDelete, path(eventsPath, it.id), nil)
}

func (w *writer) attach(c caller) bool {
	it := w.some(anEvent, isThere)
	if it == nil {
		return true
	}
	plates, id := platesOf(it.looks[0]), it.id
	look := fmt.Sprint(strings.TrimSuffix(it.looks[0], strconv.Itoa(plates)), plates+1)
	defer func() { it.id = id }() // the answer is about the plate
	return w.change(c, it, look, http.MethodPost, "/api/xfile/plate/", map[string]any{"event": id, "photo": w.photo})
}

const commentsPath = "/api/activity/comment/"

func (w *writer) say(c caller) bool {
	it := w.known(aComment, w.mark())
	content := fmt.Sprintf("%s has no more to say than %d", it.mark, w.random.IntN(1000))
	return w.change(c, it, content, http.MethodPost, commentsPath, map[string]any{"event": w.topic(), "content": content})
}

func (w *writer) topic() int64 { return w.topics[w.random.IntN(len(w.topics))] }

func (w *writer) unsay(c caller) bool {
	it := w.some(aComment, isThere)
	return it == nil || w.change(c, it, gone, http.MethodDelete, path(commentsPath, it.id), nil)
}

const imagesPath = "/api/user/user-image/"

func path(of string, id int64) string { return fmt.Sprintf("%s%d/", of, id) }

// caller sends requests to one server.
type caller struct {
	url    string
	client *http.Client
}

func newCaller(url string) caller {
	return caller{url, &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: 2 * manyWriters}}}
}

// send returns the status and the body when all of it has come.
func (c caller) send(key, method, path string, body any) (status int, raw []byte, err error) {
	a, err := c.request(key, method, path, nil, body)
	return a.status, []byte(a.body), err
}

// request sends the body as JSON, or as it is if it is a reader. An empty key sends no token.
func (c caller) request(key, method, path string, header http.Header, body any) (reply, error) {
	content, isReader := body.(io.Reader)
	if body != nil && !isReader {
		text, err := json.Marshal(body)
		if err != nil {
			return reply{}, err
		}
		content = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, c.url+path, content)
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	maps.Copy(req.Header, header)
	if key != "" {
		req.Header.Set("Authorization", "Token "+key)
	}
	res, err := c.client.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, string(raw), res.Header}, err
}
