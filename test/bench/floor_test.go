package bench

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"plaza/adapters/gazetteer"
	"plaza/domain/media"
	"plaza/domain/secret"
)

// floor is the leanest server by hand that answers the requests of the scenarios
// just as Plaza does: no middleware, no layers, no logging, one statement where one
// is enough, rows scanned into what is rendered. It knows only what is asked here.
type floor struct {
	*pool
	portraits string // where they begin
	addresses media.Addresses
	places    *gazetteer.Gazetteer
	zones     sync.Map // *time.Location by name
}

// publicURL is what Plaza and the floor both take for their address, so that their
// links are the same.
const publicURL = "https://plaza.example"

func newFloor(ctx context.Context, url string) (*floor, error) {
	db, err := openPostgres(ctx, url)
	if err != nil {
		return nil, err
	}
	f := &floor{pool: db, portraits: publicURL + "/media/portrait/", places: gazetteer.New()}
	var key string
	err = db.query(ctx, secretStatement, []any{signingKey}, func(scan scanner) error { return scan(&key) })
	f.addresses = media.NewAddresses(publicURL, secret.New(key))
	return f, err
}

func (f *floor) handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, answer := range map[string]func(*http.Request) (any, error){
		"GET /api/feed/items/{id}/":        f.items,
		"GET /api/feed/categories/":        f.categories,
		"GET /api/user/user-image/":        f.images,
		"POST /api/user/user-simple-info/": f.people,
		"PATCH /api/xfile/event/{id}/":     f.editTitle,

		"GET /api/xfile/event/{id}/":           f.visit,
		"GET /api/xfile/event/{id}/view-list/": f.visitAuthor,
		"GET /api/xfile/event/following/{$}":   f.timeline,
		"GET /api/user/notification/":          f.notices,
		"POST /api/activity/comment/":          f.comment,
		"PUT /api/activity/like/{id}/":         f.like,

		"GET /api/writing/bundle-data/get-publication-feed-items/": f.translated,
	} {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			content, err := answer(r)
			respond(w, r.Header.Get("If-None-Match"), content, err)
		})
	}
	return mux
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// createdView is the answer to what has created something.
type createdView wrapped

// respond sends the content; nil is none. A client that knows of entity tags gets one.
func respond(w http.ResponseWriter, known string, content any, err error) {
	buffer := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buffer)
	buffer.Reset()
	if err == nil {
		encoder := json.NewEncoder(buffer)
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(content)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if content == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	if known != "" {
		tag := fmt.Sprintf(`"%x"`, sha256.Sum256(buffer.Bytes()))
		w.Header().Set("ETag", tag)
		if tag == known {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(buffer.Len()))
	if _, isNew := content.(createdView); isNew {
		w.WriteHeader(http.StatusCreated)
	}
	w.Write(buffer.Bytes())
}

// floorOf is the variable of the environment that makes the test program a floor
// over the database that it names.
const floorOf = "PLAZA_BENCH_FLOOR"

// serveFloor serves until the standard input ends, and so never outlives the process that
// started it.
func serveFloor(url string) error {
	f, err := newFloor(context.Background(), url)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: f.handler(), ReadHeaderTimeout: time.Minute}
	go server.Serve(listener)
	fmt.Printf("The floor is at http://%s\n", listener.Addr())
	io.Copy(io.Discard, os.Stdin)
	return server.Close()
}

func pathID(r *http.Request) (int64, error) { return strconv.ParseInt(r.PathValue("id"), 10, 64) }

// person renders a user; online is whether they were seen lately.
func (f *floor) person(m *memberRow, now time.Time) personView {
	v := personView{
		UID: m.id, Firstname: m.firstname, Lastname: m.lastname, Username: m.fullName(),
		Timezone: m.timezone, UTCOffset: now.In(f.zone(m.timezone)).Format("-07:00"), Location: m.location,
		IsOnline: m.isOnline(now),
	}
	if m.expertise != "" {
		v.Expertise = &m.expertise
	}
	path := f.portraits + strconv.FormatInt(m.id, 10)
	v.Avatars.Sizes = portraitSizes{
		sizeView{64, 64, path + "-sm.png"}, sizeView{128, 128, path + "-md.png"}, sizeView{256, 256, path + "-lg.png"},
	}
	v.Avatars.Path = v.Avatars.Sizes.Large.Path
	v.Avatar = v.Avatars.Path
	return v
}

func (f *floor) zone(name string) *time.Location {
	if known, is := f.zones.Load(name); is {
		return known.(*time.Location)
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		zone = time.UTC
	}
	f.zones.Store(name, zone)
	return zone
}
