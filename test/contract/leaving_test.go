package contract

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"plaza/domain/personaldata"
)

var leavingRows = []row{
	{"USR-07 USR-02 EVT-17 password and code erase the account", accountIsErased, everyServer},
	{"USR-07 open orders forbid an erasure", openOrdersForbidErasure, everyStore},
	{"USR-07 an export is a zip of all that is the caller's", exportOfCaller, everyStore},
	{"USR-07 two exports an hour", twoExportsAnHour, everyServer},
	{"USR-07 who is erased while a write arrives has to log in", lateWriteOfErased, everyStore},
}

const (
	erasePath  = "/api/user/erase/"
	exportPath = "/api/user/export/"
)

func (s *server) erases(t *testing.T, p person) {
	t.Helper()
	_, err := s.app.Privacy.Erase(t.Context(), p.id)
	require.NoError(t, err)
}

func (c *client) leaves(t *testing.T, code string) answer {
	t.Helper()
	return c.post(t, erasePath, object{"password": password, "code": code})
}

func accountIsErased(t *testing.T, s *server) {
	ada, bob, staff := s.member(t), s.member(t), s.staff(t)
	id, other, uncommented := ada.publishes(t, "A lake"), bob.publishes(t, "Tea"), bob.publishes(t, "Rain")
	ada.attaches(t, id)
	addresses := []string{
		ada.reads(t, id).text("data.plates.0.photo"),
		ada.post(t, images, object{"img": aPNG(t)}).is(201).text("data.img"),
	}
	addresses = append(addresses, inSize(addresses[0], "sm"), inSize(addresses[1], "md"))
	for _, address := range addresses {
		s.anyone().fetches(t, address).is(200)
	}
	bob.comments(t, other, "First")
	for range 25 { // more than one batch
		ada.comments(t, other, "Oh")
	}
	ada.comments(t, uncommented, "Ah")
	for _, p := range []person{ada, bob} {
		p.put(t, likePath(other)).is(204)
	}
	befriend(t, ada, bob)
	second := s.with(s.anyone().gets(t, ada))
	code := ada.codeToErase(t)
	assert.Empty(t, ada.leaves(t, code).is(204).body)
	for _, address := range addresses {
		s.anyone().fetches(t, address).fails(404, "RESOURCE_NOT_FOUND")
	}

	for range 2 { // at either of two servers
		ada.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
		second.get(t, profile).fails(401, "AUTHENTICATION_FAILED")
		sameJSON(t, []any{bob.id}, s.anyone().looksUp(t, ada.id, bob.id).each("data", "uid"))
		bob.get(t, eventPath(id)).fails(404, "RESOURCE_NOT_FOUND")
		got := bob.reads(t, other).shows(object{"comment_count": 1, "like_count": 1})
		assert.Equal(t, []string{"First"}, got.column("data.comments", "content"))
		bob.reads(t, uncommented).shows(object{"comment_count": 0})
		assert.Equal(t, words(other), bob.get(t, recent).is(200).column("data", "id"), "EVT-12: never commented any more")
	}
	s.anyone().logsIn(t, ada.phone, password).invalid("non_field_errors")
	require.Error(t, s.app.Signin.SetDisabled(t.Context(), ada.id, false), "it stays closed")
	bob.get(t, eventsOf(ada)).fails(404, "RESOURCE_NOT_FOUND")
	bob.post(t, subscriptions, object{"followed_user": ada.id}).invalid("followed_user")
	staff.post(t, newOrder, draftFor(ada)).invalid("user")
	for _, list := range []string{subscriptions, followers, imagesOf(ada)} {
		assert.Empty(t, bob.get(t, list).is(200).list("data"), list)
	}
	left, err := s.app.Privacy.Preview(t.Context(), ada.id)
	require.NoError(t, err)
	assert.Empty(t, left)

	again := s.joins(t, ada.phone)
	assert.NotEqual(t, ada.id, again.id)
	assert.Empty(t, again.get(t, events).is(200).list("data"))
}

// readFunc is a reader by its method.
type readFunc func([]byte) (int, error)

func (f readFunc) Read(b []byte) (int, error) { return f(b) }

func lateWriteOfErased(t *testing.T, s *server) {
	ada := s.member(t)
	erase := readFunc(func([]byte) (int, error) {
		s.erases(t, ada)
		return 0, io.EOF
	})
	body := `{"title": "Late"}`
	sender := ada.saying("Content-Type", "application/json").saying("Expect", "100-continue")
	req := sender.prepares(t, "POST", events, io.MultiReader(erase, strings.NewReader(body)))
	req.ContentLength = int64(len(body))
	do(t, req).fails(401, "AUTHENTICATION_FAILED")
}

func openOrdersForbidErasure(t *testing.T, s *server) {
	ada := s.member(t)
	s.orders(t, ada)
	ada.post(t, erasePath, object{}).invalid("password", "code")
	ada.leaves(t, ada.codeToErase(t)).fails(409, "CONFLICT")
	ada.get(t, profile).is(200)
	s.anyone().gets(t, ada)
}

