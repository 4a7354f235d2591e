package bench

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"plaza/domain/access"
	"plaza/domain/media"
)

type (
	entryView struct {
		ID           int64         `json:"id"`
		EventTime    string        `json:"event_time"`
		Title        string        `json:"title"`
		Content      string        `json:"content"`
		HTML         string        `json:"html_content"`
		Category     *int64        `json:"category"`
		CategoryName *string       `json:"category_name"`
		Plates       []plateView   `json:"plates"`
		Permission   int           `json:"view_permission"`
		CreateTime   stamp         `json:"create_time"`
		LastModified stamp         `json:"last_modified"`
		Status       int           `json:"status"`
		User         authorView    `json:"user"`
		City         *string       `json:"city"`
		District     *string       `json:"district"`
		Province     *string       `json:"province"`
		Comments     []commentView `json:"comments"`
	}
	eventView struct {
		entryView
		CommentCount int         `json:"comment_count"`
		LikeCount    int         `json:"like_count"`
		TheMoment    []entryView `json:"the_moment"`
		PlaceAround  []newsView  `json:"place_around"`
	}
	plateView struct {
		ID         int64  `json:"id"`
		User       int64  `json:"user"`
		UserName   string `json:"user_name"`
		Photo      string `json:"photo"`
		CreateTime stamp  `json:"create_time"`
	}
	commentView struct {
		ID         int64      `json:"id"`
		User       personView `json:"user"`
		Content    string     `json:"content"`
		CreateTime stamp      `json:"create_time"`
	}
	newsView struct {
		SiteName    string  `json:"site_name"`
		URL         string  `json:"url"`
		Title       string  `json:"title"`
		ReleaseDate string  `json:"release_date"`
		HTML        string  `json:"html_content"`
		City        string  `json:"city"`
		Category    string  `json:"category"`
		SiteLogo    string  `json:"site_logo"`
		District    string  `json:"district"`
		Province    string  `json:"province"`
		Country     *string `json:"country"`
	}
)

// credentials are what decides whether a token is good.
type credentials struct {
	token              int64
	granted, held      []string
	generation, stands int
	ttl                int64 // nanoseconds
	used               time.Time
	disabled           bool
}

// credentialColumns are scanned into targets.
const credentialColumns = "t.id, t.scopes, t.generation, t.ttl, x.used, u.scopes, u.disabled, u.generation"

func (c *credentials) targets(db *floor) []any {
	return []any{&c.token, db.list(&c.granted), &c.generation, &c.ttl, db.moment(&c.used), db.list(&c.held), &c.disabled, &c.stands}
}

// check is nil when the token is good, and has the scope.
func (c *credentials) check(scope access.Scope, now time.Time) error {
	if c.token == 0 || c.disabled || c.generation != c.stands || !now.Before(c.used.Add(time.Duration(c.ttl))) ||
		!slices.Contains(c.granted, string(scope)) || !slices.Contains(c.held, string(scope)) {
		return errNobody
	}
	return nil
}

// callRow is who calls, and the event that the call is about.
type callRow struct {
	credentials
	member                   memberRow
	author                   int64
	view                     eventView
	province, city, district string
	created, modified        time.Time
	revision                 int64
	plate                    plateRow
}

// plateRow is a plate, or none, beside each row of its event.
type plateRow struct {
	id      *int64
	photo   *string
	created time.Time
}

func (p *plateRow) targets(db *floor) []any { return []any{&p.id, &p.photo, db.moment(&p.created)} }

var (
	errNobody  = errors.New("no such token")
	errNoEvent = errors.New("no such event")
	errCrowded = errors.New("the event is changed by many at once")
)

// editTitle changes the title of an event, and nothing else: the scenario asks no more.
func (f *floor) editTitle(r *http.Request) (any, error) {
	id, err := pathID(r)
	if err != nil {
		return nil, err
	}
	hash, err := hashOf(r)
	if err != nil {
		return nil, err
	}
	var body struct{ Title string }
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		return nil, err
	}
	for range 3 {
		view, changed, err := f.tryEdit(r.Context(), hash, id, strings.TrimSpace(body.Title))
		if err != nil || changed {
			return wrapped{view}, err
		}
	}
	return nil, errCrowded
}

func (f *floor) tryEdit(ctx context.Context, hash access.KeyHash, id int64, title string) (*eventView, bool, error) {
	row, err := f.call(ctx, hash, id)
	now := time.Now().UTC().Truncate(time.Microsecond)
	if err != nil {
		return nil, false, err
	}
	if err := row.check(access.XfileEvent, now); err != nil {
		return nil, false, err
	}
	if row.author != row.member.id {
		return nil, false, errNoEvent
	}
	v := &row.view
	at, err := f.places.Analyse(ctx, title, v.Content)
	if err != nil {
		return nil, false, err
	}
	c := change{
		event: id, revision: row.revision, title: title, province: at.Province, city: at.City, district: at.District,
		modified: latest(row.modified, now), isListed: v.Permission == 0 && v.Status == 100,
		note: noteOf(&row.credentials, row.member.id, row.member.seen, now),
	}
	if v.Category != nil {
		c.category = *v.Category
	}
	if c.isStale && now.Sub(row.member.seen) >= noteEvery {
		row.member.seen = now
	}
	changed, err := f.edit(ctx, c, f.surroundings(v, c.user, c.city, aroundOne, now))
	v.Title, v.LastModified = title, stamp(c.modified)
	v.Province, v.City, v.District = orNull(at.Province), orNull(at.City), orNull(at.District)
	v.User = authorView(f.person(&row.member, now))
	for i := range v.Plates {
		v.Plates[i].UserName = v.User.Username
	}
	return v, changed, err
}

