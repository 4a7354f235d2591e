package e2e

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/adapters/argon2id"
	"plaza/application/signin"
	"plaza/bootstrap"
	"plaza/bootstrap/settings"
	"plaza/domain/access"
	"plaza/domain/feed"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/test/content"
)

// people opens the writers' accounts, and makes some categories, past the server: its passwords take their time on purpose.
func people(t *testing.T, seed uint64, settings []string) *shared {
	t.Helper()
	app := openApp(t, settings)
	defer func() { require.NoError(t, app.Close()) }()
	w := &shared{photo: base64.StdEncoding.EncodeToString(noisy(t, 200, 100))}
	for id := range int64(3) {
		category := feed.Category{ID: feed.CategoryID(id + 1), Name: fmt.Sprint("Nº ", id+1), Slug: fmt.Sprint("n", id+1)}
		require.NoError(t, content.Import(t.Context(), content.Stores{Imports: app.Stores.Imports}, category))
		w.categories = append(w.categories, id+1)
	}
	for n := range manyWriters {
		uid, key := register(t, app, fmt.Sprintf("+86-139%08d", n+1))
		w.writers = append(w.writers, &writer{
			shared: w, name: fmt.Sprint("w", n+1), uid: uid, key: key,
			random: rand.New(rand.NewPCG(seed, uint64(n))), log: map[string]*thing{},
		})
	}
	return w
}

// register opens an account, and returns its uid and a key.
func register(t *testing.T, app *bootstrap.App, phone string, roles ...access.Role) (uid int64, key string) {
	t.Helper()
	id, err := app.Signin.Register(t.Context(), signin.Registration{
		Username: phone, Password: secret.New("kettle-and-cups"), Roles: roles,
		Member: user.Member{Firstname: phone, Timezone: "Asia/Shanghai"},
	})
	require.NoError(t, err)
	issued, err := app.Signin.Issue(t.Context(), id, nil, 0)
	require.NoError(t, err)
	return int64(id), issued.Reveal()
}

func openApp(t *testing.T, flags []string) *bootstrap.App {
	t.Helper()
	s := settings.Config{
		Addr: "127.0.0.1:0", AdminAddr: "127.0.0.1:0", DatabaseWait: time.Minute, TokenTTL: 720 * time.Hour, LogFormat: "text",
		WalletPoll: 30 * time.Second, WalletTimeout: 5 * time.Second,
	}
	for _, flag := range flags {
		name, value, _ := strings.Cut(flag, "=")
		*map[string]*string{"--data-dir": &s.DataDir, "--database-url": &s.DatabaseURL, "--limits": &s.Limits}[name] = value
	}
	config, err := bootstrap.Check(s)
	require.NoError(t, err)
	app, err := bootstrap.NewApp(t.Context(), config, slog.New(slog.DiscardHandler), bootstrap.Parts{Hashing: &argon2id.Cheap})
	require.NoError(t, err)
	return app
}

// openTopics writes events that stay, so that all can say something of them.
func (w *shared) openTopics(t *testing.T, url string) {
	t.Helper()
	c := newCaller(url)
	defer c.client.CloseIdleConnections()
	first := w.writers[0]
	for range 3 {
		it := first.known(anEvent, first.mark())
		e := diaryEntry{Title: it.mark, Publish: true}
		require.True(t, first.change(c, it, e.look(), http.MethodPost, eventsPath, e), first.wrong)
		w.topics = append(w.topics, it.id)
		delete(first.log, it.mark)
	}
}

type seen struct {
	id   int64
	look string
}

// eventShown, and so on, are what matters of the server's answers.
type eventShown struct {
	ID       int64
	Title    string
	Content  string
	Category *int64
	View     int `json:"view_permission"`
	Status   int
	Comments int `json:"comment_count"`
	Plates   []struct{ Photo string }
}

type commentShown struct {
	ID      int64
	Content string
}

func all[T any](t *testing.T, c caller, key, path string) (items []T) {
	t.Helper()
	for page := 1; ; page++ {
		var list struct {
			Data       []T
			Pagination struct {
				Next  *int
				Total int `json:"total_count"`
			}
		}
		read(t, c, key, fmt.Sprintf("%s&page=%d&page_size=100", path, page), &list)
		items = append(items, list.Data...)
		if list.Pagination.Next == nil {
			require.Len(t, items, list.Pagination.Total, path)
			return items
		}
	}
}

func read(t *testing.T, c caller, key, path string, into any) {
	t.Helper()
	status, raw, err := c.send(key, http.MethodGet, path, nil)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status, "%s: %s", path, raw)
	if into != nil {
		require.NoError(t, json.Unmarshal(raw, into))
	}
}

// verify asserts that everything looks as it was acknowledged, and what wasn't acknowledged like before or like after; and that there is
// nothing else. What was in doubt is certain then.
func (w *shared) verify(t *testing.T, url string) {
	t.Helper()
	c := newCaller(url)
	defer c.client.CloseIdleConnections()
	found := map[string]seen{}
	note := func(mark string, id int64, look string) {
		_, twice := found[mark]
		assert.False(t, twice, "%s is there twice", mark)
		found[mark] = seen{id, look}
	}
	for _, writer := range w.writers {
		writer.look(t, c, note)
	}
	for _, topic := range w.topics {
		w.lookAtTopic(t, c, topic, note)
	}
	for _, writer := range w.writers {
		for mark, it := range writer.log {
			w.compare(t, it, found[mark])
			delete(found, mark)
		}
	}
	assert.Empty(t, found, "nobody has written that")
}

func (w *shared) compare(t *testing.T, it *thing, found seen) {
	t.Helper()
	assert.Contains(t, it.looks, found.look, "%s", it.mark)
	if len(it.looks) > 1 {
		w.cutOff++
		if found.look == it.looks[len(it.looks)-1] {
			w.thereAllTheSame++
		}
	}
	if found.look != gone && len(it.looks) == 1 {
		assert.Equal(t, it.id, found.id, "%s", it.mark)
	}
	it.looks, it.id = []string{found.look}, found.id
}

// look notes what the server shows to the writer of what is the writer's own, and asserts that its pictures are there.
func (w *writer) look(t *testing.T, c caller, note func(mark string, id int64, look string)) {
	t.Helper()
	for _, e := range all[eventShown](t, c, w.key, eventsPath+"?") {
		if slices.Contains(w.topics, e.ID) {
			continue
		}
		shown := diaryEntry{e.Title, e.Content, e.Category, e.View, e.Status == 100, len(e.Plates)}
		note(strings.Fields(e.Title)[0], e.ID, shown.look())
		for _, plate := range e.Plates {
			c.fetch(t, plate.Photo)
		}
	}
}

func (c caller) fetch(t *testing.T, address string) {
	t.Helper()
	res, err := c.client.Get(address)
	require.NoError(t, err)
	defer res.Body.Close()
	assert.Equal(t, http.StatusOK, res.StatusCode, address)
	_, _, err = image.Decode(res.Body)
	assert.NoError(t, err, address)
}

// lookAtTopic notes the comments of the event, and asserts that they are counted.
func (w *shared) lookAtTopic(t *testing.T, c caller, topic int64, note func(mark string, id int64, look string)) {
	t.Helper()
	key := w.writers[0].key
	comments := all[commentShown](t, c, key, fmt.Sprintf("%s?event=%d", commentsPath, topic))
	for _, comment := range comments {
		note(strings.Fields(comment.Content)[0], comment.ID, comment.Content)
	}
	var shown struct{ Data eventShown }
	read(t, c, key, path(eventsPath, topic), &shown)
	assert.Equal(t, len(comments), shown.Data.Comments)
}