// export is the zip that the person gets, as the texts of its files.
func (p person) export(t *testing.T) map[string]string {
	t.Helper()
	a := p.get(t, exportPath).is(200)
	assert.Equal(t, "application/zip", a.header.Get("Content-Type"))
	assert.Equal(t, `attachment; filename="plaza-export.zip"`, a.header.Get("Content-Disposition"))
	assert.Equal(t, "private, no-store", a.header.Get("Cache-Control"))
	return unzipped(t, a.body)
}

// unzipped are the texts of the files in the zip.
func unzipped(t *testing.T, raw []byte) map[string]string {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	require.NoError(t, err)
	files := map[string]string{}
	for _, f := range archive.File {
		file, err := f.Open()
		require.NoError(t, err)
		text, err := io.ReadAll(file)
		require.NoError(t, err)
		files[f.Name] = string(text)
	}
	return files
}

func exportOfCaller(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	id := ada.publishes(t, "A lake")
	ada.keeps(t, "shore")
	ada.comments(t, id, "So still")
	bob.publishes(t, "Bob's tea")
	bob.comments(t, id, "Bob was here")
	ada.send(t, "HEAD", exportPath, nil).is(200) // which counts for nothing
	s.anyone().asks(t, "sign_up", ada.phone).is(202)
	files := ada.export(t)
	var whole strings.Builder
	for name, text := range files {
		whole.WriteString(text)
		if strings.HasSuffix(name, ".json") {
			assert.True(t, json.Valid([]byte(text)), name)
		}
	}
	for _, d := range personaldata.Kinds() {
		assert.Contains(t, files, string(d.Kind)+".json")
		assert.Contains(t, files["README.txt"], string(d.Kind)+".json")
	}
	for name, text := range map[string]string{
		"account.json": ada.phone, "events.json": "A lake", "images.json": "shore", "comments.json": "So still",
	} {
		assert.Contains(t, files[name], text, name)
	}
	assert.True(t, slices.ContainsFunc(slices.Collect(maps.Keys(files)), func(name string) bool {
		return strings.HasPrefix(name, "pictures/")
	}))
	for _, other := range []string{"Bob", bob.phone, ada.key, password, "$argon2id$", s.receives(t, ada.phone).Code.Reveal() + `"`} {
		assert.NotContains(t, whole.String(), other)
	}
}

func twoExportsAnHour(t *testing.T, s *server) {
	ada, bob := s.member(t), s.member(t)
	ada.export(t)
	ada.export(t)
	for range 2 { // at either of two servers
		assert.Equal(t, 30*time.Minute, ada.get(t, exportPath).throttled())
	}
	bob.export(t)
	s.clock.advance(30*time.Minute - time.Second)
	assert.Equal(t, time.Second, ada.get(t, exportPath).throttled())
	s.clock.advance(time.Second)
	ada.export(t)
	ada.get(t, exportPath).throttled()
}

// brokenExports has exports that break off when the records have been sent, because the folder of the pictures can't be read.
func brokenExports(t *testing.T, s *server) {
	ada := s.member(t)
	ada.keeps(t, "shore")
	folder := filepath.Join(s.settings.MediaDir(), "public")
	hide := func() {
		require.NoError(t, os.Rename(folder, folder+".aside"))
		require.NoError(t, os.WriteFile(folder, nil, 0o600))
	}
	breaks := func() {
		t.Helper()
		res, err := dialer.Do(ada.prepares(t, http.MethodGet, exportPath, nil))
		require.NoError(t, err)
		defer res.Body.Close()
		require.Equal(t, 200, res.StatusCode)
		body, err := io.ReadAll(res.Body)
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		_, err = zip.NewReader(bytes.NewReader(body), int64(len(body)))
		require.Error(t, err, "what arrived is no zip")
	}
	hide()
	for range 6 {
		breaks()
	}
	require.NoError(t, os.Remove(folder))
	require.NoError(t, os.Rename(folder+".aside", folder))
	req := httptest.NewRequest(http.MethodGet, exportPath, nil)
	req.Header.Set("Authorization", "Token "+ada.key)
	lost := func() { s.app.Handler.ServeHTTP(lostAtLast{httptest.NewRecorder()}, req) }
	assert.PanicsWithValue(t, http.ErrAbortHandler, lost, "the connection is cut")
	ada.export(t)
	ada.export(t)
	assert.Contains(t, string(ada.get(t, exportPath).is(429).body), "You have just exported your data.")

	s.clock.advance(time.Hour)
	hide()
	for range 10 {
		breaks()
	}
	assert.Contains(t, string(ada.get(t, exportPath).is(429).body), "Too many of your exports broke.")
}

// lostAtLast is a response whose last bytes can't be sent.
type lostAtLast struct{ *httptest.ResponseRecorder }

func (lostAtLast) FlushError() error { return io.ErrClosedPipe }
