package bench

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"plaza/domain/access"
	"plaza/domain/event"
	"plaza/domain/notification"
	"plaza/domain/secret"
)

// callerRow is a caller who is not shown, and whether the author is their contact.
type callerRow struct {
	credentials
	id        int64
	seen      time.Time
	isContact bool
}

// targets are where callerColumns are scanned into.
func (c *callerRow) targets(db *floor) []any {
	return append(c.credentials.targets(db), &c.id, db.moment(&c.seen))
}

func (c *callerRow) note(now time.Time) note { return noteOf(&c.credentials, c.id, c.seen, now) }

// entryRow is an event beside each of its plates.
type entryRow struct {
	view                     eventView
	province, city, district string
	created, modified        time.Time
	plate                    plateRow
}

func (e *entryRow) targets(db *floor) []any {
	v := &e.view
	return slices.Concat([]any{&v.ID, db.day(&v.EventTime), &v.Title, &v.Content, &v.HTML, &v.Category, &v.CategoryName, &v.Permission, &v.Status,
		&e.province, &e.city, &e.district, db.moment(&e.created), db.moment(&e.modified), &v.CommentCount, &v.LikeCount}, e.plate.targets(db))
}

// add is called for every row: the first one of an event has all of it but the other plates.
func (f *floor) add(e *entryRow, author *memberRow, now time.Time) {
	v := &e.view
	if v.Plates == nil {
		v.Plates, v.Comments, v.TheMoment, v.PlaceAround = []plateView{}, []commentView{}, []entryView{}, []newsView{}
		v.CreateTime, v.LastModified = stamp(e.created), stamp(e.modified)
		v.Province, v.City, v.District = orNull(e.province), orNull(e.city), orNull(e.district)
		v.User = authorView(f.person(author, now))
	}
	v.Plates = f.withPlate(v.Plates, e.plate, author.id, v.User.Username)
}

// isVisible says whether a published event may be seen by another than its author.
func isVisible(permission, status int, isContact bool) bool {
	return status == int(event.Normal) && (permission == int(event.Public) || permission == int(event.Contact) && isContact)
}

func hashOf(r *http.Request) (access.KeyHash, error) {
	presented, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Token ")
	hash, isKey := access.HashKey(secret.New(presented))
	if !isKey {
		return hash, errNobody
	}
	return hash, nil
}