// call reads the caller and the event in one statement; each plate is a row.
func (f *floor) call(ctx context.Context, hash access.KeyHash, id int64) (*callRow, error) {
	row := &callRow{}
	row.view = eventView{TheMoment: []entryView{}, PlaceAround: []newsView{}}
	v := &row.view
	v.ID, v.Plates, v.Comments = id, []plateView{}, []commentView{}
	targets := slices.Concat(
		row.credentials.targets(f), row.member.targets(f),
		[]any{&row.author, f.day(&v.EventTime), &v.Title, &v.Content, &v.HTML, &v.Category, &v.CategoryName, &v.Permission, &v.Status,
			&row.province, &row.city, &row.district, f.moment(&row.created), f.moment(&row.modified), &row.revision, &v.CommentCount, &v.LikeCount},
		row.plate.targets(f),
	)
	err := f.query(ctx, callStatement, []any{hash[:], id}, func(scan scanner) error {
		err := scan(targets...)
		v.Plates = f.withPlate(v.Plates, row.plate, row.author, "")
		return err
	})
	v.CreateTime = stamp(row.created)
	return row, err
}

func (f *floor) withPlate(plates []plateView, p plateRow, author int64, name string) []plateView {
	if p.id == nil {
		return plates
	}
	return append(plates, plateView{*p.id, author, name, f.addresses.URL(media.Key(*p.photo), media.Viewers, time.Now()), stamp(p.created)})
}

// How many events and news are shown around an event that is alone, and in a list.
const (
	aroundOne    = 10
	aroundListed = 3
)

// surroundings read what the viewer is shown around the event in the city.
func (f *floor) surroundings(v *eventView, viewer int64, city string, most int64, now time.Time) []read {
	reads := []read{
		{momentStatement, []any{v.EventTime, v.ID, viewer, most}, func(scan scanner) error { return f.addMoment(v, scan, now) }},
		{newsStatement, []any{v.EventTime, city, most}, func(scan scanner) error { return f.addNews(v, scan) }},
	}
	if city == "" {
		reads[1].statement, reads[1].args = anyNewsStatement, []any{v.EventTime, most}
	}
	if v.CommentCount > 0 {
		reads = append(reads, read{talkStatement, []any{v.ID, viewer}, func(scan scanner) error { return f.addComment(v, scan, now) }})
	}
	return reads
}

func (f *floor) addMoment(v *eventView, scan scanner, now time.Time) error {
	e := entryView{Plates: []plateView{}, Comments: []commentView{}}
	var province, city, district string
	var created, modified time.Time
	var plate plateRow
	var m memberRow
	err := scan(slices.Concat(
		[]any{&e.ID, f.day(&e.EventTime), &e.Title, &e.Content, &e.HTML, &e.Category, &e.CategoryName, &e.Permission, &e.Status,
			&province, &city, &district, f.moment(&created), f.moment(&modified)},
		plate.targets(f), m.targets(f))...)
	if err != nil {
		return err
	}
	if last := len(v.TheMoment) - 1; last >= 0 && v.TheMoment[last].ID == e.ID { // one more plate of the same
		v.TheMoment[last].Plates = f.withPlate(v.TheMoment[last].Plates, plate, m.id, v.TheMoment[last].User.Username)
		return nil
	}
	e.CreateTime, e.LastModified, e.User = stamp(created), stamp(modified), authorView(f.person(&m, now))
	e.Province, e.City, e.District = orNull(province), orNull(city), orNull(district)
	e.Plates = f.withPlate(e.Plates, plate, m.id, e.User.Username)
	v.TheMoment = append(v.TheMoment, e)
	return nil
}

func (f *floor) addNews(v *eventView, scan scanner) error {
	var n newsView
	var far, id int64
	var country string
	err := scan(&far, &id, &n.SiteName, &n.SiteLogo, &n.URL, &n.Title, f.day(&n.ReleaseDate), &n.HTML, &n.Category,
		&n.City, &n.District, &n.Province, &country)
	n.Country = orNull(country)
	v.PlaceAround = append(v.PlaceAround, n)
	return err
}

func (f *floor) addComment(v *eventView, scan scanner, now time.Time) error {
	var c commentView
	var created time.Time
	var m memberRow
	err := scan(append([]any{&c.ID, &c.Content, f.moment(&created)}, m.targets(f)...)...)
	c.CreateTime, c.User = stamp(created), f.person(&m, now)
	v.Comments = append(v.Comments, c)
	return err
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
