//go:build soak

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/application/signin"
	"plaza/domain/feed"
	"plaza/domain/secret"
	"plaza/domain/user"
	"plaza/test/content"
)

// Those who use the server in the test of ordinary use, and how many of them at once.
const (
	ordinaryUsers  = 200
	ordinaryAtOnce = 16
)

const ordinaryPassword = "kettle-and-cups"

// TestGEN14_Ordinary_use_meets_no_limit has 200 users do all at once what they would do in a
// minute, all from one address, as if they were behind one router.
func TestGEN14_Ordinary_use_meets_no_limit(t *testing.T) {
	settings := []string{"--data-dir=" + t.TempDir()}
	users := ordinaryAccounts(t, settings)
	r := serve(t, settings...)
	c := caller{r.url, &http.Client{Timeout: patience, Transport: &http.Transport{MaxIdleConnsPerHost: ordinaryAtOnce}}}
	defer c.client.CloseIdleConnections()
	turns := make(chan struct{}, ordinaryAtOnce)
	var all sync.WaitGroup
	for n := range users {
		all.Go(func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			useOrdinarily(t, c, users, n)
		})
	}
	all.Wait()
}

// ordinaryAccounts opens the accounts and a category, without the server.
func ordinaryAccounts(t *testing.T, settings []string) []int64 {
	t.Helper()
	app := openApp(t, settings)
	defer func() { require.NoError(t, app.Close()) }()
	require.NoError(t, content.Import(t.Context(), content.Stores{Imports: app.Stores.Imports}, feed.Category{ID: 1, Name: "Tea", Slug: "tea"}))
	users := make([]int64, ordinaryUsers)
	for n := range users {
		id, err := app.Signin.Register(t.Context(), signin.Registration{
			Username: ordinaryPhone(n), Password: secret.New(ordinaryPassword),
			Member: user.Member{Firstname: fmt.Sprint("Nº ", n), Timezone: "Asia/Shanghai"},
		})
		require.NoError(t, err)
		users[n] = int64(id)
	}
	return users
}

func ordinaryPhone(n int) string { return fmt.Sprintf("+86-139%08d", n+1) }

// useOrdinarily looks around without a token, logs in, reads, writes and logs out.
func useOrdinarily(t *testing.T, c caller, users []int64, n int) {
	me, other := users[n], users[(n+1)%len(users)]
	anyone := session{t, c, ""}
	for range 5 {
		anyone.get("/api/feed/categories/")
		anyone.get("/api/feed/items/1/")
		anyone.get(fmt.Sprint(imagesPath, "?uid=", me))
	}
	s := session{t, c, anyone.send(http.MethodPost, "/api/auth/login/", map[string]any{"username": ordinaryPhone(n), "password": ordinaryPassword}).Data.Key}
	for range 5 {
		s.get("/api/user/profile/")
		s.get("/api/feed/items/1/")
		s.get(eventsPath)
	}
	for i := range 3 {
		mine := s.send(http.MethodPost, eventsPath, diaryEntry{Title: fmt.Sprint("A day ", i), Permission: 0, Publish: true}).Data.ID
		s.send(http.MethodPatch, path(eventsPath, mine), diaryEntry{Title: fmt.Sprint("The day ", i), Publish: true})
		s.send(http.MethodPost, "/api/xfile/plate/", map[string]any{"event": mine, "photo": picture})
		for range 3 {
			s.send(http.MethodPost, commentsPath, map[string]any{"event": mine, "content": "More of it tomorrow."})
		}
		s.send(http.MethodPut, path(likesPath, mine), nil)
		s.send(http.MethodDelete, path(likesPath, mine), nil)
		s.send(http.MethodPost, imagesPath, map[string]any{"img": picture, "tags": []string{"tea"}})
	}
	s.send(http.MethodPost, followingPath, map[string]any{"followed_user": other})
	s.send(http.MethodPost, followingPath, map[string]any{"followed_category": 1})
	s.send(http.MethodPost, "/api/auth/logout/", nil)
}

// session sends requests of a user; without a key, of an unknown one.
type session struct {
	t   *testing.T
	c   caller
	key string
}

func (s session) get(path string) { s.send(http.MethodGet, path, nil) }

// response is what ordinary use reads of responses.
type response struct {
	Data struct {
		ID  int64
		Key string
	}
}

// send fails the test if the answer is not a success.
func (s session) send(method, path string, body any) (a response) {
	status, raw, err := s.c.send(s.key, method, path, body)
	if !assert.NoError(s.t, err) || !assert.Less(s.t, status, 300, "%s %s: %s", method, path, raw) {
		return a
	}
	if method == http.MethodPost && len(raw) > 0 {
		assert.NoError(s.t, json.Unmarshal(raw, &a), "%s", raw)
	}
	return a
}