// visit shows an event of another user.
func (f *floor) visit(r *http.Request) (any, error) {
	id, err := pathID(r)
	if err != nil {
		return nil, err
	}
	hash, err := hashOf(r)
	if err != nil {
		return nil, err
	}
	var caller callerRow
	var author memberRow
	var e entryRow
	now := time.Now()
	targets := slices.Concat(caller.targets(f), []any{&caller.isContact}, author.targets(f), e.targets(f))
	err = f.query(r.Context(), visitStatement, []any{hash[:], id}, func(scan scanner) error {
		err := scan(targets...)
		f.add(&e, &author, now)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := caller.check(access.XfileEvent, now); err != nil {
		return nil, err
	}
	v := &e.view
	if !isVisible(v.Permission, v.Status, caller.isContact) {
		return nil, errNoEvent
	}
	steps := append(caller.note(now).steps(f), f.surroundings(v, caller.id, e.city, aroundOne, now)...)
	return wrapped{v}, f.all(r.Context(), steps)
}

// visitAuthor shows the first page of another user's events.
func (f *floor) visitAuthor(r *http.Request) (any, error) {
	of, err := pathID(r)
	if err != nil {
		return nil, err
	}
	hash, err := hashOf(r)
	if err != nil {
		return nil, err
	}
	var caller callerRow
	var author memberRow
	now := time.Now()
	targets := slices.Concat(caller.targets(f), []any{&caller.isContact}, author.targets(f))
	if err := f.query(r.Context(), authorStatement, []any{hash[:], of}, func(scan scanner) error { return scan(targets...) }); err != nil {
		return nil, err
	}
	if err := caller.check(access.XfileEvent, now); err != nil {
		return nil, err
	}
	total, shown, err := f.entries(r, &caller, &author, now)
	if err != nil {
		return nil, err
	}
	var steps []read
	views := make([]*eventView, len(shown))
	for i, e := range shown {
		views[i] = &e.view
		steps = append(steps, f.surroundings(&e.view, caller.id, e.city, aroundListed, now)...)
	}
	return paged(views, 1, total), f.all(r.Context(), steps)
}

// entries reads the author's events that the caller may see, and notes the caller's presence.
func (f *floor) entries(r *http.Request, caller *callerRow, author *memberRow, now time.Time) (total int, shown []*entryRow, err error) {
	page := read{listStatement, []any{author.id, caller.isContact, int64(pageSize), int64(0)}, func(scan scanner) (err error) {
		shown, err = f.scanEntry(scan, shown, author, now, &total)
		return err
	}}
	err = f.all(r.Context(), append(caller.note(now).steps(f), page))
	return total, shown, err
}

// scanEntry adds a row to the events that were read, after columns for the targets before. A row may have one more plate
// of the last event.
func (f *floor) scanEntry(scan scanner, shown []*entryRow, author *memberRow, now time.Time, before ...any) ([]*entryRow, error) {
	e := &entryRow{}
	if err := scan(append(before, e.targets(f)...)...); err != nil {
		return nil, err
	}
	if last := len(shown) - 1; last >= 0 && shown[last].view.ID == e.view.ID {
		shown[last].plate = e.plate
		e = shown[last]
	} else {
		shown = append(shown, e)
	}
	f.add(e, author, now)
	return shown, nil
}

// reader finds the caller, who may read events.
func (f *floor) reader(r *http.Request) (caller callerRow, now time.Time, err error) {
	hash, err := hashOf(r)
	if err != nil {
		return caller, now, err
	}
	read := func(scan scanner) error { return scan(caller.targets(f)...) }
	if err := f.query(r.Context(), readerStatement, []any{hash[:]}, read); err != nil {
		return caller, now, err
	}
	now = time.Now()
	return caller, now, caller.check(access.XfileEvent, now)
}

// timeline shows the newest events of those whom the caller follows.
func (f *floor) timeline(r *http.Request) (any, error) {
	caller, now, err := f.reader(r)
	if err != nil {
		return nil, err
	}
	var shown []*entryRow
	page := read{timelineStatement, []any{caller.id, int64(pageSize + 1)}, func(scan scanner) (err error) {
		var author memberRow // of each event its own
		shown, err = f.scanEntry(scan, shown, &author, now, author.targets(f)...)
		return err
	}}
	if err := f.all(r.Context(), append(caller.note(now).steps(f), page)); err != nil {
		return nil, err
	}
	var v timelineView
	if len(shown) > pageSize {
		shown = shown[:pageSize]
		last := shown[pageSize-1]
		cursor := binary.BigEndian.AppendUint64([]byte("t"), uint64(last.created.UnixMicro()))
		v.Cursor.Next = new(base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64(cursor, uint64(last.view.ID))))
	}
	var steps []read
	v.Data = make([]*eventView, len(shown))
	for i, e := range shown {
		v.Data[i] = &e.view
		steps = append(steps, f.surroundings(&e.view, caller.id, e.city, aroundListed, now)...)
	}
	return v, f.all(r.Context(), steps)
}

// timelineView is a list with a cursor.
type timelineView struct {
	Data   []*eventView `json:"data"`
	Cursor struct {
		Next *string `json:"next"`
	} `json:"cursor"`
}

// reach finds the caller, and the author of the event, if the caller may see it.
func (f *floor) reach(r *http.Request, on int64) (caller memberRow, author int64, presence note, err error) {
	hash, err := hashOf(r)
	if err != nil {
		return caller, author, presence, err
	}
	var c credentials
	var isContact bool
	var permission, status int
	targets := slices.Concat(c.targets(f), caller.targets(f), []any{&isContact, &author, &permission, &status})
	if err := f.query(r.Context(), reachStatement, []any{hash[:], on}, func(scan scanner) error { return scan(targets...) }); err != nil {
		return caller, author, presence, err
	}
	now := time.Now().UTC().Truncate(time.Microsecond)
	if err := c.check(access.XfileEvent, now); err != nil {
		return caller, author, presence, err
	}
	if author != caller.id && !isVisible(permission, status, isContact) {
		return caller, author, presence, errNoEvent
	}
	return caller, author, noteOf(&c, caller.id, caller.seen, now), nil
}

func (f *floor) comment(r *http.Request) (any, error) {
	var body struct {
		Event   int64
		Content string
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	caller, author, presence, err := f.reach(r, body.Event)
	if err != nil {
		return nil, err
	}
	now := presence.now
	v := commentView{Content: body.Content, CreateTime: stamp(now)}
	err = f.all(r.Context(), append(presence.steps(f),
		read{talkCountStatement, []any{body.Event, f.at(now)}, nil},
		read{commentStatement, []any{body.Event, caller.id, body.Content, f.at(now), author, f.at(now.Add(notification.KeptFor))}, func(scan scanner) error { return scan(&v.ID) }},
	))
	if presence.isStale {
		caller.seen = now
	}
	v.User = f.person(&caller, now)
	return createdView{v}, err
}

func (f *floor) like(r *http.Request) (any, error) {
	on, err := pathID(r)
	if err != nil {
		return nil, err
	}
	caller, author, presence, err := f.reach(r, on)
	if err != nil {
		return nil, err
	}
	return nil, f.all(r.Context(), append(presence.steps(f),
		read{likeStatement, []any{on, caller.id, f.at(presence.now), author, f.at(presence.now.Add(notification.KeptFor))}, nil},
	))
}
